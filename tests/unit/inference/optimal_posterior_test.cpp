#include "vnngp/inference/optimal_posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_field.hpp"
#include "small_problem.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/prediction.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

constexpr PosteriorOptions kTight{.linear_tolerance = 1e-12, .linear_iterations = 1000, .tolerance = 1e-13, .steps = 500};

void expect_never_falls(const OptimalPosterior& optimum) {
    EXPECT_TRUE(std::ranges::is_sorted(optimum.trace));
    EXPECT_EQ(optimum.elbo, optimum.trace.back());
    EXPECT_LE(optimum.trace.size(), static_cast<std::size_t>(optimum.steps) + 1);
}

// In units of the posterior: what a Newton step in each number alone would still gain is half the square of this.
void expect_stationary(const Problem& problem, const Hyperparameters& hyper, const MeanField& q, double tolerance) {
    ElboGradient gradient(problem, false);
    full_elbo({}, problem, hyper, q, &gradient);
    EXPECT_LT((gradient.mean.array() * q.variance.array().sqrt()).abs().maxCoeff(), tolerance);
    EXPECT_LT((gradient.variance.array() * q.variance.array()).abs().maxCoeff(), tolerance);
}

struct GaussianCase {
    Layout layout;
    bool linear_mean;
};
class GaussianOptimum : public ::testing::TestWithParam<GaussianCase> {
protected:
    SmallProblem f = GetParam().linear_mean ? with_linear_mean(small_problem("gaussian", GetParam().layout))
                                            : small_problem("gaussian", GetParam().layout);
    DenseProblem dense = dense_problem(f.problem, f.hyper);
    double noise = f.hyper.likelihood[0];
    DenseOptimum expected = dense_optimum(dense, f.problem.targets, noise);
};

TEST_P(GaussianOptimum, EqualsC1FromAnyStartInOneStep) {
    for (const MeanField& start : {prior_marginals(f.problem, f.hyper), f.posterior}) {
        const auto optimum = optimal_posterior({}, f.problem, f.hyper, start, {.linear_tolerance = 1e-12});
        EXPECT_LT((optimum.q.mean - expected.q.mean).cwiseAbs().maxCoeff(), 1e-9);
        EXPECT_LT((optimum.q.variance - expected.q.variance).cwiseAbs().maxCoeff(), 1e-9);
        EXPECT_LE(optimum.steps, 2) << "the second only finds that there is nothing left";
        EXPECT_TRUE(optimum.converged);
        EXPECT_LT(optimum.relative_residual, 1e-11);
        expect_never_falls(optimum);
        EXPECT_NEAR(optimum.elbo, full_elbo({}, f.problem, f.hyper, optimum.q), 1e-10);
        const auto one = optimal_posterior({}, f.problem, f.hyper, start, {.linear_tolerance = 1e-12, .steps = 1});
        EXPECT_EQ(one.steps, 1);
        EXPECT_NEAR(one.elbo, optimum.elbo, 1e-9);
    }
}

// Eq. C2; for data rows the variances v that the inducing points leave cost sum v / (2 noise) more.
TEST_P(GaussianOptimum, HasTheBoundOfC2BelowTheEvidence) {
    const auto optimum = optimal_posterior({}, f.problem, f.hyper, f.posterior, kTight);
    const Vector y = f.problem.targets - dense.mean_at_data;
    const MatrixXd covariance = dense.a * dense.q.inverse() * dense.a.transpose() + noise * MatrixXd::Identity(y.size(), y.size());
    const double lost = 0.5 * (expected.p.diagonal().array().log().sum() - testing::log_determinant(expected.p));
    EXPECT_GT(lost, 0.0);
    EXPECT_NEAR(optimum.elbo, testing::log_normal_density(y, covariance) - lost - dense.v.sum() / (2.0 * noise), 1e-8);
    EXPECT_LE(optimum.elbo, testing::log_normal_density(y, covariance + MatrixXd(dense.v.asDiagonal())));
}

