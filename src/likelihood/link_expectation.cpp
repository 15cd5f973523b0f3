#include "likelihood/link_expectation.hpp"

#include "likelihood/normal_expectation.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likelihood/link_expectation.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::likelihood {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, kNodesAtOnce>;
using Lanes = hn::Vec<Tag>;

struct LaneDerivatives {
    Lanes value, first, second;
};

/// c[0] + c[1] x + c[2] x^2 + ...
template <int kSize>
HWY_INLINE Lanes polynomial(const double (&c)[kSize], Lanes x) {
    const Tag d;
    Lanes sum = hn::Set(d, c[kSize - 1]);
    for (int k = kSize - 2; k >= 0; --k) sum = hn::MulAdd(sum, x, hn::Set(d, c[k]));
    return sum;
}

// (1 + t) Mills(t), t >= 0, as a polynomial in (t - 5) / (t + 5): its expansion in Chebyshev polynomials, whose first term left out is
// 7e-18. Mills(t) = Phi(-t) / phi(t).
constexpr double kMillsCenter = 5.0;
constexpr double kMills[] = {
    1.1568486282918946,     -0.22948753825211315,   0.07778159886873769,    0.0250721793016388,     -0.0661776007790963,
    0.0615050458401865,     -0.03802659218584139,   0.01634823128102938,    -0.004201290329187307,  1.9530638370790786e-05,
    0.00045704392357953655, -0.0001343742785571135, -2.480583845192319e-05, 2.270961270923768e-05,  -1.7633239265736746e-07,
    -3.277287633208865e-06, 3.2054316652589574e-07, 4.91996233147834e-07,   -6.588974491108954e-08, -7.758520236786343e-08,
    9.092476134019147e-09,  1.1032071151574336e-08, -7.073898575561589e-10, -9.564832934712551e-10,
};

// t (1/Mills(t) - t) as a polynomial in 1/t^2, for t beyond kFar, where the difference would lose digits.
constexpr double kFar = 50.0;
constexpr double kExcess[] = {1.0, -2.0, 10.0, -74.0, 706.0, -8162.0, 110410.0};

struct LogNormalCdf {
    static HWY_INLINE LaneDerivatives at(Lanes x) {
        const Tag d;
        const Lanes one = hn::Set(d, 1.0), t = hn::Abs(x), half_square = hn::Mul(hn::Set(d, -0.5), hn::Mul(t, t));
        const Lanes center = hn::Set(d, kMillsCenter);
        const Lanes mills = hn::Div(polynomial(kMills, hn::Div(hn::Sub(t, center), hn::Add(t, center))), hn::Add(one, t));
        const Lanes log_density = hn::Sub(half_square, hn::Set(d, kHalfLogTwoPi)), density = hn::Exp(d, log_density);
        const Lanes tail = hn::Mul(density, mills);
        const auto is_positive = hn::Gt(x, hn::Zero(d));

        // Left of 0, Phi is the tail and log Phi = log phi + log Mills; right of it 1 - Phi is.
        const Lanes log = hn::Log1p(d, hn::IfThenElse(is_positive, hn::Neg(tail), hn::Sub(mills, one)));
        const Lanes value = hn::IfThenElse(is_positive, log, hn::Add(log_density, log));
        const Lanes ratio = hn::Div(hn::IfThenElse(is_positive, density, one), hn::IfThenElse(is_positive, hn::Sub(one, tail), mills));
        const Lanes inverse = hn::Div(one, hn::Max(t, center));
        const Lanes far_excess = hn::Mul(inverse, polynomial(kExcess, hn::Mul(inverse, inverse)));
        const Lanes excess = hn::IfThenElse(hn::Lt(x, hn::Set(d, -kFar)), far_excess, hn::Add(ratio, x));
        return {value, ratio, hn::Neg(hn::Mul(ratio, excess))};
    }
};

struct LogLogistic {
    static HWY_INLINE LaneDerivatives at(Lanes x) {
        const Tag d;
        const Lanes one = hn::Set(d, 1.0), e = hn::Exp(d, hn::Neg(hn::Abs(x))), inverse = hn::Div(one, hn::Add(one, e));
        const Lanes small = hn::Mul(e, inverse);
        return {hn::Sub(hn::Min(x, hn::Zero(d)), hn::Log1p(d, e)), hn::IfThenElse(hn::Gt(x, hn::Zero(d)), small, inverse),
                hn::Neg(hn::Mul(small, inverse))};
    }
};

template <class Function>
HWY_INLINE ValueAndDerivatives expectation(const linalg::Quadrature& rule, double mean, double sd) {
    const Tag d;
    const Lanes center = hn::Set(d, mean), scale = hn::Set(d, sd);
    LaneDerivatives sum{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (std::size_t k = 0; k < rule.nodes.size(); k += hn::Lanes(d)) {
        const LaneDerivatives at = Function::at(hn::MulAdd(scale, hn::LoadU(d, rule.nodes.data() + k), center));
        const Lanes weight = hn::LoadU(d, rule.weights.data() + k);
        sum.value = hn::MulAdd(weight, at.value, sum.value);
        sum.first = hn::MulAdd(weight, at.first, sum.first);
        sum.second = hn::MulAdd(weight, at.second, sum.second);
    }
    const auto total = [d](Lanes lanes) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, lanes)); };
    return {total(sum.value), total(sum.first), total(sum.second)};
}

ValueAndDerivatives NormalCdf(const linalg::Quadrature& rule, double mean, double sd) { return expectation<LogNormalCdf>(rule, mean, sd); }
ValueAndDerivatives Logistic(const linalg::Quadrature& rule, double mean, double sd) { return expectation<LogLogistic>(rule, mean, sd); }

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::likelihood
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::likelihood {

HWY_EXPORT(NormalCdf);
HWY_EXPORT(Logistic);

ValueAndDerivatives expected_log_normal_cdf(const linalg::Quadrature& rule, double mean, double sd) {
    return HWY_DYNAMIC_DISPATCH(NormalCdf)(rule, mean, sd);
}

ValueAndDerivatives expected_log_logistic(const linalg::Quadrature& rule, double mean, double sd) {
    return HWY_DYNAMIC_DISPATCH(Logistic)(rule, mean, sd);
}

}  // namespace vnngp::likelihood
#endif
