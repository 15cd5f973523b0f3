// Expectations under a normal law of functions of one variable that are smooth but not polynomial.
#pragma once

#include <algorithm>
#include <cmath>

#include "likelihood/special_functions.hpp"
#include "vnngp/linalg/gauss_hermite.hpp"

namespace vnngp::likelihood {

inline constexpr int kNodesAtOnce = 8;  ///< a multiple of every register's lanes

/// A rule for E g(mean + sd Z) when g, as a complex function, is analytic within `singularity` of the real line: what decides the number of
/// nodes is sd / singularity. Up to 0.35 that is Gauss-Hermite with 20 nodes; above, where Gauss-Hermite needs a number of nodes growing as
/// the ratio squared, trapezoids growing as the ratio. The error is about 1e-10 of the size of g up to a ratio of 16, where the finest rule
/// is reached. The rules are built once, on first use, with a multiple of kNodesAtOnce nodes: the last few may weigh nothing.
const linalg::Quadrature& normal_rule(double sd, double singularity);

/// log E exp(g(X)), X ~ N(mean, variance), for concave g given as g(x) -> ValueAndDerivatives, with relative accuracy about 1e-12 of the
/// expectation however small it is: trapezoids about the mode of the integrand. exp(g) has to be analytic at least pi/2 off the real line.
template <class LogConcave>
double log_normal_expectation(const LogConcave& g, double mean, double variance) {
    ValueAndDerivatives at = g(mean);
    if (std::sqrt(variance) <= 1e-9 * (1.0 + std::abs(mean))) return at.value;

    // The mode solves x = mean + variance g'(x). As g' decreases it lies between mean and mean + variance g'(mean).
    const double precision = 1.0 / variance;
    const double first_step = variance * at.first;
    double low = mean + std::min(first_step, 0.0), high = mean + std::max(first_step, 0.0);
    double mode = mean, step = high - low, previous_step = step;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const double slope = at.first - (mode - mean) * precision, curvature = precision - at.second;
        if (std::abs(slope) <= 1e-3 * std::sqrt(curvature)) break;
        (slope > 0.0 ? low : high) = mode;
        double next = mode + slope / curvature;
        // Bisect when Newton leaves the bracket or no longer halves its step.
        if (!(next > low && next < high && std::abs(next - mode) < 0.5 * previous_step)) next = low + 0.5 * (high - low);
        previous_step = step;
        step = std::abs(next - mode);
        mode = next;
        at = g(mode);
    }

    const auto exponent = [&](double x) { return g(x).value - 0.5 * (x - mean) * (x - mean) * precision; };
    constexpr double kNegligible = -42.0;
    const double width = 1.0 / std::sqrt(precision - at.second);
    // The lower limit bounds the work where the variance is absurd.
    const double h = std::max(std::min(0.3, 0.6 * width), std::sqrt(variance) / 200.0);
    const double top = exponent(mode);
    double sum = 1.0;
    for (const double direction : {-h, h}) {
        for (int k = 1;; ++k) {
            const double below = exponent(mode + k * direction) - top;
            if (!(below > kNegligible)) break;
            sum += std::exp(below);
        }
    }
    return top + std::log(h * sum) - kHalfLogTwoPi - 0.5 * std::log(variance);
}

}  // namespace vnngp::likelihood
