// What both ways to the exact likelihood share.
#pragma once

#include "vnngp/conditional/dense_covariance.hpp"
#include "vnngp/inference/elbo.hpp"

namespace vnngp::rivals {

/// y - mu in the order of problem.inducing, one observation at each.
Vector centered_observations(const inference::Problem& problem, const inference::Hyperparameters& hyper);

/// weights: C^{-1} (y - mu).
void add_mean_gradient(const inference::Problem& problem, const Vector& weights, inference::ElboGradient& gradient);

/// For an objective whose derivatives in the diagonal of C sum to `trace`: those of jitter, nugget and noise.
void add_diagonal_gradient(const conditional::Covariance& covariance, double noise, double trace, inference::ElboGradient& gradient);

}  // namespace vnngp::rivals
