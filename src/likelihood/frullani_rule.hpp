// The expectation behind Student-t: E log(1 + w) where w is the square of a normal variable.
//
// By Frullani's integral log(x/c) = int_0^inf (e^-mu - e^(-mu x/c)) dmu/mu with c = E[1 + w] = 1 + D + r, taking the expectation inside:
//   L = log c + int (e^-mu - G(mu/c)) dmu/mu,   G(l) = E e^(-l(1+w)) = e^-l (1+2lr)^-1/2 e^(-lD/(1+2lr)),
// and trapezoids in log(mu). Unlike Gauss-Hermite in f, whose convergence stalls on the singularities of log(1+w) once r > 1, the error is
// below 1e-12 for any D and r; sums of derivatives are derivatives of the sum, and all of them share one exponential per node.
#pragma once

#include <array>

namespace vnngp::likelihood {

/// L(D, r) = E log(1 + w) for w = (sqrt(D) + sqrt(r) Z)^2, Z ~ N(0,1), with derivatives, and E 1/(1 + w).
struct LogOnePlusSquare {
    double value;
    double d_squared_mean;  ///< dL/dD
    double d_variance;      ///< dL/dr
    double expected_inverse;
};

struct FrullaniNodes {
    static constexpr int kMost = 320;                           ///< c up to 1e36
    static constexpr int kAtOnce = 8;                           ///< a multiple of every register's lanes
    static constexpr double kFirst = -18.0, kStep = 1.0 / 3.0;  ///< of log(mu)
    FrullaniNodes();
    alignas(64) std::array<double, kMost> mu, exp_minus_mu, weight;
};

LogOnePlusSquare expected_log_one_plus_square(const FrullaniNodes& nodes, double squared_mean, double variance);

}  // namespace vnngp::likelihood
