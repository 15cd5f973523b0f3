#include "vnngp/inference/variational.hpp"

#include <gtest/gtest.h>

#include "simulated_field.hpp"
#include "small_problem.hpp"
#include "support/finite_difference.hpp"

namespace vnngp::inference {
namespace {

constexpr PosteriorOptions kTight{.linear_tolerance = 1e-12, .linear_iterations = 1000, .tolerance = 1e-14, .steps = 500};

struct Case {
    std::string likelihood;
    Layout layout;
};
class CollapsedBound : public ::testing::TestWithParam<Case> {};

// The envelope theorem: with q(u) at its optimum the partial derivatives are all there is.
TEST_P(CollapsedBound, HasThePartialDerivativesOfTheBound) {
    const SmallProblem f = with_linear_mean(small_problem(GetParam().likelihood, GetParam().layout));
    const ParameterVector layout(f.problem, {});
    const auto optimum = optimal_posterior({}, f.problem, f.hyper, f.posterior, kTight);
    ElboGradient derivatives(f.problem, false, false);
    full_elbo({}, f.problem, f.hyper, optimum.q, &derivatives);
    const auto collapsed = [&](std::span<const double> raw) {
        Hyperparameters hyper = f.hyper;
        layout.assign(raw, hyper);
        return optimal_posterior({}, f.problem, hyper, optimum.q, kTight).elbo;
    };
    testing::expect_gradient_matches(collapsed, layout.raw(f.hyper), layout.gradient(derivatives), 1e-6);
}

TEST_P(CollapsedBound, IsMaximisedWhereItsGradientVanishes) {
    const SmallProblem f = small_problem(GetParam().likelihood, GetParam().layout);
    const VariationalOptions options{.tolerance = 1e-10, .max_evaluations = 300};
    const auto result = maximize_bound({}, f.problem, f.hyper, f.posterior, options);
    EXPECT_GT(result.posterior.elbo, optimal_posterior({}, f.problem, f.hyper, f.posterior).elbo);
    EXPECT_TRUE(result.converged) << result.stopped_because;
    EXPECT_EQ(result.trace.size(), static_cast<std::size_t>(result.evaluations));
    EXPECT_NEAR(result.posterior.elbo / f.problem.num_observations(), *std::ranges::max_element(result.trace), 1e-12);
    EXPECT_GT(result.longest_solve, 0);

    ElboGradient derivatives(f.problem, false, false);
    EXPECT_NEAR(full_elbo({}, f.problem, result.hyper, result.posterior.q, &derivatives), result.posterior.elbo, 1e-8);
    const ParameterVector layout(f.problem, options.learned);
    const auto raw = layout.raw(result.hyper), gradient = layout.gradient(derivatives);
    for (std::size_t p = 0; p < raw.size(); ++p) {
        const double per_observation = gradient[p] / f.problem.num_observations();
        EXPECT_TRUE(per_observation < 1e-3 || raw[p] > layout.upper()[p] - 1e-9) << p;
        EXPECT_TRUE(per_observation > -1e-3 || raw[p] < layout.lower()[p] + 1e-9) << p;
    }
}

INSTANTIATE_TEST_SUITE_P(LikelihoodsAndLayouts, CollapsedBound,
                         ::testing::Values(Case{"gaussian", Layout::one_per_site}, Case{"gaussian", Layout::repeated_sites},
                                           Case{"gaussian", Layout::data_rows}, Case{"student-t", Layout::one_per_site},
                                           Case{"student-t", Layout::data_rows}, Case{"bernoulli", Layout::repeated_sites}),
                         [](const auto& suite) {
                             std::string name = suite.param.likelihood + (suite.param.layout == Layout::one_per_site     ? "_sites"
                                                                          : suite.param.layout == Layout::repeated_sites ? "_repeated"
                                                                                                                         : "_rows");
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(MaximizeBound, KeepsWhatIsNotLearnedAndHonoursTheLimit) {
    const SmallProblem f = with_linear_mean(small_problem("gaussian", Layout::data_rows));
    const auto result =
        maximize_bound({}, f.problem, f.hyper, f.posterior, {.learned = {.nugget = false, .mean = false}, .max_evaluations = 5});
    EXPECT_EQ(result.hyper.nugget, f.hyper.nugget);
    EXPECT_EQ(result.hyper.mean, f.hyper.mean);
    EXPECT_EQ(result.hyper.slopes, f.hyper.slopes);
    EXPECT_NE(result.hyper.shape, f.hyper.shape);
    EXPECT_LE(result.evaluations, 5);
}

TEST(MaximizeBound, IsIdenticalOnOneAndTwoThreads) {
    const SmallProblem f = small_problem("student-t", Layout::data_rows);
    const auto one = maximize_bound({.threads = 1}, f.problem, f.hyper, f.posterior, {.max_evaluations = 10});
    const auto two = maximize_bound({.threads = 2}, f.problem, f.hyper, f.posterior, {.max_evaluations = 10});
    EXPECT_EQ(one.trace, two.trace);
    EXPECT_EQ(one.hyper.shape, two.hyper.shape);
    EXPECT_EQ(one.posterior.q.mean, two.posterior.q.mean);
}

TEST(MaximizeBound, RecoversTheNoiseAndLengthscaleOfASimulatedField) {
    const SimulatedField field = simulated_field(800, 10, 0.25, 0.1);
    const Hyperparameters start{{0.7, 0.7}, 0.7, 0.01, 0.0, {0.5}};
    const auto result = maximize_bound({}, field.problem, start, prior_marginals(field.problem, start), {});
    EXPECT_NEAR(result.hyper.likelihood[0] + result.hyper.nugget, 0.1, 0.02) << "noise and nugget together are the noise";
    for (const double lengthscale : result.hyper.shape) EXPECT_NEAR(std::log(lengthscale / 0.25), 0.0, 0.6);
}

}  // namespace
}  // namespace vnngp::inference
