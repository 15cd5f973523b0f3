// Inverses from Cholesky factors, and products of them. Tiles of kTile x kTile entries stay in registers, as in lanes.cpp.
#include <algorithm>

#include "vnngp/linalg/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/lanes_inverse.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::linalg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
#include "linalg/few_registers-inl.hpp"
using Tag = hn::CappedTag<double, kLanes>;
using Lane = hn::Vec<Tag>;

HWY_INLINE void clear_tile(Lane tile[kTile][kTile]) {
#pragma GCC unroll 4
    for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kTile; ++j) tile[i][j] = hn::Zero(Tag());
}

constexpr int kColumns = kFewRegisters ? 2 : 4;  ///< of a tile, whose sums stay in registers at a time

// tile[i][j] += sum_{begin <= k < end} left(k, i) right(k, j)
template <class Left, class Right>
HWY_INLINE void add_products(int begin, int end, const Left& left, const Right& right, Lane tile[kTile][kTile]) {
#pragma GCC unroll 2
    for (int first = 0; first < kTile; first += kColumns)
        for (int k = begin; k < end; ++k) {
            Lane r[kColumns];
#pragma GCC unroll 4
            for (int j = 0; j < kColumns; ++j) r[j] = right(k, first + j);
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i) {
                const Lane l = left(k, i);
#pragma GCC unroll 4
                for (int j = 0; j < kColumns; ++j) tile[i][first + j] = hn::MulAdd(l, r[j], tile[i][first + j]);
            }
        }
}

/// Entry (k, q + j) of a packed matrix. In the corner, k < q + kTile, what is above the diagonal is zero.
struct Entries {
    const double* packed;
    int q;
    HWY_INLINE Lane operator()(int k, int j) const { return hn::Load(Tag(), packed + (packed_row(k) + q + j) * kLanes); }
};
struct Corner {
    Entries entries;
    HWY_INLINE Lane operator()(int k, int j) const { return entries.q + j <= k ? entries(k, j) : hn::Zero(Tag()); }
};

// Rows of tiles from top to bottom, tiles from left to right: X_PQ = -L_PP^{-1} sum_{Q <= K < P} L_PK X_KQ needs of its own row only what
// lies to the right, where L still is.
HWY_INLINE void invert_one_register(int n, double* l, const double* inverse_diagonal) {
    const Tag d;
    for (int p = 0; p < n; p += kTile) {
        double* row[kTile];
        Lane inverse[kTile], corner[kTile][kTile], tile[kTile][kTile];
        for (int i = 0; i < kTile; ++i) {
            row[i] = l + packed_row(p + i) * kLanes;
            inverse[i] = hn::Load(d, inverse_diagonal + (p + i) * kLanes);
            for (int j = 0; j < i; ++j) corner[i][j] = hn::Load(d, row[i] + (p + j) * kLanes);
        }
        for (int q = 0; q < p; q += kTile) {
            clear_tile(tile);
            const auto left = [&](int k, int i) HWY_ATTR { return hn::Load(d, row[i] + k * kLanes); };
            const Entries right{l, q};
            add_products(q, q + kTile, left, Corner{right}, tile);
            add_products(q + kTile, p, left, right, tile);
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
                for (int j = 0; j < kTile; ++j) {
                    Lane value = hn::Neg(tile[i][j]);
                    for (int k = 0; k < i; ++k) value = hn::NegMulAdd(corner[i][k], tile[k][j], value);
                    tile[i][j] = hn::Mul(value, inverse[i]);
                    hn::Store(tile[i][j], d, row[i] + (q + j) * kLanes);
                }
        }
#pragma GCC unroll 4
        for (int j = 0; j < kTile; ++j) {
            tile[j][j] = inverse[j];
            hn::Store(inverse[j], d, row[j] + (p + j) * kLanes);
            for (int i = j + 1; i < kTile; ++i) {
                Lane value = hn::Zero(d);
                for (int k = j; k < i; ++k) value = hn::NegMulAdd(corner[i][k], tile[k][j], value);
                tile[i][j] = hn::Mul(value, inverse[i]);
                hn::Store(tile[i][j], d, row[i] + (p + j) * kLanes);
            }
        }
    }
}

