// What is being inferred: the model's parts, the data, and the quantities that inference finds.
#pragma once

#include <span>
#include <vector>

#include "vnngp/conditional/rows.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/neighbors/grouping.hpp"
#include "vnngp/neighbors/numbering.hpp"

namespace vnngp::inference {

/// Everything but q(u). Variances and length-scales, never their logarithms.
struct Hyperparameters {
    std::vector<double> shape;  ///< the kernel's parameters
    double outputscale = 1.0;
    double nugget = 0.0;              ///< tau
    double mean = 0.0;                ///< of the prior mean mu(x) = mean + slopes . x[columns]
    std::vector<double> likelihood;   ///< the likelihood's parameters
    std::vector<double> slopes = {};  ///< one per column of Problem::mean_columns
};

/// mu at a point with coordinates x.
inline double prior_mean(const Hyperparameters& hyper, std::span<const Index> columns, const double* x) {
    double mean = hyper.mean;
    for (std::size_t c = 0; c < columns.size(); ++c) mean += hyper.slopes[c] * x[columns[c]];
    return mean;
}

/// q(u) = prod_j N(m_j, s_j)
struct MeanField {
    Vector mean;
    Vector variance;
};

/// M inducing points in their order, N observations. Each observation either sits at an inducing point (its site: M = N, and repeated
/// inputs) or is tied to its nearest inducing points by a data row (M < N).
struct Problem {
    const kernel::Kernel* kernel = nullptr;              ///< not owned
    const likelihood::Likelihood* likelihood = nullptr;  ///< not owned
    Points inducing;                                     ///< Z
    neighbors::NeighborGraph prior_graph;                ///< n(j): nearest predecessors
    neighbors::RowGroups prior_groups;                   ///< of its rows; empty: each is computed by itself
    std::vector<neighbors::Region> regions;              ///< of its rows, within which neighbours come first; empty: all are one
    Vector targets;                                      ///< y
    std::vector<Index> sites;                            ///< per observation, or empty
    Points inputs;                                       ///< X, used when there are no sites
    neighbors::NeighborGraph data_graph;                 ///< n(i): nearest inducing points; a row per inducing point if there are sites
    std::vector<Index> mean_columns = {};                ///< coordinates in which the prior mean is linear; usually none
    double jitter = 1e-8;
    bool single_precision = false;  ///< for rows, where it is accurate enough

    Index num_inducing() const { return static_cast<Index>(inducing.rows()); }
    Index num_observations() const { return static_cast<Index>(targets.size()); }
    bool at_sites() const { return !sites.empty(); }
};

/// mu at all points.
Vector prior_means(const Problem& problem, const Hyperparameters& hyper, const Points& points);

/// The observations in the order of the inducing points, where each point has one.
inline Vector values_at_points(const Problem& problem) {
    Vector values(problem.num_inducing());
    for (Index i = 0; i < problem.num_observations(); ++i) values[problem.sites[i]] = problem.targets[i];
    return values;
}

inline conditional::Covariance covariance(const Problem& problem, const Hyperparameters& hyper) {
    return {problem.kernel, hyper.shape, hyper.outputscale, hyper.nugget, problem.jitter, problem.single_precision};
}

}  // namespace vnngp::inference
