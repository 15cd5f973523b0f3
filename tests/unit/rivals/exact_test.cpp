#include "vnngp/rivals/exact.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "unit/inference/small_problem.hpp"

namespace vnngp::rivals {
namespace {

using inference::ElboGradient;
using inference::Hyperparameters;
using inference::Layout;
using inference::ParameterVector;
using inference::SmallProblem;
using linalg::Matrix;

Matrix observed_covariance(const SmallProblem& f) {
    const Points& x = f.problem.inducing;
    Matrix c = testing::covariance_matrix("matern52", x, x, f.hyper.shape, f.hyper.outputscale);
    c.diagonal().array() += f.hyper.nugget + f.hyper.likelihood[0] + f.problem.jitter * f.hyper.outputscale;
    return c;
}

Vector centered(const SmallProblem& f) {
    Vector y(f.problem.num_inducing());
    for (Index i = 0; i < y.size(); ++i) y[f.problem.sites[i]] = f.problem.targets[i];
    for (Index j = 0; j < y.size(); ++j) y[j] -= inference::prior_mean(f.hyper, f.problem.mean_columns, f.problem.inducing.row(j).data());
    return y;
}

SmallProblem problem_of(Index size) { return with_linear_mean(inference::small_problem("gaussian", Layout::one_per_site, size)); }

TEST(Exact, IsTheNormalDensityOfTheObservations) {
    for (const Index size : {18, 97}) {
        const SmallProblem f = problem_of(size);
        EXPECT_NEAR(exact_log_likelihood({}, f.problem, f.hyper), testing::log_normal_density(centered(f), observed_covariance(f)), 1e-9);
    }
}

void expect_gradient(const SmallProblem& f, const ElboGradient& gradient, const std::function<double(const Hyperparameters&)>& value) {
    const ParameterVector layout(f.problem, {});
    const auto at = [&](std::span<const double> raw) {
        Hyperparameters hyper = f.hyper;
        layout.assign(raw, hyper);
        return value(hyper);
    };
    testing::expect_gradient_matches(at, layout.raw(f.hyper), layout.gradient(gradient), 1e-7);
}

TEST(Exact, GradientMatchesFiniteDifferences) {
    const SmallProblem f = problem_of(45);
    ElboGradient gradient(f.problem, false, false);
    EXPECT_EQ(exact_log_likelihood({}, f.problem, f.hyper, &gradient), exact_log_likelihood({}, f.problem, f.hyper));
    expect_gradient(f, gradient, [&](const Hyperparameters& hyper) { return exact_log_likelihood({}, f.problem, hyper); });
}

/// Probes whose second moments are exactly those of standard normal numbers: estimates that are linear in them are then exact.
Matrix exhaustive_probes(Index rank, Index size) {
    return std::sqrt(static_cast<double>(rank + size)) * Matrix::Identity(rank + size, rank + size);
}

TEST(IterativeExact, WithExhaustiveProbesIsTheExactLikelihood) {
    const SmallProblem f = problem_of(40);
    const double exact = exact_log_likelihood({}, f.problem, f.hyper);
    for (const Index rank : {0, 7, 40})
        for (const std::size_t cache : {std::size_t{0}, std::size_t{1} << 30}) {
            ElboGradient gradient(f.problem, false, false), expected(f.problem, false, false);
            const auto estimate = iterative_log_likelihood(
                {}, f.problem, f.hyper, exhaustive_probes(rank, 40),
                {.preconditioner_rank = rank, .tolerance = 1e-13, .iterations = 200, .cache_bytes = cache}, &gradient);
            EXPECT_NEAR(estimate.value, exact, 1e-7) << "rank " << rank;
            exact_log_likelihood({}, f.problem, f.hyper, &expected);
            const ParameterVector layout(f.problem, {});
            const auto a = layout.gradient(gradient), b = layout.gradient(expected);
            for (std::size_t p = 0; p < a.size(); ++p) EXPECT_NEAR(a[p], b[p], 1e-7) << "parameter " << p << " rank " << rank;
            EXPECT_LT((estimate.weights - observed_covariance(f).ldlt().solve(centered(f))).norm(), 1e-8);
        }
}

TEST(IterativeExact, SinglePrecisionIsEnoughForTheTrainingsTolerance) {
    const SmallProblem f = problem_of(300);
    RandomStream stream(6, StreamPurpose::test);
    Matrix probes(20 + 300, 10);
    for (double& value : probes.reshaped()) value = stream.normal();
    const auto estimate = [&](double tolerance, bool single, ElboGradient& gradient) {
        return iterative_log_likelihood({}, f.problem, f.hyper, probes,
                                        {.preconditioner_rank = 20,
                                         .tolerance = tolerance,
                                         .iterations = 400,
                                         .cache_bytes = std::size_t{1} << 30,
                                         .single_precision = single},
                                        &gradient)
            .value;
    };
    ElboGradient single(f.problem, false, false), twice(f.problem, false, false), solved(f.problem, false, false);
    const double value = estimate(1e-2, true, single), same = estimate(1e-2, false, twice), truth = estimate(1e-10, false, solved);
    // Rounding is far below what stopping early costs, and both are small.
    EXPECT_NEAR(value, same, 1e-3 * 300);
    EXPECT_NEAR(value, truth, 1e-2 * 300);
    const ParameterVector layout(f.problem, {});
    const auto a = layout.gradient(single), b = layout.gradient(twice);
    for (std::size_t p = 0; p < a.size(); ++p) EXPECT_NEAR(a[p], b[p], 1e-3 * (1.0 + std::abs(b[p]))) << "parameter " << p;
}

TEST(IterativeExact, RandomProbesEstimateItWithinTheirError) {
    const SmallProblem f = problem_of(150);
    const double exact = exact_log_likelihood({}, f.problem, f.hyper);
    RandomStream stream(5, StreamPurpose::test);
    Matrix probes(20 + 150, 400);
    for (double& value : probes.reshaped()) value = stream.normal();
    const auto estimate =
        iterative_log_likelihood({}, f.problem, f.hyper, probes, {.preconditioner_rank = 20, .tolerance = 1e-8, .iterations = 400});
    // A probe's error is about sqrt(2 tr(log^2)) ~ 10 nats here, that of the mean of 400 a twentieth of it.
    EXPECT_NEAR(estimate.value, exact, 2.0);
}

TEST(IterativeExact, NoSystemIsDoneBeforeTheLeastIterationsAndMemoryMayBeReused) {
    const SmallProblem f = problem_of(150);
    IterativeMemory memory;
    for (const bool single : {false, true}) {
        IterativeOptions options{
            .preconditioner_rank = 20, .tolerance = 1.0, .cache_bytes = std::size_t{1} << 30, .single_precision = single};
        const Matrix probes = testing::random_points(170, 3, 4);
        const auto at_once = iterative_log_likelihood({}, f.problem, f.hyper, probes, options, nullptr, &memory);
        options.least_iterations = 9;
        const auto later = iterative_log_likelihood({}, f.problem, f.hyper, probes, options, nullptr, &memory);
        EXPECT_LT(at_once.linear_iterations, 9);
        EXPECT_EQ(later.linear_iterations, 9);
        EXPECT_LT(later.relative_residual, at_once.relative_residual);
        EXPECT_EQ(later.value, iterative_log_likelihood({}, f.problem, f.hyper, probes, options).value);
    }
}

TEST(IterativeExact, ThePreconditionerSavesIterations) {
    const SmallProblem f = problem_of(300);
    const auto iterations = [&](Index rank) {
        return iterative_log_likelihood({}, f.problem, f.hyper, Matrix::Ones(rank + 300, 1),
                                        {.preconditioner_rank = rank, .tolerance = 1e-8})
            .linear_iterations;
    };
    EXPECT_LT(2 * iterations(60), iterations(0));
}

TEST(Exact, TrainingFindsTheMaximumByEitherSolver) {
    SmallProblem f = inference::small_problem("gaussian", Layout::one_per_site, 120);
    f.hyper.nugget = 0.0;
    const Matrix root = testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, {1.0, 0.5}, 1.0).llt().matrixL();
    const Vector field = root * testing::random_vector(120, 8) + 0.3 * testing::random_vector(120, 9);
    for (Index i = 0; i < 120; ++i) f.problem.targets[i] = field[f.problem.sites[i]];
    const auto by_factor = fit_exact({}, f.problem, f.hyper, {.memory_bytes = std::size_t{1} << 30});
    EXPECT_TRUE(by_factor.converged);
    EXPECT_EQ(by_factor.solver, "cholesky");
    const ParameterVector layout(f.problem, {.nugget = false});
    ElboGradient gradient(f.problem, false, false);
    exact_log_likelihood({}, f.problem, by_factor.hyper, &gradient);
    for (const double slope : layout.gradient(gradient)) EXPECT_NEAR(slope, 0.0, 0.3);
    EXPECT_GT(by_factor.log_likelihood, exact_log_likelihood({}, f.problem, f.hyper));

