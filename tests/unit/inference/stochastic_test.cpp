#include "vnngp/inference/stochastic.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/natural_step.hpp"
#include "vnngp/inference/parameters.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

struct Case {
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern32", 2);
    std::unique_ptr<likelihood::Likelihood> likelihood = likelihood::make_likelihood("gaussian");
    Problem problem;
    Hyperparameters hyper{{0.7, 0.7}, 0.7, 0.0, 0.0, {0.7}};
    StochasticOptions options{.epochs = 20, .batch = 16, .learning_rate = 0.05, .neighbors = 5};
};

// Sites at random places, a smooth target with noise.
Case make_case(Index count, bool fewer_inducing = false) {
    Case c;
    c.problem.kernel = c.kernel.get();
    c.problem.likelihood = c.likelihood.get();
    const Points x = testing::random_points(count, 2, 31);
    const Vector noise = testing::random_vector(count, 32);
    c.problem.targets = (x.col(0).array() * 2.0).sin() + x.col(1).array() * 0.5 + 0.3 * noise.array();
    if (fewer_inducing) {
        c.problem.inducing = x.topRows(count / 4);
        c.problem.inputs = x;
        c.options.learn_locations = true;
    } else {
        c.problem.inducing = x;
        c.problem.prior_graph = neighbors::predecessor_graph(x, 5, {});
        c.problem.sites.resize(count);
        std::iota(c.problem.sites.begin(), c.problem.sites.end(), 0);
    }
    return c;
}

StochasticResult run(Case& c, const Context& context = {}) {
    return fit_stochastic(context, c.problem, c.hyper, c.options, initial_state({}, c.problem, c.hyper, c.options));
}

TEST(Stochastic, RaisesTheBound) {
    Case c = make_case(100);
    const auto start = initial_state({}, c.problem, c.hyper, c.options);
    const MeanField q{start.mean, (2 * start.log_deviation.array()).exp()};
    const double before = full_elbo({}, c.problem, c.hyper, q);
    const auto result = run(c);
    EXPECT_GT(full_elbo({}, c.problem, result.hyper, result.posterior), before + 50.0);
    EXPECT_EQ(result.trace.size(), 20u);
    EXPECT_EQ(result.steps, 20 * 7);
}

// A long run reaches, in q(u), the closed form of Eq. C1 at the hyperparameters it ends with.
TEST(Stochastic, LongRunReachesTheClosedFormOptimum) {
    Case c = make_case(60);
    c.options.epochs = 3000;
    c.options.batch = 20;
    c.options.learning_rate = 0.02;
    const auto result = run(c);
    const MatrixXd k =
        testing::covariance_matrix("matern32", c.problem.inducing, c.problem.inducing, result.hyper.shape, result.hyper.outputscale);
    const MatrixXd q = testing::precision(testing::dense_rows(k, c.problem.prior_graph, c.problem.jitter * result.hyper.outputscale));
    const double noise = result.hyper.likelihood[0];
    const MatrixXd p = q + MatrixXd::Identity(60, 60) / noise;
    const MeanField optimum{(p.ldlt().solve((c.problem.targets.array() - result.hyper.mean).matrix() / noise)).array() + result.hyper.mean,
                            p.diagonal().cwiseInverse()};
    const double best = full_elbo({}, c.problem, result.hyper, optimum), reached = full_elbo({}, c.problem, result.hyper, result.posterior);
    EXPECT_LE(reached, best);
    EXPECT_GT(reached, best - 0.01 * 60);
    EXPECT_LT((result.posterior.mean - optimum.mean).cwiseAbs().maxCoeff(), 0.05);
    EXPECT_TRUE(result.converged);
}

