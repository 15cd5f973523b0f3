#include "conditional/adjoint_lanes.hpp"

#include "vnngp/linalg/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conditional/adjoint_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::conditional {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using linalg::kLanesOf;
using linalg::packed_row;

template <class T>
void pair_weights_of(int n, const T* b, const T* w, const T* g_f, T* weight) {
    const hn::CappedTag<T, kLanesOf<T>> d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanesOf<T>; lane += width) {
        const auto twice_g = hn::Mul(hn::Set(d, T(2)), hn::Load(d, g_f + lane));
        for (int p = 1; p < n; ++p) {
            const auto b_p = hn::Load(d, b + p * kLanesOf<T> + lane);
            // weight = (2 g_f b_p - w_p) b_q - b_p w_q
            const auto on_b = hn::MulSub(twice_g, b_p, hn::Load(d, w + p * kLanesOf<T> + lane));
            T* row = weight + packed_row(p) * kLanesOf<T> + lane;
            for (int q = 0; q < p; ++q) {
                const auto b_q = hn::Load(d, b + q * kLanesOf<T> + lane), w_q = hn::Load(d, w + q * kLanesOf<T> + lane);
                hn::Store(hn::NegMulAdd(b_p, w_q, hn::Mul(on_b, b_q)), d, row + q * kLanesOf<T>);
            }
        }
        T* target = weight + packed_row(n) * kLanesOf<T> + lane;
        for (int q = 0; q < n; ++q) {
            const auto b_q = hn::Load(d, b + q * kLanesOf<T> + lane), w_q = hn::Load(d, w + q * kLanesOf<T> + lane);
            hn::Store(hn::NegMulAdd(twice_g, b_q, w_q), d, target + q * kLanesOf<T>);
        }
    }
}

// kRows at a time, whose entries p stay in registers.
template <int kRows>
HWY_INLINE void symmetric_pair_weights_of(int n, const double* a, const double* b, bool is_first, double* weight) {
    const hn::CappedTag<double, linalg::kLanes> d;
    const int width = static_cast<int>(hn::Lanes(d));
    const std::size_t next = static_cast<std::size_t>(n) * linalg::kLanes;
    for (int p = 1; p < n; ++p)
        for (int lane = 0; lane < linalg::kLanes; lane += width) {
            hn::Vec<decltype(d)> a_p[kRows], b_p[kRows];
            for (int r = 0; r < kRows; ++r) {
                a_p[r] = hn::Load(d, a + r * next + p * linalg::kLanes + lane);
                b_p[r] = hn::Load(d, b + r * next + p * linalg::kLanes + lane);
            }
            double* row = weight + packed_row(p) * linalg::kLanes + lane;
            for (int q = 0; q < p; ++q) {
                const std::size_t at = static_cast<std::size_t>(q) * linalg::kLanes;
                auto sum = is_first ? hn::Zero(d) : hn::Load(d, row + at);
                for (int r = 0; r < kRows; ++r) {
                    sum = hn::MulAdd(a_p[r], hn::Load(d, b + r * next + at + lane), sum);
                    sum = hn::MulAdd(b_p[r], hn::Load(d, a + r * next + at + lane), sum);
                }
                hn::Store(sum, d, row + at);
            }
        }
}

void SymmetricPairWeights(int n, int rows, const double* a, const double* b, double* weight) {
    const std::size_t next = static_cast<std::size_t>(n) * linalg::kLanes;
    for (int first = 0; first < rows;) {
        const int left = rows - first;
        const auto take = [&]<int kRows>() HWY_ATTR {
            symmetric_pair_weights_of<kRows>(n, a + first * next, b + first * next, first == 0, weight);
            first += kRows;
        };
        if (left >= 3)
            take.template operator()<3>();
        else if (left == 2)
            take.template operator()<2>();
        else
            take.template operator()<1>();
    }
}

void PairWeightsDouble(int n, const double* b, const double* w, const double* g_f, double* weight) {
    pair_weights_of(n, b, w, g_f, weight);
}
void PairWeightsSingle(int n, const float* b, const float* w, const float* g_f, float* weight) { pair_weights_of(n, b, w, g_f, weight); }

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::conditional
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::conditional {

HWY_EXPORT(PairWeightsDouble);
HWY_EXPORT(PairWeightsSingle);
HWY_EXPORT(SymmetricPairWeights);

void pair_weights(int n, const double* b, const double* w, const double* g_f, double* weight) {
    HWY_DYNAMIC_DISPATCH(PairWeightsDouble)(n, b, w, g_f, weight);
}
void pair_weights(int n, const float* b, const float* w, const float* g_f, float* weight) {
    HWY_DYNAMIC_DISPATCH(PairWeightsSingle)(n, b, w, g_f, weight);
}
void symmetric_pair_weights(int n, int rows, const double* a, const double* b, double* weight) {
    HWY_DYNAMIC_DISPATCH(SymmetricPairWeights)(n, rows, a, b, weight);
}

}  // namespace vnngp::conditional
#endif
