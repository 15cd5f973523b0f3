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
using Tag = hn::CappedTag<double, kLanes>;
using Lane = hn::Vec<Tag>;

// tile[i][j] -= sum_{k < count} a_i[k] b_j[k] for the rows a_i of one tile and b_j of another: the O(n^3) part of the factorisation.
// Sixteen accumulators stay in registers, so each value loaded is used four times.
HWY_INLINE void subtract_row_products(const double* const a[kTile], const double* const b[kTile], int count, Lane tile[kTile][kTile]) {
    const Tag d;
    for (int k = 0; k < count; ++k) {
        const std::size_t at = static_cast<std::size_t>(k) * kLanes;
        const Lane b0 = hn::Load(d, b[0] + at), b1 = hn::Load(d, b[1] + at), b2 = hn::Load(d, b[2] + at), b3 = hn::Load(d, b[3] + at);
#pragma GCC unroll 4
        for (int i = 0; i < kTile; ++i) {
            const Lane ai = hn::Load(d, a[i] + at);
            tile[i][0] = hn::NegMulAdd(ai, b0, tile[i][0]);
            tile[i][1] = hn::NegMulAdd(ai, b1, tile[i][1]);
            tile[i][2] = hn::NegMulAdd(ai, b2, tile[i][2]);
            tile[i][3] = hn::NegMulAdd(ai, b3, tile[i][3]);
        }
    }
}

HWY_INLINE void factor_one_register(int n, double* c, double* inverse_diagonal, double* smallest_pivot) {
    const Tag d;
    const Lane zero = hn::Zero(d), one = hn::Set(d, 1.0), failed = hn::Set(d, -1.0);
    Lane smallest = hn::Set(d, std::numeric_limits<double>::infinity());
    for (int p = 0; p < n; p += kTile) {
        double* row[kTile];
        for (int i = 0; i < kTile; ++i) row[i] = c + packed_row(p + i) * kLanes;
        Lane tile[kTile][kTile];
        for (int q = 0; q < p; q += kTile) {
            const double* left[kTile];
            for (int j = 0; j < kTile; ++j) left[j] = c + packed_row(q + j) * kLanes;
#pragma GCC unroll 4
            for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
                for (int j = 0; j < kTile; ++j) tile[i][j] = hn::Load(d, row[i] + (q + j) * kLanes);
            subtract_row_products(row, left, q, tile);
#pragma GCC unroll 4
            for (int j = 0; j < kTile; ++j) {
                const Lane inverse = hn::Load(d, inverse_diagonal + (q + j) * kLanes);
#pragma GCC unroll 4
                for (int i = 0; i < kTile; ++i) {
                    for (int k = 0; k < j; ++k) tile[i][j] = hn::NegMulAdd(tile[i][k], hn::Load(d, left[j] + (q + k) * kLanes), tile[i][j]);
                    tile[i][j] = hn::Mul(tile[i][j], inverse);
                    hn::Store(tile[i][j], d, row[i] + (q + j) * kLanes);
                }
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < kTile; ++i)
#pragma GCC unroll 4
            for (int j = 0; j < kTile; ++j) tile[i][j] = j <= i ? hn::Load(d, row[i] + (p + j) * kLanes) : zero;
        subtract_row_products(row, row, p, tile);
#pragma GCC unroll 4
        for (int j = 0; j < kTile; ++j) {
            for (int k = 0; k < j; ++k) tile[j][j] = hn::NegMulAdd(tile[j][k], tile[j][k], tile[j][j]);
            const auto positive = hn::Gt(tile[j][j], zero);  // false for NaN too
            smallest = hn::Min(smallest, hn::IfThenElse(positive, tile[j][j], failed));
            const Lane pivot = hn::IfThenElse(positive, tile[j][j], one);
            const Lane root = hn::Sqrt(pivot);
            const Lane inverse = hn::Div(one, root);
            hn::Store(root, d, row[j] + (p + j) * kLanes);
            hn::Store(inverse, d, inverse_diagonal + (p + j) * kLanes);
            for (int i = j + 1; i < kTile; ++i) {
                for (int k = 0; k < j; ++k) tile[i][j] = hn::NegMulAdd(tile[i][k], tile[j][k], tile[i][j]);
                tile[i][j] = hn::Mul(tile[i][j], inverse);
                hn::Store(tile[i][j], d, row[i] + (p + j) * kLanes);
            }
        }
    }
    hn::Store(smallest, d, smallest_pivot);
}

void Cholesky(int n, double* c, double* inverse_diagonal, double* smallest_pivot) {
    const int width = static_cast<int>(hn::Lanes(Tag()));
    for (int lane = 0; lane < kLanes; lane += width) factor_one_register(n, c + lane, inverse_diagonal + lane, smallest_pivot + lane);
}

void ForwardSolve(int n, const double* l, const double* inverse_diagonal, double* x) {
    const Tag d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanes; lane += width) {
        for (int p = 0; p < n; ++p) {
            const double* row = l + packed_row(p) * kLanes + lane;
            const double* solved = x + lane;
            // Four partial sums: the chain of dependent additions would otherwise cost more than the products.
            Lane sum0 = hn::Load(d, x + p * kLanes + lane), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
            int k = 0;
            for (; k + 4 <= p; k += 4) {
                sum0 = hn::NegMulAdd(hn::Load(d, row + k * kLanes), hn::Load(d, solved + k * kLanes), sum0);
                sum1 = hn::NegMulAdd(hn::Load(d, row + (k + 1) * kLanes), hn::Load(d, solved + (k + 1) * kLanes), sum1);
                sum2 = hn::NegMulAdd(hn::Load(d, row + (k + 2) * kLanes), hn::Load(d, solved + (k + 2) * kLanes), sum2);
                sum3 = hn::NegMulAdd(hn::Load(d, row + (k + 3) * kLanes), hn::Load(d, solved + (k + 3) * kLanes), sum3);
            }
            for (; k < p; ++k) sum0 = hn::NegMulAdd(hn::Load(d, row + k * kLanes), hn::Load(d, solved + k * kLanes), sum0);
            const Lane sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
            hn::Store(hn::Mul(sum, hn::Load(d, inverse_diagonal + p * kLanes + lane)), d, x + p * kLanes + lane);
        }
    }
}

