#include "linalg/symmetric_lanes.hpp"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/symmetric_lanes.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::linalg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
#include "linalg/few_registers-inl.hpp"

using FloatTag = hn::CappedTag<float, 16>;
using FloatLane = hn::Vec<FloatTag>;

constexpr int kStrip = 4;  ///< columns of A that are read for both products while they are close at hand
constexpr int kWide = kFewRegisters ? kSymmetricColumns : 2 * kSymmetricColumns;  ///< columns of y that are summed at a time

// Columns of A that come next: a processor that sees where a walk leads begins anew at every 4 KiB.
struct NextColumns {
    const float* first;
    int count;
};

// y += A x for kColumns columns of y; asks for the next columns on the way, since all at once would have to wait.
template <int kColumns>
HWY_INLINE void add_forward(const float* a, const float* x, std::size_t x_stride, float* y, const NextColumns& next) {
    const FloatTag d;
    const int width = static_cast<int>(hn::Lanes(d));
    FloatLane x_kj[kStrip][kColumns];
    for (int k = 0; k < kStrip; ++k)
        for (int j = 0; j < kColumns; ++j) x_kj[k][j] = hn::Set(d, x[j * x_stride + k]);
    for (int p = 0; p < kPanelRows; p += width) {
        for (int k = 0; k < next.count; ++k) __builtin_prefetch(next.first + k * kPanelRows + p);
        FloatLane sum[kColumns];
        for (int j = 0; j < kColumns; ++j) sum[j] = hn::Load(d, y + j * kPanelRows + p);
#pragma GCC unroll 4
        for (int k = 0; k < kStrip; ++k) {
            const FloatLane a_k = hn::Load(d, a + k * kPanelRows + p);
#pragma GCC unroll 6
            for (int j = 0; j < kColumns; ++j) sum[j] = hn::MulAdd(a_k, x_kj[k][j], sum[j]);
        }
        for (int j = 0; j < kColumns; ++j) hn::Store(sum[j], d, y + j * kPanelRows + p);
    }
}

// y += A'x for kColumns columns of y.
template <int kColumns>
HWY_INLINE void add_backward(const float* a, const float* x, float* y, std::size_t y_stride) {
    const FloatTag d;
    const int width = static_cast<int>(hn::Lanes(d));
    FloatLane sum[kStrip][kColumns];
    for (int k = 0; k < kStrip; ++k)
        for (int j = 0; j < kColumns; ++j) sum[k][j] = hn::Zero(d);
    for (int p = 0; p < kPanelRows; p += width) {
        FloatLane x_j[kColumns];
#pragma GCC unroll 6
        for (int j = 0; j < kColumns; ++j) x_j[j] = hn::Load(d, x + j * kPanelRows + p);
#pragma GCC unroll 4
        for (int k = 0; k < kStrip; ++k) {
            const FloatLane a_k = hn::Load(d, a + k * kPanelRows + p);
#pragma GCC unroll 6
            for (int j = 0; j < kColumns; ++j) sum[k][j] = hn::MulAdd(a_k, x_j[j], sum[k][j]);
        }
    }
    for (int k = 0; k < kStrip; ++k)
        for (int j = 0; j < kColumns; ++j) y[j * y_stride + k] += hn::GetLane(hn::SumOfLanes(d, sum[k][j]));
}

void BothProducts(int cols, const float* a, int num_columns, const float* x_rows, float* y_rows, const float* x_cols, float* y_cols,
                  std::size_t cols_stride) {
    const int share = (kStrip * kWide + num_columns - 1) / num_columns;  // of the next strip, which kWide columns ask for
    for (int q = 0; q < cols; q += kStrip, a += kStrip * kPanelRows) {
        int asked = q + kStrip < cols ? 0 : kStrip;
        const auto add = [&]<int kColumns>(std::integral_constant<int, kColumns>, int j) HWY_ATTR {
            const int left = kStrip - asked, count = j + kColumns < num_columns ? std::min(share, left) : left;
            const NextColumns next{a + (kStrip + asked) * kPanelRows, count};
            asked += count;
            add_forward<kColumns>(a, x_cols + j * cols_stride + q, cols_stride, y_rows + j * kPanelRows, next);
            add_backward<kColumns>(a, x_rows + j * kPanelRows, y_cols + j * cols_stride + q, cols_stride);
        };
        int j = 0;
        for (; j + kWide <= num_columns; j += kWide) add(std::integral_constant<int, kWide>(), j);
        if (j < num_columns) add(std::integral_constant<int, kSymmetricColumns>(), j);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::linalg
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::linalg {

HWY_EXPORT(BothProducts);

void add_both_products(int cols, const float* a, int num_columns, const float* x_rows, float* y_rows, const float* x_cols, float* y_cols,
                       std::size_t cols_stride) {
    HWY_DYNAMIC_DISPATCH(BothProducts)(cols, a, num_columns, x_rows, y_rows, x_cols, y_cols, cols_stride);
}

}  // namespace vnngp::linalg
#endif
