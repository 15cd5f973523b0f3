#include "likelihood/frullani_rule.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likelihood/frullani_rule.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::likelihood {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

LogOnePlusSquare Expectation(const FrullaniNodes& nodes, int count, double squared_mean, double variance) {
    const hn::CappedTag<double, FrullaniNodes::kAtOnce> d;
    const double c = 1.0 + squared_mean + variance;
    const auto one = hn::Set(d, 1.0), scale = hn::Set(d, 1.0 / c), twice_variance = hn::Set(d, 2.0 * variance);
    const auto minus_squared_mean = hn::Set(d, -squared_mean);
    auto value = hn::Zero(d), inverse = hn::Zero(d), slope = hn::Zero(d), bend = hn::Zero(d);
    for (int k = 0; k < count; k += static_cast<int>(hn::Lanes(d))) {
        const auto lambda = hn::Mul(scale, hn::Load(d, nodes.mu.data() + k)), weight = hn::Load(d, nodes.weight.data() + k);
        const auto q = hn::Div(one, hn::MulAdd(twice_variance, lambda, one));
        const auto exponent = hn::Mul(lambda, hn::MulSub(minus_squared_mean, q, one));  // -lambda (1 + D q)
        const auto g = hn::Mul(hn::Sqrt(q), hn::Exp(d, exponent));
        value = hn::MulAdd(weight, hn::Sub(hn::Load(d, nodes.exp_minus_mu.data() + k), g), value);
        const auto first = hn::Mul(hn::Mul(weight, lambda), g), second = hn::Mul(first, q);
        inverse = hn::Add(inverse, first);
        slope = hn::Add(slope, second);
        bend = hn::MulAdd(hn::Mul(lambda, q), second, bend);
    }
    const auto sum = [d](auto lanes) { return hn::GetLane(hn::SumOfLanes(d, lanes)); };
    const double d_squared_mean = sum(slope);
    return {std::log(c) + sum(value), d_squared_mean, d_squared_mean - 2.0 * squared_mean * sum(bend), sum(inverse)};
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::likelihood
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::likelihood {

HWY_EXPORT(Expectation);

FrullaniNodes::FrullaniNodes() {
    for (int k = 0; k < kMost; ++k) {
        mu[k] = std::exp(kFirst + k * kStep);
        exp_minus_mu[k] = std::exp(-mu[k]);
        weight[k] = kStep;
    }
    // Integrands fall at least as fast as mu to the left of the grid: the first weight sums that geometric tail.
    weight[0] = -kStep / std::expm1(-kStep);
}

LogOnePlusSquare expected_log_one_plus_square(const FrullaniNodes& nodes, double squared_mean, double variance) {
    using Nodes = FrullaniNodes;
    // Everything is below e^-40 once mu / c > 40.
    const double wanted = (std::log(40.0 * (1.0 + squared_mean + variance)) - Nodes::kFirst) / Nodes::kStep + 1.0;
    const int count = wanted < Nodes::kMost ? (static_cast<int>(wanted) / Nodes::kAtOnce + 1) * Nodes::kAtOnce : Nodes::kMost;
    return HWY_DYNAMIC_DISPATCH(Expectation)(nodes, count, squared_mean, variance);
}

}  // namespace vnngp::likelihood
#endif
