#include "vnngp/linalg/lanes.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::linalg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
#include "linalg/few_registers-inl.hpp"
template <class T>
using TagOf = hn::CappedTag<T, kLanesOf<T>>;
template <class T>
using LaneOf = hn::Vec<TagOf<T>>;

/// Registers that a value of all lanes takes.
template <class T>
constexpr int kRegisters = kLanesOf<T> / static_cast<int>(hn::MaxLanes(TagOf<T>()));
constexpr int kColumns = kFewRegisters ? 2 : 4;  ///< of a tile, whose sums stay in registers at a time
/// From this order on lanes that are factored at a time are first moved together: the rows of a tile would otherwise bring as much of the
/// other lanes into the first-level cache, and no longer fit.
constexpr int kMovedTogether = 96;

// tile[i][j] -= sum_{k < count} a_i[k] b_j[k] for the rows a_i of one tile and b_j of another: the O(n^3) part of the factorisation.
template <class T, int kStride>
HWY_INLINE void subtract_row_products(const T* const a[kTile], const T* const b[kTile], int count, LaneOf<T> tile[kTile][kTile]) {
    const TagOf<T> d;
#pragma GCC unroll 2
    for (int first = 0; first < kTile; first += kColumns)
        for (int k = 0; k < count; ++k) {
            const std::size_t at = static_cast<std::size_t>(k) * kStride;
            LaneOf<T> right[kColumns];
#pragma GCC unroll 4
            for (int j = 0; j < kColumns; ++j) right[j] = hn::Load(d, b[first + j] + at);
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i) {
                const LaneOf<T> left = hn::Load(d, a[i] + at);
#pragma GCC unroll 4
                for (int j = 0; j < kColumns; ++j) tile[i][first + j] = hn::NegMulAdd(left, right[j], tile[i][first + j]);
            }
        }
}

/// One register of lanes of a factorisation. kStride: from an entry of the matrix to the next.
template <class T, int kStride>
struct Factor {
    T *c, *inverse_diagonal;
    LaneOf<T> smallest_pivot;

    HWY_INLINE void find_rows(int p, T* row[kTile]) const {
        for (int i = 0; i < kTile; ++i) row[i] = c + packed_row(p + i) * kStride;
    }

    // Rows p, columns q < p.
    HWY_INLINE void solve_tile(int p, int q) const {
        const TagOf<T> d;
        T *row[kTile], *left[kTile];
        find_rows(p, row);
        find_rows(q, left);
        LaneOf<T> tile[kTile][kTile];
#pragma GCC unroll 4
        for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < kTile; ++j) tile[i][j] = hn::Load(d, row[i] + (q + j) * kStride);
        subtract_row_products<T, kStride>(row, left, q, tile);
#pragma GCC unroll 4
        for (int j = 0; j < kTile; ++j) {
            const LaneOf<T> inverse = hn::Load(d, inverse_diagonal + (q + j) * kLanesOf<T>);
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i) {
                for (int k = 0; k < j; ++k) tile[i][j] = hn::NegMulAdd(tile[i][k], hn::Load(d, left[j] + (q + k) * kStride), tile[i][j]);
                tile[i][j] = hn::Mul(tile[i][j], inverse);
                hn::Store(tile[i][j], d, row[i] + (q + j) * kStride);
            }
        }
    }

    // Rows and columns p.
    HWY_INLINE void factor_tile(int p) {
        const TagOf<T> d;
        const LaneOf<T> zero = hn::Zero(d), one = hn::Set(d, T(1)), failed = hn::Set(d, T(-1));
        T* row[kTile];
        find_rows(p, row);
        LaneOf<T> tile[kTile][kTile];
#pragma GCC unroll 4
        for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < kTile; ++j) tile[i][j] = j <= i ? hn::Load(d, row[i] + (p + j) * kStride) : zero;
        subtract_row_products<T, kStride>(row, row, p, tile);