void InvertFactor(int n, double* l, const double* inverse_diagonal) {
    for (int lane = 0; lane < kLanes; lane += static_cast<int>(hn::Lanes(Tag()))) invert_one_register(n, l + lane, inverse_diagonal + lane);
}

HWY_INLINE void gram_one_register(int n, const double* x, double* full) {
    const Tag d;
    const std::size_t stride = static_cast<std::size_t>(full_stride(n)) * kLanes;
    for (int p = 0; p < n; p += kTile)
        for (int q = 0; q <= p; q += kTile) {
            Lane tile[kTile][kTile];
            clear_tile(tile);
            const Entries left{x, p}, right{x, q};
            add_products(p, p + kTile, Corner{left}, Corner{right}, tile);
            add_products(p + kTile, n, left, right, tile);
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
                for (int j = 0; j < kTile; ++j) {
                    hn::Store(tile[i][j], d, full + (p + i) * stride + (q + j) * kLanes);
                    hn::Store(tile[i][j], d, full + (q + j) * stride + (p + i) * kLanes);
                }
        }
}

void Gram(int n, const double* x, double* full) {
    for (int lane = 0; lane < kLanes; lane += static_cast<int>(hn::Lanes(Tag()))) gram_one_register(n, x + lane, full + lane);
}

constexpr int kDepth = 32;  ///< columns of A at a time: so much of all its rows stays in the cache

HWY_INLINE void sandwich_one_register(int n, const double* full, const double* s, double* packed) {
    const Tag d;
    const std::size_t stride = static_cast<std::size_t>(full_stride(n)) * kLanes;
    alignas(64) double weighted[kDepth * kTile * kLanes];  // [column][row of the tile]: A diag(s)
    for (int begin = 0; begin < n; begin += kDepth) {
        const int depth = std::min(kDepth, n - begin);
        for (int p = 0; p < n; p += kTile) {
            for (int k = 0; k < depth; ++k) {
                const Lane weight = hn::Load(d, s + (begin + k) * kLanes);
                for (int i = 0; i < kTile; ++i)
                    hn::Store(hn::Mul(weight, hn::Load(d, full + (p + i) * stride + (begin + k) * kLanes)), d,
                              weighted + (k * kTile + i) * kLanes);
            }
            for (int q = 0; q <= p; q += kTile) {
                const double* row[kTile];
                for (int j = 0; j < kTile; ++j) row[j] = full + (q + j) * stride + begin * kLanes;
                Lane tile[kTile][kTile];
                clear_tile(tile);
                const auto left = [&](int k, int i) HWY_ATTR { return hn::Load(d, weighted + (k * kTile + i) * kLanes); };
                const auto right = [&](int k, int j) HWY_ATTR { return hn::Load(d, row[j] + k * kLanes); };
                add_products(0, depth, left, right, tile);
#pragma GCC unroll 4
                for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
                    for (int j = 0; j < kTile; ++j) {
                        if (q + j > p + i) continue;
                        double* at = packed + (packed_row(p + i) + q + j) * kLanes;
                        hn::Store(begin == 0 ? tile[i][j] : hn::Add(hn::Load(d, at), tile[i][j]), d, at);
                    }
            }
        }
    }
}

void Sandwich(int n, const double* full, const double* s, double* packed) {
    for (int lane = 0; lane < kLanes; lane += static_cast<int>(hn::Lanes(Tag())))
        sandwich_one_register(n, full + lane, s + lane, packed + lane);
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::linalg
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::linalg {

HWY_EXPORT(InvertFactor);
HWY_EXPORT(Gram);
HWY_EXPORT(Sandwich);

void batch_invert_factor(int n, double* l, const double* inverse_diagonal) { HWY_DYNAMIC_DISPATCH(InvertFactor)(n, l, inverse_diagonal); }

void batch_gram(int n, const double* x, double* full) { HWY_DYNAMIC_DISPATCH(Gram)(n, x, full); }

void batch_sandwich(int n, const double* full, const double* s, double* packed) { HWY_DYNAMIC_DISPATCH(Sandwich)(n, full, s, packed); }

}  // namespace vnngp::linalg
#endif
