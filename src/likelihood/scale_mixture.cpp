#include "likelihood/scale_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "likelihood/log_gamma_rule.hpp"
#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {

ScaleMixture::ScaleMixture(double scale, double nu)
    : scale_(scale),
      shape_(0.5 * nu),
      log_constant_(std::log(log_gamma_step(shape_)) + log_gamma_constant(shape_)),
      step_(log_gamma_step(shape_)) {
    const LogGammaRule rule = log_gamma_rule(shape_);
    const auto size = Eigen::Index(rule.weights.size());
    weights_ = Eigen::Map<const Eigen::ArrayXd>(rule.weights.data(), size);
    noise_variance_ = scale_ * (-Eigen::Map<const Eigen::ArrayXd>(rule.log_x.data(), size)).exp();
}

double ScaleMixture::log_density(double x, double variance) const {
    // Far out it is the small lambda that explain x: given x the law of lambda has shape + 1/2 and a mode not below (nu+1) / (nu +
    // x^2/scale).
    const double mode = std::log((shape_ + 0.5) / (shape_ + 0.5 * x * x / scale_));
    const double first = std::floor((std::min(mode, 0.0) - log_gamma_reach_below(shape_ + 0.5)) / step_);
    const double last = std::ceil(log_gamma_reach_above(shape_) / step_);
    const auto size = Eigen::Index(last - first) + 1;
    const Eigen::ArrayXd t = Eigen::ArrayXd::LinSpaced(size, first * step_, last * step_);
    const Eigen::ArrayXd lambda = t.exp();
    const Eigen::ArrayXd total = variance + scale_ * lambda.inverse();
    const Eigen::ArrayXd exponent = shape_ * (t - lambda + 1.0) - (0.5 * x * x) * total.inverse();
    const double top = exponent.maxCoeff();
    return log_constant_ - kHalfLogTwoPi + top + std::log(((exponent - top).exp() * total.rsqrt()).sum());
}

double ScaleMixture::upper_tail(double x, const Eigen::ArrayXd& sd) const {
    double sum = 0.0;
    for (Eigen::Index k = 0; k < sd.size(); ++k) sum += weights_[k] * normal_cdf(-x / sd[k]);
    return sum;
}

double ScaleMixture::cdf(double x, double variance) const { return upper_tail(-x, (variance + noise_variance_).sqrt()); }

double ScaleMixture::quantile(double p, double variance) const {
    if (p == 0.5) return 0.0;
    const double tail = std::min(p, 1.0 - p);
    const Eigen::ArrayXd sd = (variance + noise_variance_).sqrt();
    double low = 0.0, high = -normal_quantile(tail) * std::sqrt(variance + scale_);
    while (upper_tail(high, sd) > tail) {
        low = high;
        high *= 2.0;
    }
    // Newton on log P(Y > x), kept within the bracket.
    double x = 0.5 * (low + high);
    for (int iteration = 0; iteration < 100; ++iteration) {
        const double at = upper_tail(x, sd);
        (at > tail ? low : high) = x;
        const double density = (weights_ / sd * (-0.5 * (x / sd).square()).exp()).sum() * std::exp(-kHalfLogTwoPi);
        double next = x + std::log(at / tail) * at / density;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        const bool settled = std::abs(next - x) <= 1e-11 * next;
        x = next;
        if (settled) break;
    }
    return p < 0.5 ? -x : x;
}

double ScaleMixture::crps(double x, double variance) const {
    const Eigen::ArrayXd total = variance + noise_variance_;
    double to_observation = 0.0, spread = 0.0;
    for (Eigen::Index k = 0; k < total.size(); ++k) {
        to_observation += weights_[k] * mean_absolute_normal(x, total[k]);
        // Pairs (k, j): E|N(0, total_k + total_j)| = sqrt(2/pi) sqrt(total_k + total_j), each off-diagonal pair counted twice.
        spread +=
            weights_[k] * (2.0 * (weights_.head(k) * (total.head(k) + total[k]).sqrt()).sum() + weights_[k] * std::sqrt(2.0 * total[k]));
    }
    return to_observation - 0.5 * std::sqrt(2.0 / std::numbers::pi) * spread;
}

}  // namespace vnngp::likelihood