#pragma GCC unroll 4
        for (int j = 0; j < kTile; ++j) {
            for (int k = 0; k < j; ++k) tile[j][j] = hn::NegMulAdd(tile[j][k], tile[j][k], tile[j][j]);
            const auto positive = hn::Gt(tile[j][j], zero);  // false for NaN too
            smallest_pivot = hn::Min(smallest_pivot, hn::IfThenElse(positive, tile[j][j], failed));
            const LaneOf<T> root = hn::Sqrt(hn::IfThenElse(positive, tile[j][j], one));
            const LaneOf<T> inverse = hn::Div(one, root);
            hn::Store(root, d, row[j] + (p + j) * kStride);
            hn::Store(inverse, d, inverse_diagonal + (p + j) * kLanesOf<T>);
            for (int i = j + 1; i < kTile; ++i) {
                for (int k = 0; k < j; ++k) tile[i][j] = hn::NegMulAdd(tile[i][k], tile[j][k], tile[i][j]);
                tile[i][j] = hn::Mul(tile[i][j], inverse);
                hn::Store(tile[i][j], d, row[i] + (p + j) * kStride);
            }
        }
    }
};

template <int kStride, class T>
HWY_INLINE void factor_one_register(int n, T* c, T* inverse_diagonal, T* smallest_pivot) {
    const TagOf<T> d;
    Factor<T, kStride> factor{c, inverse_diagonal, hn::Set(d, std::numeric_limits<T>::infinity())};
    for (int p = 0; p < n; p += kTile) {
        for (int q = 0; q < p; q += kTile) factor.solve_tile(p, q);
        factor.factor_tile(p);
    }
    hn::Store(factor.smallest_pivot, d, smallest_pivot);
}

// Entries are kept apart by one stride and come to be apart by another.
template <int kFrom, int kTo, class T>
HWY_INLINE void move_one_register(std::size_t count, const T* from, T* to) {
    const TagOf<T> d;
    for (std::size_t entry = 0; entry < count; ++entry) hn::Store(hn::Load(d, from + entry * kFrom), d, to + entry * kTo);
}

template <class T>
void cholesky(int n, T* c, T* inverse_diagonal, T* smallest_pivot) {
    constexpr int width = kLanesOf<T> / kRegisters<T>;
    thread_local LaneBufferOf<T> together;
    const bool moved = kRegisters<T> > 1 && n >= kMovedTogether;
    const std::size_t count = packed_row(n);
    if (moved) together.resize(count * width);
    for (int lane = 0; lane < kLanesOf<T>; lane += width) {
        T *inverse = inverse_diagonal + lane, *pivot = smallest_pivot + lane;
        if (moved) {
            move_one_register<kLanesOf<T>, width>(count, c + lane, together.data());
            factor_one_register<width>(n, together.data(), inverse, pivot);
            move_one_register<width, kLanesOf<T>>(count, together.data(), c + lane);
        } else {
            factor_one_register<kLanesOf<T>>(n, c + lane, inverse, pivot);
        }
    }
}

// All registers of a value together, which lie in one line of the cache; two partial sums of each: a chain of dependent additions would
// cost more than the products.
template <class T>
void forward_solve(int n, const T* l, const T* inverse_diagonal, T* x) {
    const TagOf<T> d;
    constexpr int registers = kRegisters<T>, width = kLanesOf<T> / registers, sums = registers == 1 ? 4 : 2;
    for (int p = 0; p < n; ++p) {
        const T* row = l + packed_row(p) * kLanesOf<T>;
        LaneOf<T> sum[sums][registers];
        for (int s = 0; s < sums; ++s)
            for (int r = 0; r < registers; ++r) sum[s][r] = s == 0 ? hn::Load(d, x + p * kLanesOf<T> + r * width) : hn::Zero(d);
        const auto subtract = [&](int k, LaneOf<T>* from) HWY_ATTR {
            for (int r = 0; r < registers; ++r) {
                const int at = k * kLanesOf<T> + r * width;
                from[r] = hn::NegMulAdd(hn::Load(d, row + at), hn::Load(d, x + at), from[r]);
            }
        };
        int k = 0;
        for (; k + sums <= p; k += sums)
            for (int s = 0; s < sums; ++s) subtract(k + s, sum[s]);
        for (; k < p; ++k) subtract(k, sum[0]);
        for (int r = 0; r < registers; ++r) {
            LaneOf<T> total = sum[0][r];
            for (int s = 1; s < sums; ++s) total = hn::Add(total, sum[s][r]);
            const int at = p * kLanesOf<T> + r * width;
            hn::Store(hn::Mul(total, hn::Load(d, inverse_diagonal + at)), d, x + at);
        }
    }
}

