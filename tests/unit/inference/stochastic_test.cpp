#include "vnngp/inference/stochastic.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "small_problem.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/variational.hpp"

namespace vnngp::inference {
namespace {

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
    return fit_stochastic(context, c.problem, c.hyper, c.options, initial_state(c.problem, c.hyper, c.options.learned));
}

TEST(Stochastic, RaisesTheBound) {
    Case c = make_case(100);
    const auto start = initial_state(c.problem, c.hyper, c.options.learned);
    const MeanField q{start.mean, start.deviation.array().square()};
    const double before = full_elbo({}, c.problem, c.hyper, q);
    const auto result = run(c);
    EXPECT_GT(full_elbo({}, c.problem, result.hyper, result.posterior), before + 50.0);
    EXPECT_EQ(result.trace.size(), 20u);
    EXPECT_EQ(result.steps, 20 * 7);
}

// A long run reaches, in q(u), the closed form of Eq. C1 at the hyperparameters it ends with; the hyperparameters found with q(u) always at
// its optimum are at least as good.
TEST(Stochastic, LongRunReachesTheClosedFormOptimum) {
    Case c = make_case(60);
    c.options.epochs = 3000;
    c.options.batch = 20;
    c.options.learning_rate = 0.02;
    const auto result = run(c);
    const auto optimum = dense_optimum(dense_problem(c.problem, result.hyper, "matern32"), c.problem.targets, result.hyper.likelihood[0]).q;
    const double best = full_elbo({}, c.problem, result.hyper, optimum), reached = full_elbo({}, c.problem, result.hyper, result.posterior);
    EXPECT_LE(reached, best);
    EXPECT_GT(reached, best - 0.01 * 60);
    EXPECT_LT((result.posterior.mean - optimum.mean).cwiseAbs().maxCoeff(), 0.05);
    EXPECT_TRUE(result.converged);

    const auto closed = maximize_bound({}, c.problem, c.hyper, prior_marginals(c.problem, c.hyper),
                                       {.learned = c.options.learned, .tolerance = 1e-8, .max_evaluations = 300});
    EXPECT_GT(closed.posterior.elbo, reached - 1e-4);
    EXPECT_LT(closed.posterior.elbo, reached + 0.05 * 60) << "both found the same maximum";
}

TEST(Stochastic, LearnedLocationsRaiseTheBoundAndFollowTheirNeighbours) {
    Case c = make_case(160, true);
    const Points start = c.problem.inducing;
    c.options.epochs = 60;
    const auto result = run(c);
    EXPECT_GT((c.problem.inducing - start).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_GT(result.trace.back(), result.trace.front() + 0.5);
    // The graphs belong to the last epoch's start: all but a few edges are those of the final locations.
    EXPECT_LT(neighbors::fraction_changed(c.problem.prior_graph, neighbors::predecessor_graph(c.problem.inducing, 5, {}), {}), 0.05);
}

constexpr double kNever = 2.0;  ///< a share that no minibatch depends on

// Visiting all points in every step, or only those of the minibatch, is the same training, but for epsilon in Adam's closed form of the
// steps that a point misses, and neighbours searched among locations that are not all up to date.
TEST(Stochastic, VisitingAllPointsIsTheSameTraining) {
    for (const bool fewer_inducing : {false, true}) {
        Case all = make_case(200, fewer_inducing), few = make_case(200, fewer_inducing);
        few.options.learning_rate = all.options.learning_rate = 0.01;
        few.options.epochs = all.options.epochs = 8;
        few.options.visit_all_from = kNever;
        const auto start = initial_state(all.problem, all.hyper, all.options.learned);
        const auto every = run(all), some = run(few);
        EXPECT_NE(every.posterior.mean, some.posterior.mean);
        EXPECT_LT((every.posterior.mean - some.posterior.mean).norm(), 0.03 * (every.posterior.mean - start.mean).norm());
        const Vector deviations = every.posterior.variance.cwiseSqrt(), others = some.posterior.variance.cwiseSqrt();
        EXPECT_LT((deviations - others).norm(), 0.03 * (deviations - start.deviation).norm());
        EXPECT_NEAR(every.trace.back(), some.trace.back(), 0.01);
        if (!fewer_inducing) continue;
        EXPECT_LT((all.problem.inducing - few.problem.inducing).norm(), 0.03 * (all.problem.inducing - start.inducing).norm());
    }
}

TEST(Stochastic, IsIdenticalOnOneAndTwoThreads) {
    for (const double visit_all_from : {StochasticOptions().visit_all_from, kNever}) {
        Case a = make_case(100), b = make_case(100);
        a.options.visit_all_from = b.options.visit_all_from = visit_all_from;
        const auto one = run(a, {.threads = 1, .seed = 3}), two = run(b, {.threads = 2, .seed = 3});
        EXPECT_EQ(one.posterior.mean, two.posterior.mean);
        EXPECT_EQ(one.posterior.variance, two.posterior.variance);
        EXPECT_EQ(one.hyper.shape, two.hyper.shape);
    }
}

TEST(Stochastic, SeedsDiffer) {
    Case a = make_case(100), b = make_case(100);
    EXPECT_NE(run(a, {.seed = 3}).posterior.mean, run(b, {.seed = 4}).posterior.mean);
}

class ResumedStochastic : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(VisitingAllOrFew, ResumedStochastic, ::testing::Values(StochasticOptions().visit_all_from, kNever));

TEST_P(ResumedStochastic, EqualsAnUninterruptedRun) {
    const auto made = [this] {
        Case c = make_case(100);
        c.options.visit_all_from = GetParam();
        return c;
    };
    Case whole_case = made();
    const auto whole = run(whole_case);
    for (const std::int64_t stop_after : {1, 5, 48, 139}) {
        Case c = made();
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
        EXPECT_THROW(
            fit_stochastic(context, c.problem, c.hyper, c.options, initial_state(c.problem, c.hyper, c.options.learned), checkpoint),
            Interrupted);
        Case again = made();
        const auto resumed = fit_stochastic({}, again.problem, again.hyper, again.options, saved);
        EXPECT_EQ(resumed.posterior.mean, whole.posterior.mean) << "stopped after " << stop_after;
        EXPECT_EQ(resumed.hyper.shape, whole.hyper.shape);
        EXPECT_EQ(resumed.trace, whole.trace);
    }
}

TEST(Stochastic, LearnsTheNuggetWhenAsked) {
    Case c = make_case(100);
    c.hyper.nugget = 0.07;
    c.options.learned.nugget = true;
    const auto result = run(c);
    EXPECT_NE(result.hyper.nugget, 0.07);
    EXPECT_GT(result.hyper.nugget, 0.0);
}

}  // namespace
}  // namespace vnngp::inference
