// One natural-gradient step on q(u) with the hyperparameters held fixed (Eq. C3; for Gaussian noise it lands on the optimum, Eq. C1).
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/inference/problem.hpp"

namespace vnngp::inference {

struct NaturalStep {
    MeanField posterior;
    int iterations = 0;              ///< of conjugate gradients
    double relative_residual = 0.0;  ///< of the linear system
};

/// From the sites lambda_i > 0 and slopes g_i that the likelihood has under q:
///     P = Q + A' Lambda A,    P (m_new - mu) = A' [Lambda A (m - mu) + g],    s_new = 1 / diag(P).
/// Holds the rows b and a in memory: 8 bytes x K x (M + N, or M alone where observations sit at inducing points).
NaturalStep natural_step(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& q, double tolerance,
                         int max_iterations);

}  // namespace vnngp::inference
