// The law of X + sqrt(scale) T, X ~ N(0, variance), T ~ Student-t with nu degrees of freedom, independent: a mixture of the normals
// N(0, variance + scale / lambda) over lambda ~ Gamma(nu/2, rate nu/2), integrated over log(lambda). Accurate whatever the ratio of
// variance to scale.
#pragma once

#include <Eigen/Core>

namespace vnngp::likelihood {

class ScaleMixture {
public:
    ScaleMixture(double scale, double nu);

    /// Relative accuracy of the density about 1e-12, also far out.
    double log_density(double x, double variance) const;
    /// P(Y <= x), absolute accuracy about 1e-14.
    double cdf(double x, double variance) const;
    /// The x below which the probability is p, in (0,1).
    double quantile(double p, double variance) const;
    /// CRPS = E|Y - x| - E|Y - Y'| / 2, in closed form for a finite normal mixture. O(nodes^2): about 70^2 at nu = 4.
    double crps(double x, double variance) const;

private:
    /// P(Y > x), absolute accuracy about 1e-14.
    double upper_tail(double x, const Eigen::ArrayXd& sd) const;

    double scale_;
    double shape_;         // nu / 2
    double log_constant_;  // log(step) + constant of the density of log(lambda)
    double step_;
    Eigen::ArrayXd noise_variance_;  // scale / lambda_k
    Eigen::ArrayXd weights_;
};

}  // namespace vnngp::likelihood
