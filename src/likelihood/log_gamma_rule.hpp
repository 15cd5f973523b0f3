// Trapezoids over t = log(X), X ~ Gamma(shape a, rate a): a law about X = 1 with density exp(a (t - e^t + 1)) times a constant. It carries
// Student-t as a scale mixture of normals, and the Poisson distribution function. The step resolves the law and any factor that is analytic
// and of moderate growth within pi/2 of the real line; the error is then about 1e-13.
#pragma once

#include <vector>

namespace vnngp::likelihood {

/// Grid step for the given shape.
double log_gamma_step(double shape);
/// How far below (above) its mode t = 0 the law holds a mass that matters: beyond, the density has fallen by exp(-38).
double log_gamma_reach_below(double shape);
double log_gamma_reach_above(double shape);
/// log of the density's constant: log density(t) = log_gamma_constant(a) + a (t - e^t + 1).
double log_gamma_constant(double shape);

struct LogGammaRule {
    std::vector<double> log_x;    ///< ascending, step log_gamma_step(shape)
    std::vector<double> weights;  ///< sum to 1
};
LogGammaRule log_gamma_rule(double shape);

}  // namespace vnngp::likelihood
