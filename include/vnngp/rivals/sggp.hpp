// Stochastic gradients of small neighbourhoods (Chen et al. 2020): hyperparameters for Gaussian noise that maximise the mean, over
// observations i, of the exact log likelihood of observation i and its nearest ones,
//
//     1/N sum_i log N(y_n(i); mu, C_n(i) + noise I) / |n(i)|.                                                                    (S1)
//
// Neighbourhoods overlap, so this is not the likelihood of the data, and its stochastic gradient is a biased one of that.
#pragma once

#include "vnngp/inference/stochastic.hpp"

namespace vnngp::rivals {

inline constexpr Index kLikelihoodNeighbors = 15;  ///< with the point itself 16 observations, as published

/// The terms `points` of (S1), averaged. Observations sit one at each inducing point, row j of Problem::data_graph is the neighbourhood
/// of point j, itself included, and values[j] is the observation there. gradient (without q(u)): its derivatives are added to it.
double neighborhood_likelihood(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                               const Vector& values, std::span<const Index> points, inference::ElboGradient* gradient = nullptr,
                               conditional::JitterReport* jitter = nullptr);

struct NeighborhoodFit {
    inference::Hyperparameters hyper;
    double likelihood = 0.0;    ///< (S1)
    std::vector<double> trace;  ///< (S1) averaged over the steps of each epoch
    std::int64_t steps = 0;
    bool converged = false;
    conditional::JitterReport jitter;
};

/// Adam from `hyper`; every epoch takes each observation's neighbourhood once, options.batch of them in a step. No q(u), no locations, no
/// checkpoints. `hyper` supplies what is not learned.
NeighborhoodFit fit_neighborhoods(const Context& context, const inference::Problem& problem, inference::Hyperparameters hyper,
                                  const inference::StochasticOptions& options);

}  // namespace vnngp::rivals
