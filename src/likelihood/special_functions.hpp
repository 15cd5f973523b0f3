// Scalar functions that the standard library lacks, or has only in a form that is not safe to call from several threads (lgamma).
#pragma once

namespace vnngp::likelihood {

inline constexpr double kHalfLogTwoPi = 0.91893853320467274178;

/// S(x) in log Gamma(x) = (x - 1/2) log x - x + 1/2 log(2 pi) + S(x), x > 0. About 1e-15.
double stirling_correction(double x);
/// log Gamma(x), x > 0.
double log_gamma(double x);
/// d log Gamma(x) / dx, x > 0.
double digamma(double x);

/// Standard normal density, distribution function and its inverse (p in (0,1), relative accuracy about 1e-15).
double normal_density(double x);
double normal_cdf(double x);
double normal_quantile(double p);

/// A function of the latent value, as a rule a log density, and its first two derivatives there.
struct ValueAndDerivatives {
    double value;
    double first;
    double second;
};

/// log Phi(x), without cancellation or underflow at any finite x.
ValueAndDerivatives log_normal_cdf(double x);
/// -log(1 + exp(-x)), likewise.
ValueAndDerivatives log_logistic(double x);

/// E|X| for X ~ N(mean, variance). The score of a normal mixture is made of these: CRPS = E|Y - y| - E|Y - Y'| / 2.
double mean_absolute_normal(double mean, double variance);

/// P(Y <= k) for Y ~ Poisson(rate), continued to real k > -1 by the incomplete gamma function Q(k + 1, rate).
/// Accurate to 1e-12 for k < 1000 and 5e-9 above.
double poisson_cdf(double k, double rate);

}  // namespace vnngp::likelihood