TEST(Stochastic, LearnedLocationsRaiseTheBoundAndFollowTheirNeighbours) {
    Case c = make_case(160, true);
    const Points start = c.problem.inducing;
    c.options.epochs = 60;
    const auto result = run(c);
    EXPECT_GT((c.problem.inducing - start).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_GT(result.trace.back(), result.trace.front() + 0.5);
    // The graphs belong to the last epoch's start: all but a few edges are those of the final locations.
    EXPECT_LT(neighbors::fraction_changed(c.problem.prior_graph, neighbors::predecessor_graph(c.problem.inducing, 5, {})), 0.05);
}

TEST(Stochastic, IsIdenticalOnOneAndTwoThreads) {
    Case a = make_case(100), b = make_case(100);
    const auto one = run(a, {.threads = 1, .seed = 3}), two = run(b, {.threads = 2, .seed = 3});
    EXPECT_EQ(one.posterior.mean, two.posterior.mean);
    EXPECT_EQ(one.posterior.variance, two.posterior.variance);
    EXPECT_EQ(one.hyper.shape, two.hyper.shape);
}

TEST(Stochastic, SeedsDiffer) {
    Case a = make_case(100), b = make_case(100);
    EXPECT_NE(run(a, {.seed = 3}).posterior.mean, run(b, {.seed = 4}).posterior.mean);
}

TEST(Stochastic, InterruptedAndResumedRunEqualsAnUninterruptedOne) {
    Case whole_case = make_case(100);
    const auto whole = run(whole_case);
    for (const std::int64_t stop_after : {1, 5, 48, 139}) {
        Case c = make_case(100);
        std::atomic<bool> stop{false};
        Context context{.threads = 2, .stop = &stop};
        context.progress = [&](const Progress&) {};
        // The parallel loops look at `stop`: set it from the visitor's side by counting checkpoints at every step.
        c.options.checkpoint_seconds = 0.0;
        StochasticState saved;
        std::int64_t steps = 0;
        const Checkpoint checkpoint = [&](const StochasticState& state) {
            saved = state;
            if (++steps == stop_after) stop = true;
        };
        EXPECT_THROW(fit_stochastic(context, c.problem, c.hyper, c.options, initial_state({}, c.problem, c.hyper, c.options), checkpoint),
                     Interrupted);
        Case again = make_case(100);
        const auto resumed = fit_stochastic({}, again.problem, again.hyper, again.options, saved);
        EXPECT_EQ(resumed.posterior.mean, whole.posterior.mean) << "stopped after " << stop_after;
        EXPECT_EQ(resumed.hyper.shape, whole.hyper.shape);
        EXPECT_EQ(resumed.trace, whole.trace);
    }
}

TEST(Stochastic, LearnsTheNuggetWhenAsked) {
    Case c = make_case(100);
    c.hyper.nugget = 0.07;
    c.options.learn_nugget = true;
    const auto result = run(c);
    EXPECT_NE(result.hyper.nugget, 0.07);
    EXPECT_GT(result.hyper.nugget, 0.0);
}

// Started anywhere, one natural step at Gaussian noise is the closed form of Eq. C1, for observations at sites and for data rows.
TEST(NaturalStep, LandsOnTheOptimumForGaussianNoise) {
    for (const bool rows : {false, true}) {
        Case c = make_case(80, rows);
        if (rows) {
            c.problem.prior_graph = neighbors::predecessor_graph(c.problem.inducing, 5, {});
            c.problem.data_graph = neighbors::nearest_graph(c.problem.inducing, c.problem.inputs, 5, {});
        }
        c.hyper.nugget = 0.02;
        c.hyper.mean = 0.3;
        const Index m = c.problem.num_inducing();
        const MeanField start{testing::random_vector(m, 34), Vector::Constant(m, 0.5)};
        const auto step = natural_step({}, c.problem, c.hyper, start, 1e-10, 1000);
        ElboGradient gradient(c.problem, false);
        full_elbo({}, c.problem, c.hyper, step.posterior, &gradient);
        EXPECT_LT(gradient.mean.cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_LT(gradient.variance.cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_LT(step.relative_residual, 1e-9);
    }
}

TEST(NaturalStep, RaisesTheBoundOfEveryLikelihoodFromThePrior) {
    for (const std::string name : {"student-t", "bernoulli", "bernoulli-logit", "poisson"}) {
        Case c = make_case(80);
        c.likelihood = likelihood::make_likelihood(name);
        c.problem.likelihood = c.likelihood.get();
        c.hyper.likelihood.clear();
        for (const auto& parameter : c.likelihood->parameters()) c.hyper.likelihood.push_back(parameter.initial);
        if (name != "student-t")
            for (double& y : c.problem.targets) y = y > 0;
        const MeanField prior{Vector::Constant(80, c.hyper.mean), Vector::Constant(80, c.hyper.outputscale)};
        const auto step = natural_step({}, c.problem, c.hyper, prior, 1e-6, 500);
        EXPECT_GT(full_elbo({}, c.problem, c.hyper, step.posterior), full_elbo({}, c.problem, c.hyper, prior)) << name;
    }
}

TEST(ParameterVector, RoundTripsAndDifferentiates) {
    Case c = make_case(30);
    c.hyper = {{0.3, 40.0}, 1e-3, 0.02, -0.4, {5e-4}};
    const ParameterVector layout(c.problem, true);
    const auto raw = layout.raw(c.hyper);
    ASSERT_EQ(raw.size(), layout.size());
    Hyperparameters back;
    layout.assign(raw, back);
    EXPECT_NEAR(back.shape[0], 0.3, 1e-12);
    EXPECT_NEAR(back.shape[1], 40.0, 1e-12);
    EXPECT_NEAR(back.outputscale, 1e-3, 1e-12);
    EXPECT_NEAR(back.nugget, 0.02, 1e-12);
    EXPECT_NEAR(back.likelihood[0], 5e-4, 1e-12);
    EXPECT_EQ(back.mean, -0.4);

    const MeanField q{testing::random_vector(30, 33), Vector::Constant(30, 0.2)};
    ElboGradient elbo_gradient(c.problem, false);
    full_elbo({}, c.problem, c.hyper, q, &elbo_gradient);
    const auto gradient = layout.gradient(elbo_gradient);
    for (std::size_t p = 0; p < raw.size(); ++p) {
        const auto along = [&](double x) {
            auto moved = raw;
            moved[p] = x;
            Hyperparameters hyper;
            layout.assign(moved, hyper);
            return full_elbo({}, c.problem, hyper, q);
        };
        const double step = 1e-4, difference = (along(raw[p] + step) - along(raw[p] - step)) / (2 * step);
        EXPECT_NEAR(gradient[p], difference, 1e-5 * (1 + std::abs(difference))) << p;
    }
}

}  // namespace
}  // namespace vnngp::inference
