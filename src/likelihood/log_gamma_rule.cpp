#include "likelihood/log_gamma_rule.hpp"

#include <algorithm>
#include <cmath>

#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {
namespace {

constexpr double kNegligible = 38.0;

}  // namespace

double log_gamma_step(double shape) { return std::min(0.3, 0.6 / std::sqrt(shape)); }

// With c = 38 / shape the reach T solves e^-T - 1 + T = c below and e^T - 1 - T = c above; these are upper bounds of T.
double log_gamma_reach_below(double shape) {
    const double c = kNegligible / shape;
    return c + std::min(1.0, std::sqrt(2.0 * c));
}

double log_gamma_reach_above(double shape) {
    const double c = kNegligible / shape;
    return std::log1p(c + std::sqrt(2.0 * c));
}

double log_gamma_constant(double shape) { return 0.5 * std::log(shape) - kHalfLogTwoPi - stirling_correction(shape); }

LogGammaRule log_gamma_rule(double shape) {
    const double step = log_gamma_step(shape);
    LogGammaRule rule;
    double total = 0.0;
    const int last = int(std::ceil(log_gamma_reach_above(shape) / step));
    for (int k = -int(std::ceil(log_gamma_reach_below(shape) / step)); k <= last; ++k) {
        const double t = k * step;
        rule.log_x.push_back(t);
        rule.weights.push_back(std::exp(shape * (t - std::expm1(t))));
        total += rule.weights.back();
    }
    for (double& weight : rule.weights) weight /= total;
    return rule;
}

}  // namespace vnngp::likelihood
