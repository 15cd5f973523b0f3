#include "vnngp/linalg/tile_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/tile_product.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::linalg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct Operands {
    int depth;
    const double* a;
    std::size_t a_stride;
    const double* b;
    double* to;
    std::size_t to_stride;
};

// kVectors vectors of rows from p on, kCols columns from q on: their sums stay in registers.
template <int kVectors, int kCols, class D>
HWY_INLINE void add_up(D d, const Operands& o, int p, int q) {
    const int width = static_cast<int>(hn::Lanes(d));
    hn::Vec<D> sum[kCols][kVectors];
    for (auto& column : sum)
        for (auto& part : column) part = hn::Zero(d);
    for (int k = 0; k < o.depth; ++k) {
        hn::Vec<D> a_k[kVectors];
        for (int v = 0; v < kVectors; ++v) a_k[v] = hn::LoadU(d, o.a + k * o.a_stride + p + v * width);
        for (int c = 0; c < kCols; ++c) {
            const auto b_k = hn::Set(d, o.b[(q + c) * o.depth + k]);
            for (int v = 0; v < kVectors; ++v) sum[c][v] = hn::MulAdd(a_k[v], b_k, sum[c][v]);
        }
    }
    for (int c = 0; c < kCols; ++c)
        for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[c][v], d, o.to + (q + c) * o.to_stride + p + v * width);
}

template <int kCols>
HWY_INLINE void columns(int rows, const Operands& o, int q) {
    const hn::ScalableTag<double> d;
    const int width = static_cast<int>(hn::Lanes(d));
    int p = 0;
    for (; p + 2 * width <= rows; p += 2 * width) add_up<2, kCols>(d, o, p, q);
    for (; p + width <= rows; p += width) add_up<1, kCols>(d, o, p, q);
    for (; p < rows; ++p) add_up<1, kCols>(hn::CappedTag<double, 1>(), o, p, q);
}

void TileProduct(int rows, int cols, int depth, const double* a, std::size_t a_stride, const double* b, double* to, std::size_t to_stride) {
    const Operands o{depth, a, a_stride, b, to, to_stride};
    int q = 0;
    for (; q + 4 <= cols; q += 4) columns<4>(rows, o, q);
    for (; q < cols; ++q) columns<1>(rows, o, q);
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::linalg
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::linalg {

HWY_EXPORT(TileProduct);

void tile_product(int rows, int cols, int depth, const double* a, std::size_t a_stride, const double* b, double* to,
                  std::size_t to_stride) {
    HWY_DYNAMIC_DISPATCH(TileProduct)(rows, cols, depth, a, a_stride, b, to, to_stride);
}

}  // namespace vnngp::linalg
#endif
