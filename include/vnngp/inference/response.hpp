// The classical nearest-neighbour likelihood of the observations themselves: sum_j log N(y_j | mu_j + b_j'(y - mu)[n(j)], f_j) with all
// noise in the nugget (the limit of the bound named in Eq. C4). It has no variational parameters, and any sample of its terms estimates
// it: the cheapest way to good hyperparameters.
#pragma once

#include "vnngp/inference/parameters.hpp"

namespace vnngp::inference {

/// Some of the points, each with its nearest predecessors among all: the terms of the likelihood in use.
struct ResponseTerms {
    std::vector<Index> points;         ///< ascending
    Points locations;                  ///< of these points
    neighbors::NeighborGraph graph;    ///< row i: neighbours of points[i]
    neighbors::RowGroups groups = {};  ///< of its rows; empty: each is computed by itself
};

/// The terms of all points, with problem.prior_graph.
ResponseTerms all_response_terms(const Problem& problem);

/// values: one per inducing point. hyper.nugget is the total noise; the likelihood's own parameters play no part. Adds derivatives to
/// `gradient` (of the hyperparameters alone) unless it is null.
double response_log_likelihood(const Context& context, const Problem& problem, const Hyperparameters& hyper, const Vector& values,
                               const ResponseTerms& terms, ElboGradient* gradient = nullptr, conditional::JitterReport* jitter = nullptr);

struct ResponseResult {
    Hyperparameters hyper;
    double log_likelihood = 0.0;  ///< of the terms in use
    std::vector<double> trace;    ///< per term, at every evaluation
    int evaluations = 0;
    bool converged = false;
    bool held_back = false;  ///< a hyperparameter has changed by largest_factor
    std::string stopped_because;
};

struct ResponseOptions {
    bool learn_mean = true;
    double tolerance = 1e-5;  ///< nats per term: an iteration that gains less is the last
    int max_evaluations = 100;
    double largest_factor = 1e12;  ///< by which any positive hyperparameter may change
    double smallest_nugget = 1e-9;
};

ResponseResult maximize_response(const Context& context, const Problem& problem, const Hyperparameters& start, const Vector& values,
                                 const ResponseTerms& terms, const ResponseOptions& options);

}  // namespace vnngp::inference
