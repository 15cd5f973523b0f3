#include "vnngp/rivals/sggp.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "unit/inference/small_problem.hpp"
#include "vnngp/inference/parameters.hpp"

namespace vnngp::rivals {
namespace {

using inference::Hyperparameters;
using inference::SmallProblem;

SmallProblem neighborhoods(Index count = 23, Index size = 6) {
    SmallProblem f = with_linear_mean(inference::small_problem("gaussian", inference::Layout::one_per_site, count));
    for (Index i = 0; i < count; ++i) f.problem.sites[i] = (7 * i) % count;
    f.problem.data_graph = neighbors::nearest_graph(f.problem.inducing, f.problem.inducing, size, {});
    return f;
}

const std::vector<Index> kSome{3, 17, 8, 22, 0, 5, 14, 9, 11};

TEST(NeighborhoodLikelihood, EqualsDenseLogDensities) {
    const SmallProblem f = neighborhoods();
    const Vector y = values_at_points(f.problem), mean = prior_means(f.problem, f.hyper, f.problem.inducing);
    for (Index i = 0; i < 23; ++i) EXPECT_EQ(y[f.problem.sites[i]], f.problem.targets[i]);
    const Eigen::MatrixXd prior =
        testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale);
    double expected = 0.0;
    for (const Index j : kSome) {
        const auto n = f.problem.data_graph.row(j);
        EXPECT_EQ(n[0], j) << "a point is its own nearest";
        const double diagonal = f.hyper.nugget + f.hyper.likelihood[0] + f.problem.jitter * f.hyper.outputscale;
        expected += testing::log_normal_density((y - mean)(n), testing::select(prior, n, n) + diagonal * Eigen::MatrixXd::Identity(6, 6)) /
                    (6.0 * static_cast<double>(kSome.size()));
    }
    EXPECT_NEAR(neighborhood_likelihood({}, f.problem, f.hyper, y, kSome), expected, 1e-10);
}

TEST(NeighborhoodLikelihood, HasTheGradientOfFiniteDifferences) {
    const SmallProblem f = neighborhoods();
    const Vector y = values_at_points(f.problem);
    const inference::ParameterVector layout(f.problem, {});
    inference::ElboGradient gradient(f.problem, false, false);
    const double value = neighborhood_likelihood({}, f.problem, f.hyper, y, kSome, &gradient);
    EXPECT_EQ(value, neighborhood_likelihood({}, f.problem, f.hyper, y, kSome));
    const auto at = [&](std::span<const double> raw) {
        Hyperparameters hyper = f.hyper;
        layout.assign(raw, hyper);
        return neighborhood_likelihood({}, f.problem, hyper, y, kSome);
    };
    const auto raw = layout.raw(f.hyper), claimed = layout.gradient(gradient);
    ASSERT_EQ(raw.size(), 8u);  // length-scales, output scale, noise, nugget, mean and its slopes
    testing::expect_gradient_matches(at, raw, claimed, 1e-8);
}

TEST(NeighborhoodLikelihood, IsThatOfTheDataWithAllNeighbours) {
    const SmallProblem f = neighborhoods(23, 23);
    const Vector y = values_at_points(f.problem), mean = prior_means(f.problem, f.hyper, f.problem.inducing);
    const double diagonal = f.hyper.nugget + f.hyper.likelihood[0] + f.problem.jitter * f.hyper.outputscale;
    const Eigen::MatrixXd covariance =
        testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale) +
        diagonal * Eigen::MatrixXd::Identity(23, 23);
    EXPECT_NEAR(23.0 * neighborhood_likelihood({}, f.problem, f.hyper, y, kSome), testing::log_normal_density(y - mean, covariance), 1e-8);
}

inference::StochasticOptions training() { return {.epochs = 60, .batch = 10, .learning_rate = 0.05}; }

TEST(FitNeighborhoods, RaisesTheLikelihood) {
    const SmallProblem f = neighborhoods();
    const auto fitted = fit_neighborhoods({}, f.problem, f.hyper, training());
    std::vector<Index> all(23);
    std::iota(all.begin(), all.end(), 0);
    const Vector y = values_at_points(f.problem);
    EXPECT_GT(fitted.likelihood, neighborhood_likelihood({}, f.problem, f.hyper, y, all) + 0.01);
    EXPECT_EQ(fitted.likelihood, neighborhood_likelihood({}, f.problem, fitted.hyper, y, all));
    EXPECT_EQ(fitted.trace.size(), 60u);
    EXPECT_EQ(fitted.steps, 60 * 3);
    EXPECT_EQ(fitted.hyper.nugget, f.hyper.nugget);
    EXPECT_NE(fitted.hyper.mean, f.hyper.mean);
}

TEST(FitNeighborhoods, IsIdenticalOnOneAndTwoThreads) {
    const SmallProblem f = neighborhoods();
    const auto one = fit_neighborhoods({.threads = 1}, f.problem, f.hyper, training()),
               two = fit_neighborhoods({.threads = 2}, f.problem, f.hyper, training());
    EXPECT_EQ(one.hyper.shape, two.hyper.shape);
    EXPECT_EQ(one.hyper.likelihood, two.hyper.likelihood);
    EXPECT_EQ(one.trace, two.trace);
}

TEST(FitNeighborhoods, LeavesFixedHyperparametersAlone) {
    const SmallProblem f = neighborhoods();
    auto options = training();
    options.fixed_hyperparameters = true;
    const auto fitted = fit_neighborhoods({}, f.problem, f.hyper, options);
    EXPECT_EQ(fitted.hyper.shape, f.hyper.shape);
    EXPECT_EQ(fitted.hyper.likelihood, f.hyper.likelihood);
    EXPECT_TRUE(std::isfinite(fitted.likelihood));
}

}  // namespace
}  // namespace vnngp::rivals