template <class T>
void backward_solve(int n, const T* l, const T* inverse_diagonal, T* x) {
    const TagOf<T> d;
    constexpr int registers = kRegisters<T>, width = kLanesOf<T> / registers;
    for (int p = n - 1; p >= 0; --p) {
        const T* row = l + packed_row(p) * kLanesOf<T>;
        LaneOf<T> value[registers];
        for (int r = 0; r < registers; ++r) {
            const int at = p * kLanesOf<T> + r * width;
            value[r] = hn::Mul(hn::Load(d, x + at), hn::Load(d, inverse_diagonal + at));
            hn::Store(value[r], d, x + at);
        }
        for (int k = 0; k < p; ++k)
            for (int r = 0; r < registers; ++r) {
                const int at = k * kLanesOf<T> + r * width;
                hn::Store(hn::NegMulAdd(hn::Load(d, row + at), value[r], hn::Load(d, x + at)), d, x + at);
            }
    }
}

/// kCount values of x that are computed from the same entries of L: the sums stay in registers.
template <int kCount>
struct SolvedTogether {
    static constexpr int kParts = kRegisters<double>, kWidth = kLanes / kParts;
    LaneOf<double> sum[kCount][kParts];
    double* x;
    std::size_t next;  ///< from one x to another

    HWY_INLINE void begin(int p) {
        for (int c = 0; c < kCount; ++c)
            for (int r = 0; r < kParts; ++r) sum[c][r] = hn::Load(TagOf<double>(), x + c * next + p * kLanes + r * kWidth);
    }
    HWY_INLINE void subtract(const double* l, int k) {
        const TagOf<double> d;
        for (int r = 0; r < kParts; ++r) {
            const auto factor = hn::Load(d, l + r * kWidth);
            for (int c = 0; c < kCount; ++c)
                sum[c][r] = hn::NegMulAdd(factor, hn::Load(d, x + c * next + k * kLanes + r * kWidth), sum[c][r]);
        }
    }
    HWY_INLINE void end(const double* inverse_diagonal, int p) {
        const TagOf<double> d;
        for (int r = 0; r < kParts; ++r) {
            const auto inverse = hn::Load(d, inverse_diagonal + p * kLanes + r * kWidth);
            for (int c = 0; c < kCount; ++c) hn::Store(hn::Mul(sum[c][r], inverse), d, x + c * next + p * kLanes + r * kWidth);
        }
    }
};

template <int kCount>
HWY_INLINE void forward_together(int n, const double* l, const double* inverse_diagonal, double* x, std::size_t next) {
    SolvedTogether<kCount> solved{{}, x, next};
    for (int p = 0; p < n; ++p) {
        const double* row = l + packed_row(p) * kLanes;
        solved.begin(p);
        for (int k = 0; k < p; ++k) solved.subtract(row + k * kLanes, k);
        solved.end(inverse_diagonal, p);
    }
}

// Down the columns of L, in which each entry is a line of the cache by itself.
template <int kCount>
HWY_INLINE void backward_together(int n, const double* l, const double* inverse_diagonal, double* x, std::size_t next) {
    SolvedTogether<kCount> solved{{}, x, next};
    for (int p = n - 1; p >= 0; --p) {
        solved.begin(p);
        for (int k = p + 1; k < n; ++k) solved.subtract(l + (packed_row(k) + p) * kLanes, k);
        solved.end(inverse_diagonal, p);
    }
}

