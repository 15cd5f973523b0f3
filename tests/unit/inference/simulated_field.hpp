// Noisy observations of a function drawn from the nearest-neighbour prior itself, at uniform points of the unit square.
#pragma once

#include <numeric>

#include "inference/stored_rows.hpp"
#include "support/dense_gp.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::inference {

struct SimulatedField {
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern52", 2);
    std::unique_ptr<likelihood::Likelihood> likelihood = likelihood::make_likelihood("gaussian");
    Problem problem;
    Vector smooth;  ///< without noise
};

inline SimulatedField simulated_field(Index count, Index neighbors, double lengthscale, double noise) {
    SimulatedField field;
    RandomStream stream(71, StreamPurpose::test);
    Problem& problem = field.problem;
    problem.kernel = field.kernel.get();
    problem.likelihood = field.likelihood.get();
    problem.inducing.resize(count, 2);
    for (Eigen::Index i = 0; i < problem.inducing.size(); ++i) problem.inducing.data()[i] = stream.uniform();
    problem.prior_graph = neighbors::predecessor_graph(problem.inducing, neighbors, {});
    problem.sites.resize(count);
    std::iota(problem.sites.begin(), problem.sites.end(), 0);
    const conditional::Covariance covariance{field.kernel.get(), {lengthscale, lengthscale}, 1.0, 0.0};
    const StoredRows rows({}, covariance, {problem.inducing, problem.inducing, problem.prior_graph});
    field.smooth = testing::random_vector(count, 72).cwiseProduct(rows.variance.cwiseSqrt());
    rows.solve({}, {Vector::Ones(count), Vector::Ones(count)}, field.smooth, field.smooth);
    problem.targets = field.smooth + std::sqrt(noise) * testing::random_vector(count, 73);
    return field;
}

}  // namespace vnngp::inference