void BackwardSolve(int n, const double* l, const double* inverse_diagonal, double* x) {
    const Tag d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanes; lane += width) {
        for (int p = n - 1; p >= 0; --p) {
            const double* row = l + packed_row(p) * kLanes + lane;
            const Lane value = hn::Mul(hn::Load(d, x + p * kLanes + lane), hn::Load(d, inverse_diagonal + p * kLanes + lane));
            hn::Store(value, d, x + p * kLanes + lane);
            for (int k = 0; k < p; ++k) {
                double* at = x + k * kLanes + lane;
                hn::Store(hn::NegMulAdd(hn::Load(d, row + k * kLanes), value, hn::Load(d, at)), d, at);
            }
        }
    }
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::linalg
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::linalg {

HWY_EXPORT(Cholesky);
HWY_EXPORT(ForwardSolve);
HWY_EXPORT(BackwardSolve);
HWY_EXPORT(TargetName);

void batch_cholesky(int n, double* c, double* inverse_diagonal, double* smallest_pivot) {
    HWY_DYNAMIC_DISPATCH(Cholesky)(n, c, inverse_diagonal, smallest_pivot);
}

void batch_forward_solve(int n, const double* l, const double* inverse_diagonal, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardSolve)(n, l, inverse_diagonal, x);
}

void batch_backward_solve(int n, const double* l, const double* inverse_diagonal, double* x) {
    HWY_DYNAMIC_DISPATCH(BackwardSolve)(n, l, inverse_diagonal, x);
}

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace vnngp::linalg
#endif
