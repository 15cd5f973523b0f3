#include "likelihood/special_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace vnngp::likelihood {
namespace {

/// From here on the asymptotic series of log Gamma and digamma are exact to double precision.
constexpr double kAsymptotic = 12.0;

/// Q(a, x) by the power series of P (x < a + 1) or the continued fraction of Q (modified Lentz): O(sqrt(a)) terms near x = a.
double incomplete_gamma(double a, double x) {
    const double front = std::exp(a * std::log(x) - x - log_gamma(a));
    constexpr double kEps = 1e-16;
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (double n = a + 1.0; term > sum * kEps; n += 1.0) {
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    double b = x + 1.0 - a, c = std::numeric_limits<double>::max(), d = 1.0 / b, fraction = d;
    for (double n = 1.0; n < 1e5; n += 1.0) {
        const double coefficient = -n * (n - a);
        b += 2.0;
        d = 1.0 / (coefficient * d + b);
        c = b + coefficient / c;
        const double change = c * d;
        fraction *= change;
        if (std::abs(change - 1.0) < 4 * kEps) break;
    }
    return front * fraction;
}

/// Normal approximation of Peizer and Pratt, "A normal approximation for binomial, F, beta, and other common, related tail probabilities",
/// JASA 63 (1968). Its error falls as k^-1.5.
double peizer_pratt(double k, double rate) {
    const double y = (k + 0.5) / rate, d = 1.0 - y;
    double t = 0.0;  // (1 - y^2 + 2 y log y) / (1 - y)^2
    if (std::abs(d) < 0.05) {
        double power = d;
        for (int n = 1; n <= 12; ++n, power *= d) t += 2.0 * power / ((n + 1) * (n + 2));
    } else {
        t = (1.0 - y * y + 2.0 * y * std::log(y)) / (d * d);
    }
    return normal_cdf((k + 2.0 / 3.0 - rate + 0.02 / (k + 1.0)) * std::sqrt((1.0 + t) / rate));
}

}  // namespace

double stirling_correction(double x) {
    double shift = 0.0;
    for (; x < kAsymptotic; x += 1.0) shift += (x + 0.5) * std::log1p(1.0 / x) - 1.0;
    const double r = 1.0 / (x * x);
    return shift + (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * 691.0 / 360360))))) / x;
}

double log_gamma(double x) { return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + stirling_correction(x); }

double digamma(double x) {
    double shift = 0.0;
    for (; x < kAsymptotic; x += 1.0) shift -= 1.0 / x;
    const double r = 1.0 / (x * x);
    return shift + std::log(x) - 0.5 / x -
           r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691.0 / 32760)))));
}

double normal_density(double x) { return std::exp(-0.5 * x * x - kHalfLogTwoPi); }

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
    if (p == 0.5) return 0.0;
    if (p > 0.5) return -normal_quantile(1.0 - p);
    // Abramowitz & Stegun 26.2.23 (4.5e-4), then Newton on log Phi, which is concave: three steps reach rounding.
    const double t = std::sqrt(-2.0 * std::log(p));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int step = 0; step < 3; ++step) {
        const ValueAndDerivatives at = log_normal_cdf(x);
        x -= (at.value - std::log(p)) / at.first;
    }
    return x;
}

ValueAndDerivatives log_normal_cdf(double x) {
    if (x > -5.0) {
        const double tail = normal_cdf(-std::abs(x)), cdf = x > 0.0 ? 1.0 - tail : tail;
        const double ratio = normal_density(x) / cdf;
        return {x > 0.0 ? std::log1p(-tail) : std::log(tail), ratio, -ratio * (ratio + x)};
    }
    // phi(t) / Phi(-t) = t + 1/(t + 2/(t + 3/(t + ...))), t = -x; 20 terms give full precision for t >= 5.
    const double t = -x;
    double tail = t;
    for (int k = 20; k >= 2; --k) tail = t + k / tail;
    const double excess = 1.0 / tail, ratio = t + excess;
    return {-0.5 * x * x - kHalfLogTwoPi - std::log(ratio), ratio, -ratio * excess};
}

ValueAndDerivatives log_logistic(double x) {
    const double e = std::exp(-std::abs(x)), inverse = 1.0 / (1.0 + e);
    return {std::min(x, 0.0) - std::log1p(e), x > 0.0 ? e * inverse : inverse, -e * inverse * inverse};
}

double mean_absolute_normal(double mean, double variance) {
    if (!(variance > 0.0)) return std::abs(mean);
    const double sd = std::sqrt(variance), z = mean / sd;
    return 2.0 * sd * normal_density(z) + mean * std::erf(z / std::numbers::sqrt2);
}

double poisson_cdf(double k, double rate) {
    if (!(rate > 0.0)) return 1.0;
    if (std::isinf(rate)) return 0.0;
    return k < 1000.0 ? incomplete_gamma(k + 1.0, rate) : peizer_pratt(k, rate);
}

}  // namespace vnngp::likelihood