TEST_P(GaussianOptimum, IsAStationaryPointAndIdenticalOnOneAndTwoThreads) {
    const auto one = optimal_posterior({.threads = 1}, f.problem, f.hyper, f.posterior, kTight);
    const auto two = optimal_posterior({.threads = 2}, f.problem, f.hyper, f.posterior, kTight);
    expect_stationary(f.problem, f.hyper, one.q, 1e-8);
    EXPECT_EQ(one.q.mean, two.q.mean);
    EXPECT_EQ(one.q.variance, two.q.variance);
    EXPECT_EQ(one.trace, two.trace);
}

INSTANTIATE_TEST_SUITE_P(Layouts, GaussianOptimum,
                         ::testing::Values(GaussianCase{Layout::one_per_site, false}, GaussianCase{Layout::one_per_site, true},
                                           GaussianCase{Layout::repeated_sites, true}, GaussianCase{Layout::data_rows, false},
                                           GaussianCase{Layout::data_rows, true}),
                         [](const auto& suite) {
                             const Layout layout = suite.param.layout;
                             return std::string(layout == Layout::one_per_site     ? "sites"
                                                : layout == Layout::repeated_sites ? "repeated"
                                                                                   : "rows") +
                                    (suite.param.linear_mean ? "_linear" : "");
                         });

TEST(OptimalPosterior, BeforeAnyStepIsTheStart) {
    const SmallProblem f = small_problem("gaussian", Layout::data_rows);
    const auto none = optimal_posterior({}, f.problem, f.hyper, f.posterior, {.steps = 0});
    EXPECT_EQ(none.q.mean, f.posterior.mean);
    EXPECT_EQ(none.q.variance, f.posterior.variance);
    EXPECT_NEAR(none.elbo, full_elbo({}, f.problem, f.hyper, f.posterior), 1e-10);
    EXPECT_FALSE(none.converged);
}

struct NaturalCase {
    std::string likelihood;
    Layout layout;
};
class NaturalSteps : public ::testing::TestWithParam<NaturalCase> {};

TEST_P(NaturalSteps, RiseToAStationaryPoint) {
    const SmallProblem f = with_linear_mean(small_problem(GetParam().likelihood, GetParam().layout));
    std::vector<double> reached;
    for (const MeanField& start : {prior_marginals(f.problem, f.hyper), f.posterior}) {
        const auto optimum = optimal_posterior({}, f.problem, f.hyper, start, kTight);
        expect_never_falls(optimum);
        EXPECT_GT(optimum.trace.back(), optimum.trace.front());
        EXPECT_TRUE(optimum.converged);
        EXPECT_LT(optimum.steps, 100);
        EXPECT_NEAR(optimum.elbo, full_elbo({}, f.problem, f.hyper, optimum.q), 1e-9);
        expect_stationary(f.problem, f.hyper, optimum.q, 1e-5);
        reached.push_back(optimum.elbo);
    }
    EXPECT_NEAR(reached[0], reached[1], 1e-8);
}