    const auto estimated = fit_exact({}, f.problem, f.hyper, {.memory_bytes = 0});
    EXPECT_EQ(estimated.solver, "conjugate gradients");
    EXPECT_EQ(estimated.weights.size(), 120);
    EXPECT_NEAR(exact_log_likelihood({}, f.problem, estimated.hyper), by_factor.log_likelihood, 0.5);

    const auto published =
        fit_exact({}, f.problem, f.hyper, {.published = true, .epochs = 400, .learning_rate = 0.05, .memory_bytes = std::size_t{1} << 30});
    EXPECT_NEAR(published.log_likelihood, by_factor.log_likelihood, 0.1);
    EXPECT_EQ(published.trace.size(), 400u);

    // C is kept in single precision, a factor would not fit: loose solves and few probes climb to the same place.
    const auto loose =
        fit_exact({}, f.problem, f.hyper, {.published = true, .epochs = 100, .learning_rate = 0.1, .memory_bytes = 4 * 120 * 120});
    EXPECT_EQ(loose.solver, "conjugate gradients");
    EXPECT_GE(loose.linear_iterations, 20);
    EXPECT_NEAR(exact_log_likelihood({}, f.problem, loose.hyper), by_factor.log_likelihood, 0.5);
}

TEST(Exact, KnownHyperparametersStay) {
    const SmallProblem f = problem_of(30);
    const auto result = fit_exact({}, f.problem, f.hyper, {.learn_hyperparameters = false, .memory_bytes = std::size_t{1} << 30});
    EXPECT_EQ(result.hyper.shape, f.hyper.shape);
    EXPECT_EQ(result.log_likelihood, exact_log_likelihood({}, f.problem, f.hyper));
}

}  // namespace
}  // namespace vnngp::rivals
