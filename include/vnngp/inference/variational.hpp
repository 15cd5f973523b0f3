// Hyperparameters by quasi-Newton on the bound with q(u) at its optimum (Eq. C1, C3): a function of the hyperparameters alone. By the
// envelope theorem its derivatives are the partial ones of the bound with q(u) held fixed.
#pragma once

#include "vnngp/inference/optimal_posterior.hpp"
#include "vnngp/inference/parameters.hpp"

namespace vnngp::inference {

struct VariationalOptions {
    Learned learned = {};
    double tolerance = 1e-5;  ///< nats per observation: an iteration that gains less is the last
    int max_evaluations = 100;
    double largest_factor = 1e12;  ///< by which any positive hyperparameter may change
    PosteriorOptions posterior = {};
};

struct VariationalResult {
    Hyperparameters hyper;
    OptimalPosterior posterior;
    std::vector<double> trace;  ///< the bound per observation at every evaluation
    int evaluations = 0;        ///< each is one pass over the data for q(u) and one for the derivatives
    int longest_solve = 0;      ///< iterations of conjugate gradients
    bool converged = false;
    bool held_back = false;  ///< a hyperparameter has changed by largest_factor
    std::string stopped_because;
};

/// From the given hyperparameters and q(u). The graphs stay as they are.
VariationalResult maximize_bound(const Context& context, const Problem& problem, const Hyperparameters& start, const MeanField& q,
                                 const VariationalOptions& options);

}  // namespace vnngp::inference
