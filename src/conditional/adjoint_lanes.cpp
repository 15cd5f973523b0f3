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
using linalg::kLanes;
using linalg::packed_row;

void PairWeights(int n, const double* b, const double* w, const double* g_f, double* weight) {
    const hn::CappedTag<double, kLanes> d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanes; lane += width) {
        const auto twice_g = hn::Mul(hn::Set(d, 2.0), hn::Load(d, g_f + lane));
        for (int p = 1; p < n; ++p) {
            const auto b_p = hn::Load(d, b + p * kLanes + lane);
            // weight = (2 g_f b_p - w_p) b_q - b_p w_q
            const auto on_b = hn::MulSub(twice_g, b_p, hn::Load(d, w + p * kLanes + lane));
            double* row = weight + packed_row(p) * kLanes + lane;
            for (int q = 0; q < p; ++q) {
                const auto b_q = hn::Load(d, b + q * kLanes + lane), w_q = hn::Load(d, w + q * kLanes + lane);
                hn::Store(hn::NegMulAdd(b_p, w_q, hn::Mul(on_b, b_q)), d, row + q * kLanes);
            }
        }
        double* target = weight + packed_row(n) * kLanes + lane;
        for (int q = 0; q < n; ++q) {
            const auto b_q = hn::Load(d, b + q * kLanes + lane), w_q = hn::Load(d, w + q * kLanes + lane);
            hn::Store(hn::NegMulAdd(twice_g, b_q, w_q), d, target + q * kLanes);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::conditional
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::conditional {

HWY_EXPORT(PairWeights);

void pair_weights(int n, const double* b, const double* w, const double* g_f, double* weight) {
    HWY_DYNAMIC_DISPATCH(PairWeights)(n, b, w, g_f, weight);
}

}  // namespace vnngp::conditional
#endif
