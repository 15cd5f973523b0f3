// Sparse within sparse (Tran et al. 2021): the divergence of q(u) from the exact prior on the neighbourhood of one observation at a time.
//
//     L = sum_i ell_i - 1/N sum_i KL(q(u_n(i)) || p(u_n(i))),    n(i): the K inducing points nearest to x_i                     (W1)
//
// ell_i is that of vnngp (Eq. E1, K3). The neighbourhoods are rows of Problem::data_graph: one for every observation, or, where
// observations sit at inducing points, one for every inducing point, itself included. Problem::prior_graph is not looked at.
#pragma once

#include "vnngp/inference/stochastic.hpp"

namespace vnngp::rivals {

/// (W1) on a minibatch of observations; its inducing points are not looked at. With a gradient, its derivatives are added to it. Neither
/// depends on the number of threads.
double local_elbo(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                  const inference::MeanField& posterior, const inference::Minibatch& batch, inference::ElboGradient* gradient = nullptr,
                  conditional::JitterReport* jitter = nullptr);

/// Marks every inducing point that the minibatch's terms depend on: before local_elbo() with a gradient in q(u).
void touch_local_terms(const inference::Problem& problem, const inference::Minibatch& batch, inference::ElboGradient& gradient);

/// (W1) over all observations.
double full_local_elbo(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                       const inference::MeanField& posterior, inference::ElboGradient* gradient = nullptr,
                       conditional::JitterReport* jitter = nullptr);

/// The mean over all observations of KL(q(u_n(i)) || p(u_n(i))): what (W1) subtracts.
double local_divergence(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                        const inference::MeanField& posterior);

/// For fit_stochastic.
inference::Objective local_bound();

}  // namespace vnngp::rivals
