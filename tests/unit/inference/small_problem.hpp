// A small problem with every part switched on: nugget, mean, length-scales, likelihood parameters. And the same as dense matrices.
#pragma once

#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "support/dense_gp.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::inference {

struct SmallProblem {
    std::unique_ptr<kernel::Kernel> kernel;
    std::unique_ptr<likelihood::Likelihood> likelihood;
    Problem problem;
    Hyperparameters hyper;
    MeanField posterior;  ///< anything, not an optimum
};

enum class Layout { one_per_site, repeated_sites, data_rows };

inline SmallProblem small_problem(const std::string& likelihood_name, Layout layout, Index inducing = 18, Index neighbors = 4) {
    SmallProblem f;
    f.kernel = kernel::make_kernel("matern52", 2);
    f.likelihood = likelihood::make_likelihood(likelihood_name);
    f.problem.kernel = f.kernel.get();
    f.problem.likelihood = f.likelihood.get();
    f.problem.inducing = testing::random_points(inducing, 2, 21);
    f.problem.prior_graph = neighbors::predecessor_graph(f.problem.inducing, neighbors, {});
    const Index n = layout == Layout::one_per_site ? inducing : 31;
    f.problem.targets = testing::random_vector(n, 22);
    if (likelihood_name == "poisson")
        for (double& y : f.problem.targets) y = std::floor(std::abs(3 * y));
    if (likelihood_name.starts_with("bernoulli"))
        for (double& y : f.problem.targets) y = y > 0;
    if (layout == Layout::data_rows) {
        f.problem.inputs = testing::random_points(n, 2, 23);
        f.problem.data_graph = neighbors::nearest_graph(f.problem.inducing, f.problem.inputs, neighbors, {});
    } else {
        for (Index i = 0; i < n; ++i) f.problem.sites.push_back((7 * i) % inducing);
    }
    f.hyper = {{1.1, 0.8}, 1.35, 0.04, 0.3, {}};
    for (const auto& parameter : f.likelihood->parameters())
        f.hyper.likelihood.push_back(parameter.name == "degrees_of_freedom" ? 5.0 : 0.4);
    f.posterior.mean = testing::random_vector(inducing, 24);
    f.posterior.variance = testing::random_vector(inducing, 25).cwiseAbs().array() + 0.1;
    return f;
}

/// A prior mean that is linear in both coordinates, the second one first.
inline SmallProblem with_linear_mean(SmallProblem f) {
    f.problem.mean_columns = {1, 0};
    f.hyper.slopes = {0.7, -0.45};
    return f;
}

/// u ~ N(mean_at_inducing, Q^{-1}), f = mean_at_data + A (u - mean_at_inducing) + N(0, diag(v)).
struct DenseProblem {
    Eigen::MatrixXd q, a;
    Vector v;
    Vector mean_at_inducing, mean_at_data;
};

inline DenseProblem dense_problem(const Problem& problem, const Hyperparameters& hyper, const std::string& kernel = "matern52") {
    const double diagonal = hyper.nugget + problem.jitter * hyper.outputscale;
    const auto k = [&](const Points& x, const Points& y) {
        return testing::covariance_matrix(kernel, x, y, hyper.shape, hyper.outputscale);
    };
    const auto mean = [&](const Points& points) {
        Vector mu = Vector::Constant(points.rows(), hyper.mean);
        for (std::size_t c = 0; c < hyper.slopes.size(); ++c) mu += hyper.slopes[c] * points.col(problem.mean_columns[c]);
        return mu;
    };
    const Eigen::MatrixXd prior = k(problem.inducing, problem.inducing);
    DenseProblem dense{testing::precision(testing::dense_rows(prior, problem.prior_graph, diagonal)),
                       Eigen::MatrixXd::Zero(problem.num_observations(), problem.num_inducing()),
                       Vector::Zero(problem.num_observations()),
                       mean(problem.inducing),
                       {}};
    if (problem.at_sites()) {
        for (Index i = 0; i < problem.num_observations(); ++i) dense.a(i, problem.sites[i]) = 1.0;
        dense.mean_at_data = dense.mean_at_inducing(problem.sites);
    } else {
        const auto rows = testing::dense_data_rows(prior, k(problem.inducing, problem.inputs), problem.data_graph, diagonal);
        dense.a = rows.b;
        dense.v = rows.f.array() + hyper.outputscale + diagonal;
        dense.mean_at_data = mean(problem.inputs);
    }
    return dense;
}

/// Eq. C1 for Gaussian noise.
struct DenseOptimum {
    Eigen::MatrixXd p;
    MeanField q;
};

inline DenseOptimum dense_optimum(const DenseProblem& dense, const Vector& targets, double noise) {
    const Eigen::MatrixXd p = dense.q + dense.a.transpose() * dense.a / noise;
    const Vector centered = p.ldlt().solve(dense.a.transpose() * (targets - dense.mean_at_data) / noise);
    return {p, {centered + dense.mean_at_inducing, p.diagonal().cwiseInverse()}};
}

}  // namespace vnngp::inference