/// Calls solve<c>(x) for up to four x at a time.
template <class Solve>
HWY_INLINE void several(int count, double* x, std::size_t next, const Solve& solve) {
    for (; count > 0; count -= 4, x += 4 * next) {
        if (count >= 4)
            solve.template operator()<4>(x);
        else if (count == 3)
            solve.template operator()<3>(x);
        else if (count == 2)
            solve.template operator()<2>(x);
        else
            solve.template operator()<1>(x);
    }
}

void ForwardSolves(int n, const double* l, const double* inverse_diagonal, int count, int stride, double* x) {
    const std::size_t next = static_cast<std::size_t>(stride) * kLanes;
    several(count, x, next, [&]<int kCount>(double* first) HWY_ATTR { forward_together<kCount>(n, l, inverse_diagonal, first, next); });
}
void BackwardSolves(int n, const double* l, const double* inverse_diagonal, int count, int stride, double* x) {
    const std::size_t next = static_cast<std::size_t>(stride) * kLanes;
    several(count, x, next, [&]<int kCount>(double* first) HWY_ATTR { backward_together<kCount>(n, l, inverse_diagonal, first, next); });
}

void CholeskyDouble(int n, double* c, double* inverse_diagonal, double* smallest_pivot) {
    cholesky(n, c, inverse_diagonal, smallest_pivot);
}
void CholeskySingle(int n, float* c, float* inverse_diagonal, float* smallest_pivot) { cholesky(n, c, inverse_diagonal, smallest_pivot); }
void ForwardDouble(int n, const double* l, const double* inverse_diagonal, double* x) { forward_solve(n, l, inverse_diagonal, x); }
void ForwardSingle(int n, const float* l, const float* inverse_diagonal, float* x) { forward_solve(n, l, inverse_diagonal, x); }
void BackwardDouble(int n, const double* l, const double* inverse_diagonal, double* x) { backward_solve(n, l, inverse_diagonal, x); }
void BackwardSingle(int n, const float* l, const float* inverse_diagonal, float* x) { backward_solve(n, l, inverse_diagonal, x); }

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::linalg
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::linalg {

HWY_EXPORT(CholeskyDouble);
HWY_EXPORT(CholeskySingle);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(ForwardSingle);
HWY_EXPORT(BackwardDouble);
HWY_EXPORT(BackwardSingle);
HWY_EXPORT(ForwardSolves);
HWY_EXPORT(BackwardSolves);
HWY_EXPORT(TargetName);

void batch_cholesky(int n, double* c, double* inverse_diagonal, double* smallest_pivot) {
    HWY_DYNAMIC_DISPATCH(CholeskyDouble)(n, c, inverse_diagonal, smallest_pivot);
}
void batch_cholesky(int n, float* c, float* inverse_diagonal, float* smallest_pivot) {
    HWY_DYNAMIC_DISPATCH(CholeskySingle)(n, c, inverse_diagonal, smallest_pivot);
}

void batch_forward_solve(int n, const double* l, const double* inverse_diagonal, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(n, l, inverse_diagonal, x);
}
void batch_forward_solve(int n, const float* l, const float* inverse_diagonal, float* x) {
    HWY_DYNAMIC_DISPATCH(ForwardSingle)(n, l, inverse_diagonal, x);
}

void batch_backward_solve(int n, const double* l, const double* inverse_diagonal, double* x) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(n, l, inverse_diagonal, x);
}
void batch_backward_solve(int n, const float* l, const float* inverse_diagonal, float* x) {
    HWY_DYNAMIC_DISPATCH(BackwardSingle)(n, l, inverse_diagonal, x);
}

void batch_forward_solves(int n, const double* l, const double* inverse_diagonal, int count, int stride, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardSolves)(n, l, inverse_diagonal, count, stride, x);
}
void batch_backward_solves(int n, const double* l, const double* inverse_diagonal, int count, int stride, double* x) {
    HWY_DYNAMIC_DISPATCH(BackwardSolves)(n, l, inverse_diagonal, count, stride, x);
}

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace vnngp::linalg
#endif
