// What a fit did: for people, for `--json`, and for the model file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vnngp/conditional/covariance.hpp"

namespace vnngp {

/// One setting compared on held-out data.
struct Tried {
    std::string kernel;
    std::int64_t neighbors = 0;             ///< K
    std::int64_t prediction_neighbors = 0;  ///< those that scored best
    double score = 0.0;                     ///< mean log predictive density per held-out observation, of the standardised target
    double error = 0.0;                     ///< standard error of the difference to the best setting before
    double seconds = 0.0;
};

struct FitReport {
    std::string inference;  ///< how the bound was maximised
    std::int64_t num_observations = 0;
    std::int64_t num_inputs = 0;  ///< columns in use
    std::int64_t num_inducing = 0;
    std::int64_t num_neighbors = 0;
    std::int64_t duplicates_merged = 0;  ///< observations that share the inducing point of an earlier one
    double elbo = 0.0;                   ///< of the standardised targets, over all terms
    bool converged = false;
    double optimality_gap = 0.0;  ///< nats per observation between q(u) and its optimum for the final hyperparameters
    std::string stopped_because;
    std::int64_t iterations = 0;            ///< optimiser steps
    std::vector<double> trace;              ///< the bound per observation after each epoch, or at each evaluation
    std::int64_t passes = 0;                ///< over all rows of the data
    std::int64_t linear_iterations = 0;     ///< of conjugate gradients, in the longest solve
    std::vector<double> neighbors_changed;  ///< share of the neighbours that each search in the learned metric replaced, or might have
    std::vector<Tried> tried;               ///< settings compared on held-out data
    double seconds_choose = 0.0;            ///< spent on that
    double seconds_neighbors = 0.0;
    double seconds_train = 0.0;
    double seconds_total = 0.0;
    conditional::JitterReport jitter;
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< what was done that one might not expect: columns dropped, K clamped

    double elbo_per_point() const { return num_observations > 0 ? elbo / static_cast<double>(num_observations) : 0.0; }
};

}  // namespace vnngp
