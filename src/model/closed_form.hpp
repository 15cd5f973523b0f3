// Training without minibatches: hyperparameters from the nearest-neighbour likelihood of a sample of the observations, then the bound
// itself by quasi-Newton with q(u) at its optimum, neighbours being searched anew as the kernel's metric is learned.
#pragma once

#include "vnngp/inference/response.hpp"
#include "vnngp/inference/variational.hpp"
#include "vnngp/model/options.hpp"
#include "vnngp/model/report.hpp"

namespace vnngp::model {

struct ClosedFormSettings {
    Index neighbors = 32;  ///< K
    bool groups = false;   ///< compute rows of close points together
    Metric metric = Metric::kernel;
    inference::Learned learned = {};
    bool response_only = false;  ///< stop at the nearest-neighbour likelihood of the observations (Gaussian noise)
    bool warm = false;           ///< the hyperparameters given are already good: skip the first guess
    bool fixed = false;          ///< the hyperparameters given are known: find q(u) alone
    double tolerance = 1e-4;     ///< nats per observation
    int evaluations = 0;         ///< FitOptions::evaluations
};

struct ClosedFormResult {
    inference::Hyperparameters hyper;
    inference::OptimalPosterior posterior;
    std::vector<double> trace;              ///< the objective per observation, at every evaluation on all the data
    std::vector<double> neighbors_changed;  ///< share of the edges, at every refresh() after the first on all the data
    std::int64_t passes = 0;                ///< over all rows
    int linear_iterations = 0;              ///< of conjugate gradients, in the longest solve
    double seconds_neighbors = 0.0;
    bool converged = false;
    std::string stopped_because;
};

/// problem.inducing, sites (or inputs) and targets are given; its graphs are searched here, the last one with the final hyperparameters.
ClosedFormResult train_closed_form(const Context& context, inference::Problem& problem, const inference::Hyperparameters& start,
                                   const ClosedFormSettings& settings);

}  // namespace vnngp::model
