// The law of a count Y ~ Poisson(e^f) with f ~ N(mean, variance).
#pragma once

#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {

/// exp(x) and its derivatives, continued by the tangent above x = 60 (a rate of 1e26 events), so that a solver's overlong step meets finite
/// values and slopes that lead back.
ValueAndDerivatives bounded_exp(double x);

class PoissonLogNormal {
public:
    PoissonLogNormal(double mean, double variance) : mean_(mean), variance_(variance) {}

    /// log P(Y = count); relative accuracy of the probability about 1e-12.
    double log_probability(double count) const;
    /// P(Y <= k), continued analytically to real k > -1; 0 for k <= -1. Absolute accuracy about 1e-9.
    double cdf(double k) const;
    /// The smallest integer k with cdf(k) >= p, p in (0,1).
    double quantile(double p) const;
    /// sum_k (cdf(k) - 1{k >= count})^2; relative accuracy about 1e-6. Long sums are integrated, so that large counts cost no more than
    /// small ones.
    double crps(double count) const;

private:
    double mean_;
    double variance_;
};

}  // namespace vnngp::likelihood
