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
template <class T>
using TagOf = hn::CappedTag<T, kLanesOf<T>>;
template <class T>
using LaneOf = hn::Vec<TagOf<T>>;

// tile[i][j] -= sum_{k < count} a_i[k] b_j[k] for the rows a_i of one tile and b_j of another: the O(n^3) part of the factorisation.
// Sixteen accumulators stay in registers, so each value loaded is used four times.
template <class T>
HWY_INLINE void subtract_row_products(const T* const a[kTile], const T* const b[kTile], int count, LaneOf<T> tile[kTile][kTile]) {
    const TagOf<T> d;
    for (int k = 0; k < count; ++k) {
        const std::size_t at = static_cast<std::size_t>(k) * kLanesOf<T>;
        const LaneOf<T> b0 = hn::Load(d, b[0] + at), b1 = hn::Load(d, b[1] + at), b2 = hn::Load(d, b[2] + at), b3 = hn::Load(d, b[3] + at);
#pragma GCC unroll 4
        for (int i = 0; i < kTile; ++i) {
            const LaneOf<T> ai = hn::Load(d, a[i] + at);
            tile[i][0] = hn::NegMulAdd(ai, b0, tile[i][0]);
            tile[i][1] = hn::NegMulAdd(ai, b1, tile[i][1]);
            tile[i][2] = hn::NegMulAdd(ai, b2, tile[i][2]);
            tile[i][3] = hn::NegMulAdd(ai, b3, tile[i][3]);
        }
    }
}

template <class T>
HWY_INLINE void factor_one_register(int n, T* c, T* inverse_diagonal, T* smallest_pivot) {
    const TagOf<T> d;
    const LaneOf<T> zero = hn::Zero(d), one = hn::Set(d, T(1)), failed = hn::Set(d, T(-1));
    LaneOf<T> smallest = hn::Set(d, std::numeric_limits<T>::infinity());
    for (int p = 0; p < n; p += kTile) {
        T* row[kTile];
        for (int i = 0; i < kTile; ++i) row[i] = c + packed_row(p + i) * kLanesOf<T>;
        LaneOf<T> tile[kTile][kTile];
        for (int q = 0; q < p; q += kTile) {
            const T* left[kTile];
            for (int j = 0; j < kTile; ++j) left[j] = c + packed_row(q + j) * kLanesOf<T>;
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
                for (int j = 0; j < kTile; ++j) tile[i][j] = hn::Load(d, row[i] + (q + j) * kLanesOf<T>);
            subtract_row_products(row, left, q, tile);
#pragma GCC unroll 4
            for (int j = 0; j < kTile; ++j) {
                const LaneOf<T> inverse = hn::Load(d, inverse_diagonal + (q + j) * kLanesOf<T>);
#pragma GCC unroll 4
                for (int i = 0; i < kTile; ++i) {
                    for (int k = 0; k < j; ++k)
                        tile[i][j] = hn::NegMulAdd(tile[i][k], hn::Load(d, left[j] + (q + k) * kLanesOf<T>), tile[i][j]);
                    tile[i][j] = hn::Mul(tile[i][j], inverse);
                    hn::Store(tile[i][j], d, row[i] + (q + j) * kLanesOf<T>);
                }
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < kTile; ++j) tile[i][j] = j <= i ? hn::Load(d, row[i] + (p + j) * kLanesOf<T>) : zero;
        subtract_row_products(row, row, p, tile);
#pragma GCC unroll 4
        for (int j = 0; j < kTile; ++j) {
            for (int k = 0; k < j; ++k) tile[j][j] = hn::NegMulAdd(tile[j][k], tile[j][k], tile[j][j]);
            const auto positive = hn::Gt(tile[j][j], zero);  // false for NaN too
            smallest = hn::Min(smallest, hn::IfThenElse(positive, tile[j][j], failed));
            const LaneOf<T> pivot = hn::IfThenElse(positive, tile[j][j], one);
            const LaneOf<T> root = hn::Sqrt(pivot);
            const LaneOf<T> inverse = hn::Div(one, root);
            hn::Store(root, d, row[j] + (p + j) * kLanesOf<T>);
            hn::Store(inverse, d, inverse_diagonal + (p + j) * kLanesOf<T>);
            for (int i = j + 1; i < kTile; ++i) {
                for (int k = 0; k < j; ++k) tile[i][j] = hn::NegMulAdd(tile[i][k], tile[j][k], tile[i][j]);
                tile[i][j] = hn::Mul(tile[i][j], inverse);
                hn::Store(tile[i][j], d, row[i] + (p + j) * kLanesOf<T>);
            }
        }
    }
    hn::Store(smallest, d, smallest_pivot);
}

template <class T>
void cholesky(int n, T* c, T* inverse_diagonal, T* smallest_pivot) {
    const int width = static_cast<int>(hn::Lanes(TagOf<T>()));
    for (int lane = 0; lane < kLanesOf<T>; lane += width) factor_one_register(n, c + lane, inverse_diagonal + lane, smallest_pivot + lane);
}

template <class T>
void forward_solve(int n, const T* l, const T* inverse_diagonal, T* x) {
    const TagOf<T> d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanesOf<T>; lane += width) {
        for (int p = 0; p < n; ++p) {
            const T* row = l + packed_row(p) * kLanesOf<T> + lane;
            const T* solved = x + lane;
            // Four partial sums: the chain of dependent additions would otherwise cost more than the products.
            LaneOf<T> sum0 = hn::Load(d, x + p * kLanesOf<T> + lane), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
            int k = 0;
            for (; k + 4 <= p; k += 4) {
                sum0 = hn::NegMulAdd(hn::Load(d, row + k * kLanesOf<T>), hn::Load(d, solved + k * kLanesOf<T>), sum0);
                sum1 = hn::NegMulAdd(hn::Load(d, row + (k + 1) * kLanesOf<T>), hn::Load(d, solved + (k + 1) * kLanesOf<T>), sum1);
                sum2 = hn::NegMulAdd(hn::Load(d, row + (k + 2) * kLanesOf<T>), hn::Load(d, solved + (k + 2) * kLanesOf<T>), sum2);
                sum3 = hn::NegMulAdd(hn::Load(d, row + (k + 3) * kLanesOf<T>), hn::Load(d, solved + (k + 3) * kLanesOf<T>), sum3);
            }
            for (; k < p; ++k) sum0 = hn::NegMulAdd(hn::Load(d, row + k * kLanesOf<T>), hn::Load(d, solved + k * kLanesOf<T>), sum0);
            const LaneOf<T> sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
            hn::Store(hn::Mul(sum, hn::Load(d, inverse_diagonal + p * kLanesOf<T> + lane)), d, x + p * kLanesOf<T> + lane);
        }
    }
}

template <class T>
void backward_solve(int n, const T* l, const T* inverse_diagonal, T* x) {
    const TagOf<T> d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanesOf<T>; lane += width) {
        for (int p = n - 1; p >= 0; --p) {
            const T* row = l + packed_row(p) * kLanesOf<T> + lane;
            const LaneOf<T> value =
                hn::Mul(hn::Load(d, x + p * kLanesOf<T> + lane), hn::Load(d, inverse_diagonal + p * kLanesOf<T> + lane));
            hn::Store(value, d, x + p * kLanesOf<T> + lane);
            for (int k = 0; k < p; ++k) {
                T* at = x + k * kLanesOf<T> + lane;
                hn::Store(hn::NegMulAdd(hn::Load(d, row + k * kLanesOf<T>), value, hn::Load(d, at)), d, at);
            }
        }
    }
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

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace vnngp::linalg
#endif
