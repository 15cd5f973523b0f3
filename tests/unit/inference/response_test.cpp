#include "vnngp/inference/response.hpp"

#include <gtest/gtest.h>

#include "simulated_field.hpp"
#include "small_problem.hpp"
#include "support/finite_difference.hpp"
#include "vnngp/inference/optimal_posterior.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

ResponseTerms terms_of(const Problem& problem, std::vector<Index> points, Index neighbors) {
    auto graph = neighbors::predecessor_graph(problem.inducing, points, neighbors, {});
    const Points locations = problem.inducing(points, Eigen::all);
    return {std::move(points), locations, std::move(graph)};
}

double whole(const Problem& problem, const Hyperparameters& hyper, const Vector& values) {
    return response_log_likelihood({}, problem, hyper, values, all_response_terms(problem));
}

TEST(Response, EqualsTheDenseNormalDensityOfTheModel) {
    for (const Index neighbors : {4, 17}) {
        const SmallProblem f = with_linear_mean(small_problem("gaussian", Layout::one_per_site, 18, neighbors));
        const DenseProblem dense = dense_problem(f.problem, f.hyper);
        const Vector centered = f.posterior.mean - dense.mean_at_inducing;
        EXPECT_NEAR(whole(f.problem, f.hyper, f.posterior.mean), testing::log_normal_density(centered, dense.q.inverse()), 1e-9);
        if (neighbors == 17) {
            const double diagonal = f.hyper.nugget + f.problem.jitter * f.hyper.outputscale;
            const MatrixXd exact =
                testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale) +
                diagonal * MatrixXd::Identity(18, 18);
            EXPECT_NEAR(whole(f.problem, f.hyper, f.posterior.mean), testing::log_normal_density(centered, exact), 1e-9);
        }
    }
}

TEST(Response, GradientMatchesFiniteDifferences) {
    const SmallProblem f = with_linear_mean(small_problem("gaussian", Layout::one_per_site));
    const ParameterVector layout(f.problem, {});
    for (const auto& terms : {all_response_terms(f.problem), terms_of(f.problem, {0, 2, 3, 9, 17}, 4)}) {
        ElboGradient derivatives(f.problem, false, false);
        EXPECT_EQ(response_log_likelihood({}, f.problem, f.hyper, f.posterior.mean, terms, &derivatives),
                  response_log_likelihood({}, f.problem, f.hyper, f.posterior.mean, terms));
        const auto value = [&](std::span<const double> raw) {
            Hyperparameters hyper = f.hyper;
            layout.assign(raw, hyper);
            return response_log_likelihood({}, f.problem, hyper, f.posterior.mean, terms);
        };
        testing::expect_gradient_matches(value, layout.raw(f.hyper), layout.gradient(derivatives), 1e-7);
    }
}

TEST(Response, TermsAddUpAndARandomSampleEstimatesTheirSum) {
    const SimulatedField field = simulated_field(1600, 8, 0.2, 0.1);
    const Hyperparameters hyper{{0.2, 0.25}, 1.1, 0.1, 0.0, {0.1}};
    const double all = whole(field.problem, hyper, field.problem.targets);
    RandomStream stream(74, StreamPurpose::test);
    const auto order = random_permutation(1600, stream);
    double sum = 0.0;
    for (int part = 0; part < 4; ++part) {
        std::vector<Index> points(order.begin() + 400 * part, order.begin() + 400 * (part + 1));
        std::ranges::sort(points);
        const double value = response_log_likelihood({}, field.problem, hyper, field.problem.targets, terms_of(field.problem, points, 8));
        // A term is -z^2/2 - log(2 pi f)/2 with z standard normal: its standard deviation is about 0.7, that of a mean of 400 0.035.
        EXPECT_NEAR(value / 400, all / 1600, 5 * 0.035);
        sum += value;
    }
    EXPECT_NEAR(sum, all, 1e-9 * std::abs(all));
}

TEST(Response, IsIdenticalOnOneAndTwoThreads) {
    const SimulatedField field = simulated_field(1600, 8, 0.2, 0.1);
    const Hyperparameters hyper{{0.2, 0.25}, 1.1, 0.1, 0.0, {0.1}};
    ElboGradient one(field.problem, false, false), two(field.problem, false, false);
    const auto terms = all_response_terms(field.problem);
    EXPECT_EQ(response_log_likelihood({.threads = 1}, field.problem, hyper, field.problem.targets, terms, &one),
              response_log_likelihood({.threads = 2}, field.problem, hyper, field.problem.targets, terms, &two));
    EXPECT_EQ(one.covariance.log_shape, two.covariance.log_shape);
    EXPECT_EQ(one.prior_mean, two.prior_mean);
}

