#include "vnngp/rivals/svgp.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/finite_difference.hpp"
#include "unit/inference/small_problem.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/rivals/dense_posterior.hpp"
#include "vnngp/rivals/exact.hpp"

namespace vnngp::rivals {
namespace {

using inference::Hyperparameters;
using inference::Layout;
using inference::ParameterVector;
using inference::SmallProblem;
using linalg::Matrix;

constexpr Index kInducing = 18;

WhitenedPosterior any_posterior(bool diagonal) {
    WhitenedPosterior posterior{testing::random_vector(kInducing, 31), {}};
    if (diagonal) {
        posterior.factor = testing::random_vector(kInducing, 32).cwiseAbs().array() + 0.2;
    } else {
        posterior.factor = 0.2 * testing::random_points(kInducing, kInducing, 32);
        posterior.factor.diagonal().array() = posterior.factor.diagonal().array().abs() + 0.3;
        posterior.factor = Matrix(posterior.factor.triangularView<Eigen::Lower>());
    }
    return posterior;
}

std::vector<Index> everything(const inference::Problem& problem) {
    std::vector<Index> all(problem.num_observations());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// The bound from q(u) = N(mu + L m, L C C' L') and dense algebra, without whitening.
double dense_bound(const SmallProblem& f, const WhitenedPosterior& posterior) {
    const auto k = [&](const Points& x, const Points& y) {
        return testing::covariance_matrix("matern52", x, y, f.hyper.shape, f.hyper.outputscale);
    };
    const auto mean = [&](const Points& x) {
        Vector mu(x.rows());
        for (Eigen::Index i = 0; i < x.rows(); ++i) mu[i] = inference::prior_mean(f.hyper, f.problem.mean_columns, x.row(i).data());
        return mu;
    };
    Matrix prior = k(f.problem.inducing, f.problem.inducing);
    prior.diagonal().array() += f.hyper.nugget + f.problem.jitter * f.hyper.outputscale;
    const Matrix l = prior.llt().matrixL();
    const Matrix c = posterior.is_diagonal() ? Matrix(posterior.factor.col(0).asDiagonal()) : posterior.factor;
    const Matrix s = l * c * c.transpose() * l.transpose();
    const Vector m = l * posterior.mean;
    const Matrix cross = k(f.problem.inducing, f.problem.inputs), weights = prior.ldlt().solve(cross);
    const Vector f_mean = mean(f.problem.inputs) + weights.transpose() * m;
    double bound = 0.0;
    for (Index i = 0; i < f.problem.num_observations(); ++i) {
        const Vector a = weights.col(i);
        const double variance = f.hyper.outputscale + f.hyper.nugget - a.dot(cross.col(i)) + a.dot(s * a), y = f.problem.targets[i];
        double ell = 0.0;
        const double centre = f_mean[i];
        f.likelihood->expected_log_density(f.hyper.likelihood, {&y, 1}, {{&centre, 1}, {&variance, 1}}, {.value = {&ell, 1}});
        bound += ell;
    }
    const double kl = 0.5 * (prior.ldlt().solve(s).trace() + m.dot(prior.ldlt().solve(m)) - kInducing + testing::log_determinant(prior) -
                             testing::log_determinant(s));
    return bound - kl;
}

class Svgp : public ::testing::TestWithParam<std::tuple<std::string, bool>> {
protected:
    SmallProblem f = with_linear_mean(inference::small_problem(std::get<0>(GetParam()), Layout::data_rows, kInducing));
    WhitenedPosterior posterior = any_posterior(std::get<1>(GetParam()));
    std::vector<Index> all = everything(f.problem);
};

TEST_P(Svgp, BoundIsThatOfDenseAlgebra) {
    EXPECT_NEAR(svgp_bound({}, f.problem, f.hyper, posterior, all), dense_bound(f, posterior), 1e-8);
}

TEST_P(Svgp, GradientsMatchFiniteDifferences) {
    SvgpGradient gradient{{}, {}, {}, inference::ElboGradient(f.problem, false, false)};
    const std::vector<Index> batch{0, 3, 4, 11, 30};
    EXPECT_EQ(svgp_bound({}, f.problem, f.hyper, posterior, batch, &gradient), svgp_bound({}, f.problem, f.hyper, posterior, batch));
    const ParameterVector layout(f.problem, {});
    const auto in_hyper = [&](std::span<const double> raw) {
        Hyperparameters hyper = f.hyper;
        layout.assign(raw, hyper);
        return svgp_bound({}, f.problem, hyper, posterior, batch);
    };
    testing::expect_gradient_matches(in_hyper, layout.raw(f.hyper), layout.gradient(gradient.hyper), 1e-6);

    const auto in_mean = [&](std::span<const double> m) {
        return svgp_bound({}, f.problem, f.hyper, {Eigen::Map<const Vector>(m.data(), kInducing), posterior.factor}, batch);
    };
    testing::expect_gradient_matches(in_mean, std::span(posterior.mean.data(), kInducing), std::span(gradient.mean.data(), kInducing),
                                     1e-6);

    const auto size = static_cast<std::size_t>(posterior.factor.size());
    const auto in_factor = [&](std::span<const double> c) {
        return svgp_bound({}, f.problem, f.hyper,
                          {posterior.mean, Eigen::Map<const Matrix>(c.data(), posterior.factor.rows(), posterior.factor.cols())}, batch);
    };
    Matrix on_factor = gradient.factor;
    if (!posterior.is_diagonal()) on_factor = Matrix(on_factor.triangularView<Eigen::Lower>());
    testing::expect_gradient_matches(in_factor, std::span(posterior.factor.data(), size), std::span(on_factor.data(), size), 1e-6);

    const auto in_locations = [&](std::span<const double> z) {
        inference::Problem moved = f.problem;
        moved.inducing = Eigen::Map<const Points>(z.data(), kInducing, 2);
        return svgp_bound({}, moved, f.hyper, posterior, batch);
    };
    testing::expect_gradient_matches(in_locations, std::span(f.problem.inducing.data(), 2 * kInducing),
                                     std::span(gradient.locations.data(), 2 * kInducing), 1e-6);
}

TEST_P(Svgp, MinibatchesAreUnbiased) {
    double sum = 0.0;
    for (const Index i : all) sum += svgp_bound({}, f.problem, f.hyper, posterior, {&i, 1});
    EXPECT_NEAR(sum / static_cast<double>(all.size()), svgp_bound({}, f.problem, f.hyper, posterior, all), 1e-8);
}

TEST_P(Svgp, MemoryOfAnEarlierBatchChangesNothing) {
    SvgpGradient fresh{{}, {}, {}, inference::ElboGradient(f.problem, false, false)}, again = fresh;
    const std::vector<Index> batch{0, 3, 4, 11, 30};
    SvgpBound bound;
    bound({}, f.problem, f.hyper, posterior, all, &again);
    EXPECT_EQ(bound({}, f.problem, f.hyper, posterior, batch, &again), svgp_bound({}, f.problem, f.hyper, posterior, batch, &fresh));
    EXPECT_EQ(again.mean, fresh.mean);
    EXPECT_EQ(again.factor, fresh.factor);
    EXPECT_EQ(again.locations, fresh.locations);
    EXPECT_EQ(again.hyper.covariance.log_shape, fresh.hyper.covariance.log_shape);
}

INSTANTIATE_TEST_SUITE_P(LikelihoodsAndForms, Svgp,
                         ::testing::Combine(::testing::Values("gaussian", "student-t", "bernoulli", "poisson"), ::testing::Bool()));

/// Inducing points at all inputs.
SmallProblem at_inputs() {
    SmallProblem f = inference::small_problem("gaussian", Layout::one_per_site, kInducing);
    f.problem.inputs.resize(kInducing, 2);
    for (Index i = 0; i < kInducing; ++i) f.problem.inputs.row(i) = f.problem.inducing.row(f.problem.sites[i]);
    f.hyper.nugget = 0.0;
    return f;
}

// q(v) = p(v | y) with M = N: L v + mu is the exact posterior, and the bound is the evidence.
TEST(SvgpLaws, WithInducingPointsAtAllInputsTheOptimumIsTheExactProcess) {
    const SmallProblem f = at_inputs();
    Matrix prior = testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale);
    prior.diagonal().array() += f.problem.jitter * f.hyper.outputscale;
    const Matrix l = prior.llt().matrixL();
    Vector y(kInducing);
    for (Index i = 0; i < kInducing; ++i) y[f.problem.sites[i]] = f.problem.targets[i] - f.hyper.mean;
    const double noise = f.hyper.likelihood[0];
    const Matrix precision = Matrix::Identity(kInducing, kInducing) + l.transpose() * l / noise;
    const WhitenedPosterior optimum{precision.ldlt().solve(l.transpose() * y / noise), precision.inverse().llt().matrixL()};
    EXPECT_NEAR(svgp_bound({}, f.problem, f.hyper, optimum, everything(f.problem)), exact_log_likelihood({}, f.problem, f.hyper), 1e-5);

    const Points grid = testing::random_points(40, 2, 77);
    conditional::Covariance covariance = inference::covariance(f.problem, f.hyper), observed = covariance;
    observed.nugget += noise;
    const auto svgp = DensePosterior({}, covariance, f.problem.inducing, optimum.mean, optimum.factor).predict({}, grid);
    const auto exact = DensePosterior::of_observations({}, observed, f.problem.inducing, y).predict({}, grid);
    EXPECT_LT((svgp.mean - exact.mean).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_LT((svgp.variance - exact.variance).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SvgpLaws, AnyPosteriorsBoundIsBelowTheEvidence) {
    const SmallProblem f = at_inputs();
    const double evidence = exact_log_likelihood({}, f.problem, f.hyper);
    for (const bool diagonal : {false, true}) {
        EXPECT_LT(svgp_bound({}, f.problem, f.hyper, any_posterior(diagonal), everything(f.problem)), evidence);
        EXPECT_LT(svgp_bound({}, f.problem, f.hyper, whitened_prior(kInducing, diagonal), everything(f.problem)), evidence);
    }
}

// 300 inducing points within a few length-scales: the condition number of K_zz is 1e5 with the nugget of the published training.
TEST(SvgpLaws, SinglePrecisionIsLostInTheNoiseOfABatch) {
    constexpr Index inducing = 300, observations = 400;
    SmallProblem f = inference::small_problem("gaussian", Layout::data_rows, kInducing);
    f.problem.inducing = testing::random_points(inducing, 2, 5);
    f.problem.inputs = testing::random_points(observations, 2, 6);
    f.problem.targets = f.problem.inputs.col(0).array().sin().matrix() + 0.1 * testing::random_vector(observations, 7);
    f.hyper.shape = {1.0, 1.5};
    f.hyper.nugget = 1e-3;
    f.hyper.likelihood = {0.02};
    WhitenedPosterior posterior{testing::random_vector(inducing, 31), 0.02 * testing::random_points(inducing, inducing, 32)};
    posterior.factor.diagonal() = testing::random_vector(inducing, 33).cwiseAbs().array() + 0.1;
    const auto all = everything(f.problem);
    SvgpGradient twice{{}, {}, {}, inference::ElboGradient(f.problem, false, false)}, single = twice;
    const double expected = svgp_bound({}, f.problem, f.hyper, posterior, all, &twice);
    f.problem.single_precision = true;
    EXPECT_NEAR(svgp_bound({}, f.problem, f.hyper, posterior, all, &single), expected, 1e-6 * std::abs(expected));
    const auto expect_close = [](const auto& a, const auto& b) { EXPECT_LT((a - b).norm(), 1e-3 * b.norm()); };
    expect_close(single.mean, twice.mean);
    expect_close(single.factor, twice.factor);
    expect_close(single.locations, twice.locations);
    const ParameterVector layout(f.problem, {});
    const auto a = layout.gradient(single.hyper), b = layout.gradient(twice.hyper);
    for (std::size_t p = 0; p < a.size(); ++p) EXPECT_NEAR(a[p], b[p], 1e-3 * std::abs(b[p]) + 1e-6 * std::abs(expected)) << p;

    // Without a nugget K_zz is too close to singular.
    f.hyper.nugget = 0.0;
    const double served = svgp_bound({}, f.problem, f.hyper, posterior, all, &single);
    f.problem.single_precision = false;
    EXPECT_EQ(served, svgp_bound({}, f.problem, f.hyper, posterior, all, &twice));
    EXPECT_EQ(single.factor, twice.factor);
    EXPECT_EQ(single.locations, twice.locations);
}

TEST(SvgpLaws, TheOptimumForKnownHyperparametersIsTheEvidenceWhenInducingPointsAreAtAllInputs) {
    SmallProblem f = at_inputs();
    const auto result = fit_svgp({}, f.problem, f.hyper, {.learn_hyperparameters = false});
    EXPECT_EQ(result.hyper.shape, f.hyper.shape);
    EXPECT_EQ(result.steps, 0);
    EXPECT_NEAR(result.elbo, exact_log_likelihood({}, f.problem, f.hyper), 1e-5);
}

class SvgpOptimum : public ::testing::Test {
protected:
    SmallProblem f = with_linear_mean(inference::small_problem("gaussian", Layout::data_rows, kInducing));
    WhitenedPosterior optimum = svgp_optimum({}, f.problem, f.hyper, 7);  // several batches
    std::vector<Index> all = everything(f.problem);
    double bound = svgp_bound({}, f.problem, f.hyper, optimum, all);
};

TEST_F(SvgpOptimum, HasNoGradient) {
    SvgpGradient gradient{{}, {}, {}, inference::ElboGradient(f.problem, false, false)};
    svgp_bound({}, f.problem, f.hyper, optimum, all, &gradient);
    EXPECT_LT(gradient.mean.cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT(gradient.factor.cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_EQ(optimum.factor, Matrix(optimum.factor.triangularView<Eigen::Lower>()));
}

// log N(y | mu, K_xz K_zz^{-1} K_zx + noise I), less what inducing points leave unexplained: Titsias 2009.
TEST_F(SvgpOptimum, HasTheCollapsedBoundOfDenseAlgebra) {
    const auto k = [&](const Points& x, const Points& y) {
        return testing::covariance_matrix("matern52", x, y, f.hyper.shape, f.hyper.outputscale);
    };
    const double noise = f.hyper.likelihood[0];
    Matrix prior = k(f.problem.inducing, f.problem.inducing);
    prior.diagonal().array() += f.hyper.nugget + f.problem.jitter * f.hyper.outputscale;
    const Matrix cross = k(f.problem.inducing, f.problem.inputs), explained = cross.transpose() * prior.ldlt().solve(cross);
    Matrix observed = explained;
    observed.diagonal().array() += noise;
    Vector y = f.problem.targets;
    for (Eigen::Index i = 0; i < y.size(); ++i)
        y[i] -= inference::prior_mean(f.hyper, f.problem.mean_columns, f.problem.inputs.row(i).data());
    const double unexplained = static_cast<double>(y.size()) * (f.hyper.outputscale + f.hyper.nugget) - explained.trace();
    const double expected = -0.5 * (y.dot(observed.ldlt().solve(y)) + testing::log_determinant(observed) +
                                    static_cast<double>(y.size()) * std::log(2.0 * std::numbers::pi) + unexplained / noise);
    EXPECT_NEAR(bound, expected, 1e-7 * std::abs(expected));
}

TEST_F(SvgpOptimum, IsRefusedWithoutNoise) {
    f.hyper.likelihood[0] = 0.0;
    EXPECT_THROW(svgp_optimum({}, f.problem, f.hyper, 7), NumericalError);
}

TEST_F(SvgpOptimum, IsAboveWhatTrainingOfIndependentValuesReaches) {
    const auto trained =
        fit_svgp({}, f.problem, f.hyper,
                 {.epochs = 600, .learning_rate = 0.05, .learn_hyperparameters = false, .learn_locations = false, .diagonal = true});
    EXPECT_GT(trained.steps, 0);
    EXPECT_GT(trained.elbo, svgp_bound({}, f.problem, f.hyper, whitened_prior(kInducing, true), all) + 1.0);
    EXPECT_LT(trained.elbo, bound);
}

TEST(SvgpLaws, TrainingRaisesTheBoundAndMovesWhatItMay) {
    SmallProblem f = inference::small_problem("student-t", Layout::data_rows, kInducing);
    const Points before = f.problem.inducing;
    const double start = svgp_bound({}, f.problem, f.hyper, whitened_prior(kInducing, false), everything(f.problem));
    const auto result = fit_svgp({}, f.problem, f.hyper, {.epochs = 60, .batch = 8, .learning_rate = 0.02});
    EXPECT_GT(result.elbo, start + 1.0);
    EXPECT_NE(f.problem.inducing, before);
    EXPECT_EQ(result.trace.size(), 60u);
    EXPECT_EQ(result.steps, 60 * 4);
}

}  // namespace
}  // namespace vnngp::rivals
