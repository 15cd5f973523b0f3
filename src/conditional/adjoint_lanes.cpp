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

void pair_weights(int n, const double* b, const double* w, const double* g_f, double* weight) {
    HWY_DYNAMIC_DISPATCH(PairWeightsDouble)(n, b, w, g_f, weight);
}
void pair_weights(int n, const float* b, const float* w, const float* g_f, float* weight) {
    HWY_DYNAMIC_DISPATCH(PairWeightsSingle)(n, b, w, g_f, weight);
}

}  // namespace vnngp::conditional
#endif