// Eq. C4: what the bound becomes when all noise is nugget.
TEST(Response, IsTheLimitOfTheBoundWithoutObservationNoise) {
    const SimulatedField field = simulated_field(300, 8, 0.3, 0.1);
    const Hyperparameters hyper{{0.3, 0.3}, 1.0, 0.1, 0.2, {1e-8}};
    const auto optimum = optimal_posterior({}, field.problem, hyper, prior_marginals(field.problem, hyper), {.linear_tolerance = 1e-10});
    EXPECT_NEAR(optimum.elbo / 300, whole(field.problem, hyper, field.problem.targets) / 300, 1e-4);
    // The bound with the noise anywhere else is lower: for as much noise in all it is what mean field does not lose.
    Hyperparameters split = hyper;
    split.nugget = split.likelihood[0] = 0.05;
    EXPECT_LT(optimal_posterior({}, field.problem, split, prior_marginals(field.problem, split)).elbo, optimum.elbo);
}

TEST(MaximizeResponse, RecoversTheNoiseAndLengthscaleOfASimulatedField) {
    const SimulatedField field = simulated_field(1500, 12, 0.25, 0.1);
    const Hyperparameters start{{0.7, 0.7}, 0.7, 0.5, 0.0, {0.123}};
    std::vector<Index> some;
    for (Index i = 0; i < 1500; i += 2) some.push_back(i);
    for (const auto& terms : {all_response_terms(field.problem), terms_of(field.problem, some, 12)}) {
        const auto result = maximize_response({}, field.problem, start, field.problem.targets, terms,
                                              {.learn_mean = true, .tolerance = 1e-7, .max_evaluations = 200});
        EXPECT_TRUE(result.converged) << result.stopped_because;
        EXPECT_NEAR(result.hyper.nugget, 0.1, 0.015);
        for (const double lengthscale : result.hyper.shape) EXPECT_NEAR(std::log(lengthscale / 0.25), 0.0, 0.5);
        EXPECT_DOUBLE_EQ(result.hyper.likelihood[0], 0.123) << "plays no part";
        EXPECT_NEAR(result.log_likelihood, response_log_likelihood({}, field.problem, result.hyper, field.problem.targets, terms), 1e-6);
        EXPECT_EQ(result.trace.size(), static_cast<std::size_t>(result.evaluations));
    }
}

TEST(MaximizeResponse, KeepsTheMeanUnlessItIsLearned) {
    const SimulatedField field = simulated_field(300, 8, 0.3, 0.1);
    const Hyperparameters start{{0.7, 0.7}, 0.7, 0.5, 0.7, {0.1}};
    const auto run = [&](bool learn_mean) {
        return maximize_response({}, field.problem, start, field.problem.targets, all_response_terms(field.problem),
                                 {.learn_mean = learn_mean, .tolerance = 1e-6, .max_evaluations = 200});
    };
    EXPECT_EQ(run(false).hyper.mean, 0.7);
    EXPECT_NE(run(true).hyper.mean, 0.7);
    EXPECT_GE(run(true).log_likelihood, run(false).log_likelihood);
}

TEST(MaximizeResponse, LeavesTheNuggetAboveItsLimit) {
    const SimulatedField field = simulated_field(300, 8, 0.3, 0.0);
    const Hyperparameters start{{0.3, 0.3}, 1.0, 0.1, 0.0, {0.1}};
    const auto nugget = [&](double smallest) {
        return maximize_response({}, field.problem, start, field.smooth, all_response_terms(field.problem),
                                 {.learn_mean = false, .tolerance = 1e-7, .max_evaluations = 200, .smallest_nugget = smallest})
            .hyper.nugget;
    };
    EXPECT_NEAR(nugget(1e-3), 1e-3, 1e-6) << "without noise the limit is where it ends";
    EXPECT_LT(nugget(1e-9), 1e-4);
}

}  // namespace
}  // namespace vnngp::inference
