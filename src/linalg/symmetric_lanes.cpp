#include "linalg/symmetric_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/symmetric_lanes.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::linalg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::CappedTag<float, 16>;
using FloatLane = hn::Vec<FloatTag>;

constexpr int kStrip = 4;  ///< columns of A that are read for both products while they are close at hand
constexpr int kForward = kSymmetricColumns, kBackward = kSymmetricColumns;

// y += A x for kForward columns of y.
HWY_INLINE void add_forward(const float* a, std::size_t stride, const float* x, std::size_t x_stride, float* y) {
    const FloatTag d;
    const int width = static_cast<int>(hn::Lanes(d));
    FloatLane x_kj[kStrip][kForward];
    for (int k = 0; k < kStrip; ++k)
        for (int j = 0; j < kForward; ++j) x_kj[k][j] = hn::Set(d, x[j * x_stride + k]);
    for (int p = 0; p < kSymmetricRows; p += width) {
        FloatLane sum[kForward];
        for (int j = 0; j < kForward; ++j) sum[j] = hn::Load(d, y + j * kSymmetricRows + p);
#pragma GCC unroll 4
        for (int k = 0; k < kStrip; ++k) {
            const FloatLane a_k = hn::LoadU(d, a + k * stride + p);
#pragma GCC unroll 4
            for (int j = 0; j < kForward; ++j) sum[j] = hn::MulAdd(a_k, x_kj[k][j], sum[j]);
        }
        for (int j = 0; j < kForward; ++j) hn::Store(sum[j], d, y + j * kSymmetricRows + p);
    }
}

// y += A'x for kBackward columns of y.
HWY_INLINE void add_backward(const float* a, std::size_t stride, const float* x, float* y, std::size_t y_stride) {
    const FloatTag d;
    const int width = static_cast<int>(hn::Lanes(d));
    FloatLane sum[kStrip][kBackward];
    for (int k = 0; k < kStrip; ++k)
        for (int j = 0; j < kBackward; ++j) sum[k][j] = hn::Zero(d);
    for (int p = 0; p < kSymmetricRows; p += width) {
        FloatLane x_j[kBackward];
#pragma GCC unroll 4
        for (int j = 0; j < kBackward; ++j) x_j[j] = hn::Load(d, x + j * kSymmetricRows + p);
#pragma GCC unroll 4
        for (int k = 0; k < kStrip; ++k) {
            const FloatLane a_k = hn::LoadU(d, a + k * stride + p);
#pragma GCC unroll 4
            for (int j = 0; j < kBackward; ++j) sum[k][j] = hn::MulAdd(a_k, x_j[j], sum[k][j]);
        }
    }
    for (int k = 0; k < kStrip; ++k)
        for (int j = 0; j < kBackward; ++j) y[j * y_stride + k] += hn::GetLane(hn::SumOfLanes(d, sum[k][j]));
}

void BothProducts(int cols, const float* a, std::size_t stride, int num_columns, const float* x_rows, float* y_rows, const float* x_cols,
                  float* y_cols, std::size_t cols_stride) {
    constexpr int line = 16;  // floats of one
    for (int q = 0; q < cols; q += kStrip, a += kStrip * stride) {
        // A's columns are far apart in memory, each too short for the processor to see where they lead.
        if (q + kStrip < cols)
            for (int k = kStrip; k < 2 * kStrip; ++k)
                for (int p = 0; p < kSymmetricRows; p += line) __builtin_prefetch(a + k * stride + p);
        for (int j = 0; j < num_columns; j += kForward)
            add_forward(a, stride, x_cols + j * cols_stride + q, cols_stride, y_rows + j * kSymmetricRows);
        for (int j = 0; j < num_columns; j += kBackward)
            add_backward(a, stride, x_rows + j * kSymmetricRows, y_cols + j * cols_stride + q, cols_stride);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::linalg
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::linalg {

HWY_EXPORT(BothProducts);

void add_both_products(int cols, const float* a, std::size_t stride, int num_columns, const float* x_rows, float* y_rows,
                       const float* x_cols, float* y_cols, std::size_t cols_stride) {
    HWY_DYNAMIC_DISPATCH(BothProducts)(cols, a, stride, num_columns, x_rows, y_rows, x_cols, y_cols, cols_stride);
}

}  // namespace vnngp::linalg
#endif