INSTANTIATE_TEST_SUITE_P(LikelihoodsAndLayouts, NaturalSteps,
                         ::testing::Values(NaturalCase{"student-t", Layout::one_per_site}, NaturalCase{"student-t", Layout::data_rows},
                                           NaturalCase{"bernoulli", Layout::repeated_sites}, NaturalCase{"bernoulli", Layout::data_rows},
                                           NaturalCase{"bernoulli-logit", Layout::one_per_site},
                                           NaturalCase{"poisson", Layout::repeated_sites}, NaturalCase{"poisson", Layout::data_rows}),
                         [](const auto& suite) {
                             std::string name = suite.param.likelihood + (suite.param.layout == Layout::one_per_site     ? "_sites"
                                                                          : suite.param.layout == Layout::repeated_sites ? "_repeated"
                                                                                                                         : "_rows");
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

// One target in ten is off by a thousand; Student-t noise does not follow them.
TEST(NaturalSteps, OfStudentTIgnoreGrossOutliers) {
    SimulatedField field = simulated_field(400, 12, 0.3, 0.01);
    const auto student = likelihood::make_likelihood("student-t");
    field.problem.likelihood = student.get();
    std::vector<Index> outliers;
    for (Index i = 0; i < 400; i += 10) outliers.push_back(i);
    for (const Index i : outliers) field.problem.targets[i] += i % 20 == 0 ? 1000.0 : -1000.0;
    const Hyperparameters hyper{{0.3, 0.3}, 1.0, 1e-3, 0.0, {0.01, 3.0}};
    const auto optimum = optimal_posterior({}, field.problem, hyper, prior_marginals(field.problem, hyper), kTight);
    expect_never_falls(optimum);
    EXPECT_TRUE(optimum.converged);
    expect_stationary(field.problem, hyper, optimum.q, 1e-4);

    const Points places = field.problem.inducing(outliers, Eigen::all);
    const Vector no_mean = Vector::Zero(static_cast<Eigen::Index>(outliers.size()));
    const auto prediction =
        predict_latent({}, covariance(field.problem, hyper), {optimum.q.mean, optimum.q.variance, no_mean}, field.problem.inducing,
                       neighbors::nearest_graph(field.problem.inducing, places, 12, {}), places);
    const Vector smooth = field.smooth(outliers);
    EXPECT_LT((prediction.mean - smooth).cwiseAbs().maxCoeff(), 0.3);
    EXPECT_LT((prediction.mean - smooth).norm() / std::sqrt(40.0), 0.1);
}

// Length-scales from a few spacings of the points to the whole square.
TEST(OptimalPosterior, NeedsFewIterationsForASmoothField) {
    for (const double lengthscale : {0.1, 0.3, 1.0}) {
        const SimulatedField field = simulated_field(2000, 16, lengthscale, 0.1);
        const auto iterations = [&](double nugget) {
            const Hyperparameters hyper{{lengthscale, lengthscale}, 1.0, nugget, 0.0, {0.1}};
            const auto optimum =
                optimal_posterior({}, field.problem, hyper, prior_marginals(field.problem, hyper), {.linear_tolerance = 1e-6, .steps = 1});
            EXPECT_LT(optimum.relative_residual, 1e-6);
            return optimum.linear_iterations;
        };
        EXPECT_LT(iterations(1e-8), 75) << lengthscale;
        EXPECT_LT(iterations(0.05), 25) << lengthscale;
    }
}

// The same m, whether the rows are cut into regions or not, and not many more iterations.
TEST(OptimalPosterior, IsTheSameInRegions) {
    SimulatedField field = simulated_field(12000, 8, 0.1, 0.1);
    Problem& problem = field.problem;
    const auto numbering = neighbors::cache_numbering(problem.prior_graph, problem.inducing, {});
    problem.inducing = Points(problem.inducing(numbering.order, Eigen::all));
    problem.targets = Vector(problem.targets(numbering.order));
    problem.prior_graph = neighbors::renumbered(problem.prior_graph, numbering.order, {});
    const Hyperparameters hyper{{0.1, 0.1}, 1.0, 0.05, 0.0, {0.1}};
    const auto optimum = [&] {
        return optimal_posterior({}, problem, hyper, prior_marginals(problem, hyper), {.linear_tolerance = 1e-9, .steps = 1});
    };
    ASSERT_EQ(numbering.regions.size(), 4U);
    problem.regions = numbering.regions;
    const auto cut = optimum();
    // One region wants smaller numbers for neighbours: the order of the approximation has them.
    const auto number = neighbors::inverse_order(numbering.order);
    problem.inducing = Points(problem.inducing(number, Eigen::all));
    problem.targets = Vector(problem.targets(number));
    problem.prior_graph = neighbors::renumbered(problem.prior_graph, number, {});
    problem.regions = {};
    const auto whole = optimum();
    EXPECT_LT((Vector(whole.q.mean(numbering.order)) - cut.q.mean).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_NEAR(cut.elbo, whole.elbo, 1e-9 * std::abs(whole.elbo));
    EXPECT_LE(cut.linear_iterations, 2 * whole.linear_iterations);
}

}  // namespace
}  // namespace vnngp::inference
