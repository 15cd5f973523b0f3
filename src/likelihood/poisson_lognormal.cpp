#include "likelihood/poisson_lognormal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "likelihood/log_gamma_rule.hpp"
#include "likelihood/normal_expectation.hpp"
#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {
namespace {

/// Largest log count that quantiles reach; the exponential of it and its square are finite.
constexpr double kMaxLogCount = 300.0;

/// Gauss-Legendre nodes and weights on [-1, 1], by Newton from Chebyshev-like guesses.
struct GaussLegendre {
    static constexpr int kNodes = 64;
    double nodes[kNodes], weights[kNodes];

    GaussLegendre() {
        for (int k = 0; k < kNodes; ++k) {
            double x = std::cos(std::numbers::pi * (k + 0.75) / (kNodes + 0.5)), derivative = 1.0;
            for (int step = 0; step < 8; ++step) {
                double previous = 1.0, current = x;
                for (int degree = 2; degree <= kNodes; ++degree) {
                    const double next = ((2 * degree - 1) * x * current - (degree - 1) * previous) / degree;
                    previous = current;
                    current = next;
                }
                derivative = kNodes * (x * current - previous) / (x * x - 1.0);
                x -= current / derivative;
            }
            nodes[k] = x;
            weights[k] = 2.0 / ((1.0 - x * x) * derivative * derivative);
        }
    }
};

/// sum_{k = begin}^{end - 1} g(k) for g smooth on the scale of k. Beyond a number of terms the sum becomes the integral of g over
/// [k - 1/2, k + 1/2] (Euler-Maclaurin to second order), taken over log(k).
template <class Smooth>
double integer_sum(const Smooth& g, double begin, double end) {
    constexpr double kExactTerms = 128.0, kLeadingTerms = 32.0;
    const double stop = end - begin <= kExactTerms ? end : begin + kLeadingTerms;
    double sum = 0.0;
    for (double k = begin; k < stop; k += 1.0) sum += g(k);
    if (stop >= end) return sum;

    static const GaussLegendre rule;
    const double low = std::log(stop - 0.5), high = std::log(end - 0.5), half = 0.5 * (high - low);
    double integral = 0.0;
    for (int k = 0; k < GaussLegendre::kNodes; ++k) {
        const double at = std::exp(low + half * (1.0 + rule.nodes[k]));
        integral += half * rule.weights[k] * at * g(at);
    }
    return sum + integral - (g(end) - g(end - 1.0) - g(stop) + g(stop - 1.0)) / 24.0;
}

}  // namespace

ValueAndDerivatives bounded_exp(double x) {
    constexpr double kMax = 60.0;
    const double slope = std::exp(std::min(x, kMax));
    return x <= kMax ? ValueAndDerivatives{slope, slope, slope} : ValueAndDerivatives{slope * (1.0 + (x - kMax)), slope, 0.0};
}

double PoissonLogNormal::log_probability(double count) const {
    const double log_factorial = log_gamma(count + 1.0);
    const auto log_poisson = [&](double f) {
        const ValueAndDerivatives rate = bounded_exp(f);
        return ValueAndDerivatives{count * f - rate.value - log_factorial, count - rate.first, -rate.second};
    };
    return log_normal_expectation(log_poisson, mean_, variance_);
}

double PoissonLogNormal::cdf(double k) const {
    if (k <= -1.0) return 0.0;
    const double shape = k + 1.0, sd = std::sqrt(variance_);
    if (variance_ * shape < 1.0) {
        // f is narrower than the Poisson law is in f: average the Poisson distribution function.
        static const linalg::Quadrature rule = linalg::gauss_hermite(40);
        double sum = 0.0;
        for (std::size_t j = 0; j < rule.nodes.size(); ++j) sum += rule.weights[j] * poisson_cdf(k, std::exp(mean_ + sd * rule.nodes[j]));
        return sum;
    }
    // Y <= k exactly when the (k+1)-th arrival of a unit Poisson process, a Gamma(k+1) variable, comes after e^f. Average the normal
    // distribution function of f over it.
    const double step = log_gamma_step(shape), shift = (std::log(shape) - mean_) / sd;
    const int last = int(std::ceil(log_gamma_reach_above(shape) / step));
    double sum = 0.0, total = 0.0;
    for (int j = -int(std::ceil(log_gamma_reach_below(shape) / step)); j <= last; ++j) {
        const double t = j * step, weight = std::exp(shape * (t - std::expm1(t)));
        total += weight;
        sum += weight * normal_cdf(t / sd + shift);
    }
    return sum / total;
}

double PoissonLogNormal::quantile(double p) const {
    // Treating log(Y) as normal gives the place and the scale to start from.
    const double spread = std::sqrt(variance_ + std::exp(-std::max(mean_, 0.0)));
    const double guess = std::floor(std::exp(std::min(mean_ + normal_quantile(p) * spread, kMaxLogCount)));
    double low = guess, high = guess, step = std::max(1.0, std::floor(0.02 * spread * guess));
    if (cdf(guess) >= p) {
        for (low = guess - step; low >= 0.0 && cdf(low) >= p; low -= step) {
            high = low;
            step *= 2.0;
        }
        low = std::max(low, -1.0);
    } else {
        for (high = guess + step; std::log(high) < kMaxLogCount && cdf(high) < p; high += step) {
            low = high;
            step *= 2.0;
        }
    }
    // cdf(low) < p <= cdf(high). Above 2^53 neighbouring integers coincide and the middle stops moving.
    while (high - low > 1.0) {
        const double middle = std::floor(low + 0.5 * (high - low));
        if (middle <= low || middle >= high) break;
        (cdf(middle) >= p ? high : low) = middle;
    }
    return high;
}

double PoissonLogNormal::crps(double count) const {
    // Beyond these the squared tails do not matter.
    constexpr double kTail = 1e-8;
    const double low = quantile(kTail), high = std::max(quantile(1.0 - kTail), low);
    const double middle = std::clamp(count, low, high);
    const auto below = [&](double k) { return std::pow(cdf(k), 2); };
    const auto above = [&](double k) { return std::pow(1.0 - cdf(k), 2); };
    return integer_sum(below, low, middle) + integer_sum(above, middle, high) + std::max(0.0, count - high) + std::max(0.0, low - count);
}

}  // namespace vnngp::likelihood
