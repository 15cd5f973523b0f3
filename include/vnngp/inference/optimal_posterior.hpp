// The best q(u) for fixed hyperparameters (Eq. C1 and C3): one sparse solve for Gaussian noise, a few for the other likelihoods.
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/inference/problem.hpp"

namespace vnngp::inference {

struct PosteriorOptions {
    double linear_tolerance = 1e-6;  ///< relative residual of each linear system
    int linear_iterations = 1000;    ///< of conjugate gradients, at most
    double tolerance = 1e-6;         ///< nats per observation: a step that gains less is the last
    int steps = 50;                  ///< natural-gradient steps, at most
};

struct OptimalPosterior {
    MeanField q;
    double elbo = 0.0;
    int steps = 0;                   ///< natural-gradient steps taken
    int linear_iterations = 0;       ///< of conjugate gradients, in the longest solve
    double relative_residual = 0.0;  ///< of the last solve
    bool converged = false;
    std::vector<double> trace = {};  ///< the bound at the start and after every step: it never falls
    conditional::JitterReport jitter = {};
};

/// q(u) as it is before any observation is seen.
MeanField prior_marginals(const Problem& problem, const Hyperparameters& hyper);

/// Natural-gradient steps from `start`, each halved until the bound does not fall. With sites lambda_i > 0 and slopes g_i of the
/// likelihood under q:
///     P = Q + A' Lambda A,    P (m_new - mu) = A' [Lambda A (m - mu) + g],    1 / s_new = diag(Q + A' Lambda_s A).
/// For Gaussian noise the first step is the optimum. Holds the rows b and a in memory: 8 bytes x K x (M + N, or M alone where
/// observations sit at inducing points).
OptimalPosterior optimal_posterior(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& start,
                                   const PosteriorOptions& options = {});

}  // namespace vnngp::inference
