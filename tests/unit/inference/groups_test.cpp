// Groups change how rows are computed, not what is inferred from a graph.
#include <gtest/gtest.h>

#include <numeric>

#include "inference/stored_rows.hpp"
#include "small_problem.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/optimal_posterior.hpp"
#include "vnngp/inference/response.hpp"
#include "vnngp/neighbors/grouping.hpp"

namespace vnngp::inference {
namespace {

/// The graph of a problem grouped, and the same graph with each row by itself.
struct Both {
    SmallProblem f;
    Problem grouped, alone;

    explicit Both(SmallProblem problem) : f(std::move(problem)), grouped(f.problem) {
        auto together = neighbors::grouped(grouped.prior_graph, grouped.inducing, {});
        grouped.prior_graph = std::move(together.graph);
        grouped.prior_groups = std::move(together.groups);
        alone = grouped;
        alone.prior_groups = {};
    }
};

void expect_near(const ElboGradient& a, const ElboGradient& b) {
    const auto near = [](double x, double y) { EXPECT_NEAR(x, y, 1e-8 * (1.0 + std::abs(y))); };
    for (std::size_t p = 0; p < a.covariance.log_shape.size(); ++p) near(a.covariance.log_shape[p], b.covariance.log_shape[p]);
    near(a.covariance.log_outputscale, b.covariance.log_outputscale);
    near(a.covariance.log_nugget, b.covariance.log_nugget);
    near(a.prior_mean, b.prior_mean);
    for (std::size_t c = 0; c < a.prior_slopes.size(); ++c) near(a.prior_slopes[c], b.prior_slopes[c]);
    for (Eigen::Index j = 0; j < a.mean.size(); ++j) {
        near(a.mean[j], b.mean[j]);
        near(a.variance[j], b.variance[j]);
    }
}

class BoundInGroups : public ::testing::TestWithParam<Layout> {};

TEST_P(BoundInGroups, EqualsThatOfRowsByThemselves) {
    const Both both(with_linear_mean(small_problem("gaussian", GetParam(), 60, 6)));
    ElboGradient grouped(both.grouped, false), alone(both.alone, false);
    EXPECT_NEAR(full_elbo({}, both.grouped, both.f.hyper, both.f.posterior, &grouped),
                full_elbo({}, both.alone, both.f.hyper, both.f.posterior, &alone), 1e-9);
    expect_near(grouped, alone);
}

TEST_P(BoundInGroups, HasTheOptimumOfRowsByThemselves) {
    const Both both(small_problem("gaussian", GetParam(), 60, 6));
    const auto grouped = optimal_posterior({}, both.grouped, both.f.hyper, both.f.posterior);
    const auto dense = dense_problem(both.grouped, both.f.hyper);
    const auto optimum = dense_optimum(dense, both.grouped.targets, both.f.hyper.likelihood[0]);
    EXPECT_LT((grouped.q.mean - optimum.q.mean).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_LT((grouped.q.variance - optimum.q.variance).cwiseAbs().maxCoeff(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Layouts, BoundInGroups, ::testing::Values(Layout::one_per_site, Layout::repeated_sites, Layout::data_rows),
                         [](const auto& suite) {
                             return suite.param == Layout::one_per_site ? "OnePerSite"
                                    : suite.param == Layout::data_rows  ? "DataRows"
                                                                        : "Repeated";
                         });

// More rows than are visited at a time.
TEST(ManyGroups, GiveTheBoundAndTheLikelihoodOfRowsByThemselvesAtAnyNumberOfThreads) {
    const Both both(small_problem("gaussian", Layout::one_per_site, 9500, 5));
    ASSERT_LT(both.grouped.prior_groups.count(), 8000);
    ElboGradient one(both.grouped, false), two(both.grouped, false), alone(both.alone, false);
    const double value = full_elbo({.threads = 1}, both.grouped, both.f.hyper, both.f.posterior, &one);
    EXPECT_EQ(value, full_elbo({.threads = 2}, both.grouped, both.f.hyper, both.f.posterior, &two));
    EXPECT_EQ(one.covariance.log_shape, two.covariance.log_shape);
    EXPECT_EQ(one.mean, two.mean);
    const double expected = full_elbo({}, both.alone, both.f.hyper, both.f.posterior, &alone);
    EXPECT_NEAR(value, expected, 1e-10 * std::abs(expected));
    expect_near(one, alone);

    const Vector values = values_at_points(both.grouped);
    ElboGradient grouped_response(both.grouped, false, false), alone_response(both.alone, false, false);
    const double response = response_log_likelihood({}, both.alone, both.f.hyper, values, all_response_terms(both.alone), &alone_response);
    EXPECT_NEAR(response_log_likelihood({}, both.grouped, both.f.hyper, values, all_response_terms(both.grouped), &grouped_response),
                response, 1e-10 * std::abs(response));
    expect_near(grouped_response, alone_response);
}

TEST(StoredRowsInGroups, EqualDenseMatrices) {
    const Both both(small_problem("gaussian", Layout::one_per_site, 80, 7));
    const auto& [f, grouped, alone] = both;
    const StoredRows rows({}, covariance(grouped, f.hyper), {grouped.inducing, grouped.inducing, grouped.prior_graph}, {},
                          grouped.prior_groups);
    const auto dense =
        testing::dense_rows(testing::covariance_matrix("matern52", grouped.inducing, grouped.inducing, f.hyper.shape, f.hyper.outputscale),
                            grouped.prior_graph, f.hyper.nugget + grouped.jitter * f.hyper.outputscale);
    const Vector x = testing::random_vector(80, 51);
    EXPECT_LT((rows.variance - dense.f).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((rows.multiply({}, x) - dense.b * x).cwiseAbs().maxCoeff(), 1e-10);
    Vector y = Vector::Zero(80);
    rows.add_transposed({}, x, y);
    EXPECT_LT((y - dense.b.transpose() * x).cwiseAbs().maxCoeff(), 1e-10);
    Vector solved = x;
    rows.solve_transposed({}, {Vector::Ones(80), Vector::Ones(80)}, solved);
    EXPECT_LT(((Eigen::MatrixXd::Identity(80, 80) - dense.b).transpose() * solved - x).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace vnngp::inference
