#include "vnngp/rivals/swsgp.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "unit/inference/small_problem.hpp"

namespace vnngp::rivals {
namespace {

using inference::ElboGradient;
using inference::Hyperparameters;
using inference::Layout;
using inference::MeanField;
using inference::SmallProblem;

constexpr Index kNeighbors = 5;

void search(SmallProblem& f, Index neighbors) {
    f.problem.prior_graph = {};
    f.problem.data_graph =
        neighbors::nearest_graph(f.problem.inducing, f.problem.at_sites() ? f.problem.inducing : f.problem.inputs, neighbors, {});
}

SmallProblem local_problem(const std::string& likelihood, Layout layout, Index neighbors = kNeighbors) {
    SmallProblem f = with_linear_mean(inference::small_problem(likelihood, layout));
    search(f, neighbors);
    return f;
}

// KL(q(u_n) || p(u_n)) with dense matrices.
double dense_divergence(const SmallProblem& f, std::span<const Index> points) {
    const Eigen::MatrixXd prior =
        testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale);
    const auto n = static_cast<Eigen::Index>(points.size());
    const Eigen::MatrixXd c = testing::select(prior, points, points) +
                              (f.hyper.nugget + f.problem.jitter * f.hyper.outputscale) * Eigen::MatrixXd::Identity(n, n);
    const Vector d = (f.posterior.mean - prior_means(f.problem, f.hyper, f.problem.inducing))(points), s = f.posterior.variance(points);
    const Eigen::MatrixXd inverse = c.inverse();
    return 0.5 *
           (testing::log_determinant(c) - s.array().log().sum() - static_cast<double>(n) + s.dot(inverse.diagonal()) + d.dot(inverse * d));
}

std::vector<Index> numbers(Index count) {
    std::vector<Index> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

class LocalBound : public ::testing::TestWithParam<Layout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, LocalBound, ::testing::Values(Layout::one_per_site, Layout::repeated_sites, Layout::data_rows),
                         [](const auto& suite) { return "Layout" + std::to_string(static_cast<int>(suite.param)); });

TEST_P(LocalBound, DivergenceIsTheMeanOfDenseOnes) {
    const SmallProblem f = local_problem("gaussian", GetParam());
    double expected = 0.0;
    for (Index i = 0; i < f.problem.num_observations(); ++i)
        expected += dense_divergence(f, f.problem.data_graph.row(f.problem.at_sites() ? f.problem.sites[i] : i));
    EXPECT_NEAR(local_divergence({}, f.problem, f.hyper, f.posterior), expected / f.problem.num_observations(), 1e-9);
}

TEST_P(LocalBound, IsTheDataTermsOfVnngpLessTheDivergence) {
    const SmallProblem f = local_problem("student-t", GetParam());
    const auto all = numbers(f.problem.num_observations());
    const double data = inference::elbo({}, f.problem, f.hyper, f.posterior, inference::minibatch(f.problem, all, {}));
    EXPECT_NEAR(full_local_elbo({}, f.problem, f.hyper, f.posterior), data - local_divergence({}, f.problem, f.hyper, f.posterior), 1e-10);
}

TEST_P(LocalBound, DivergenceIsExactWithAllNeighboursAndGrowsTowardsIt) {
    SmallProblem f = local_problem("gaussian", GetParam());
    const double exact = dense_divergence(f, numbers(f.problem.num_inducing()));
    double before = 0.0;
    for (Index k = 1; k <= f.problem.num_inducing(); ++k) {
        search(f, k);
        const double now = local_divergence({}, f.problem, f.hyper, f.posterior);
        EXPECT_GE(now, before) << k;
        EXPECT_LE(now, exact + 1e-8);
        before = now;
    }
    EXPECT_NEAR(before, exact, 1e-8);
}

// Batches that cut the observations into equal parts: their mean is the whole.
TEST_P(LocalBound, MinibatchesAreUnbiased) {
    const SmallProblem f = local_problem("gaussian", GetParam());
    double mean = 0.0;
    const Index count = f.problem.num_observations();
    for (Index i = 0; i < count; ++i) {
        const std::vector<Index> one{i};
        mean += local_elbo({}, f.problem, f.hyper, f.posterior, inference::minibatch(f.problem, one, {})) / count;
    }
    EXPECT_NEAR(mean, full_local_elbo({}, f.problem, f.hyper, f.posterior), 1e-8);
}

TEST_P(LocalBound, IsIdenticalOnOneAndTwoThreads) {
    const SmallProblem f = local_problem("gaussian", GetParam());
    ElboGradient one(f.problem, true), two(f.problem, true);
    EXPECT_EQ(full_local_elbo({.threads = 1}, f.problem, f.hyper, f.posterior, &one),
              full_local_elbo({.threads = 2}, f.problem, f.hyper, f.posterior, &two));
    EXPECT_EQ(one.mean, two.mean);
    EXPECT_EQ(one.variance, two.variance);
    EXPECT_EQ(one.locations, two.locations);
    EXPECT_EQ(one.covariance.log_shape, two.covariance.log_shape);
    EXPECT_EQ(one.covariance.log_nugget, two.covariance.log_nugget);
    EXPECT_EQ(one.prior_slopes, two.prior_slopes);
}

struct GradientCase {
    std::string likelihood;
    Layout layout;
};
class LocalGradient : public ::testing::TestWithParam<GradientCase> {
protected:
    SmallProblem f = local_problem(GetParam().likelihood, GetParam().layout);
    std::vector<Index> some{1, 4, 9, 16, 2, 11, 4, 17, 5};  // one of them twice
    inference::Minibatch batch = inference::minibatch(f.problem, some, {});

    double value(const inference::Problem& problem, const Hyperparameters& hyper, const MeanField& q) const {
        return local_elbo({}, problem, hyper, q, batch);
    }
    template <class Move>
    void expect_slope(double claimed, double at, const Move& move) const {
        const auto along = [&](double x) {
            inference::Problem problem = f.problem;
            Hyperparameters hyper = f.hyper;
            MeanField q = f.posterior;
            move(x, problem, hyper, q);
            return value(problem, hyper, q);
        };
        testing::expect_derivative_matches(along, at, claimed, 1e-6, 1e-4);
    }
};

TEST_P(LocalGradient, MatchesFiniteDifferences) {
    ElboGradient gradient(f.problem, !f.problem.at_sites());
    touch_local_terms(f.problem, batch, gradient);
    EXPECT_EQ(local_elbo({}, f.problem, f.hyper, f.posterior, batch, &gradient), value(f.problem, f.hyper, f.posterior));

    for (int d = 0; d < 2; ++d)
        expect_slope(gradient.covariance.log_shape[d], std::log(f.hyper.shape[d]),
                     [d](double x, auto&, Hyperparameters& hyper, auto&) { hyper.shape[d] = std::exp(x); });
    expect_slope(gradient.covariance.log_outputscale, std::log(f.hyper.outputscale),
                 [](double x, auto&, Hyperparameters& hyper, auto&) { hyper.outputscale = std::exp(x); });
    expect_slope(gradient.covariance.log_nugget, std::log(f.hyper.nugget),
                 [](double x, auto&, Hyperparameters& hyper, auto&) { hyper.nugget = std::exp(x); });
    expect_slope(gradient.prior_mean, f.hyper.mean, [](double x, auto&, Hyperparameters& hyper, auto&) { hyper.mean = x; });
    for (int c = 0; c < 2; ++c)
        expect_slope(gradient.prior_slopes[c], f.hyper.slopes[c],
                     [c](double x, auto&, Hyperparameters& hyper, auto&) { hyper.slopes[c] = x; });
    for (std::size_t p = 0; p < f.hyper.likelihood.size(); ++p)
        expect_slope(gradient.log_likelihood_parameters[p], std::log(f.hyper.likelihood[p]),
                     [p](double x, auto&, Hyperparameters& hyper, auto&) { hyper.likelihood[p] = std::exp(x); });

    const std::vector<Index> touched(gradient.touched().begin(), gradient.touched().end());
    for (Index j = 0; j < f.problem.num_inducing(); ++j) {
        expect_slope(gradient.mean[j], f.posterior.mean[j], [j](double x, auto&, auto&, MeanField& q) { q.mean[j] = x; });
        expect_slope(gradient.variance[j], f.posterior.variance[j], [j](double x, auto&, auto&, MeanField& q) { q.variance[j] = x; });
        if (std::count(touched.begin(), touched.end(), j) == 0) {
            EXPECT_EQ(gradient.mean[j], 0.0);
        }
        for (int d = 0; gradient.with_locations() && d < 2; ++d)
            expect_slope(gradient.locations(j, d), f.problem.inducing(j, d),
                         [=](double x, inference::Problem& problem, auto&, auto&) { problem.inducing(j, d) = x; });
    }
}

INSTANTIATE_TEST_SUITE_P(Likelihoods, LocalGradient,
                         ::testing::Values(GradientCase{"gaussian", Layout::one_per_site}, GradientCase{"gaussian", Layout::data_rows},
                                           GradientCase{"student-t", Layout::repeated_sites}, GradientCase{"bernoulli", Layout::data_rows},
                                           GradientCase{"poisson", Layout::one_per_site}),
                         [](const auto& suite) {
                             std::string name = suite.param.likelihood + std::to_string(static_cast<int>(suite.param.layout));
                             std::erase(name, '-');
                             return name;
                         });

inference::StochasticResult train(SmallProblem& f, bool fixed, const Context& context = {}) {
    inference::StochasticOptions options{.epochs = 40,
                                         .batch = 10,
                                         .learning_rate = 0.05,
                                         .learn_locations = !f.problem.at_sites(),
                                         .neighbors = kNeighbors,
                                         .fixed_hyperparameters = fixed,
                                         .objective = local_bound()};
    f.problem.prior_graph = {};
    return inference::fit_stochastic(context, f.problem, f.hyper, options, inference::initial_state(f.problem, f.hyper, options.learned));
}

TEST_P(LocalBound, IsRaisedByTraining) {
    for (const char* likelihood : {"gaussian", "student-t", "bernoulli"}) {
        SmallProblem f = local_problem(likelihood, GetParam());
        const double before = full_local_elbo({}, f.problem, f.hyper, f.posterior);
        const auto trained = train(f, false);
        EXPECT_GT(full_local_elbo({}, f.problem, trained.hyper, trained.posterior), before + 1.0) << likelihood;
        EXPECT_NE(trained.hyper.shape, f.hyper.shape);
        EXPECT_EQ(f.problem.prior_graph.num_rows(), 0) << "nobody asked for it";
    }
}

TEST_P(LocalBound, TrainingLeavesFixedHyperparametersAlone) {
    SmallProblem f = local_problem("gaussian", GetParam());
    const auto trained = train(f, true);
    EXPECT_EQ(trained.hyper.shape, f.hyper.shape);
    EXPECT_EQ(trained.hyper.outputscale, f.hyper.outputscale);
    EXPECT_EQ(trained.hyper.likelihood, f.hyper.likelihood);
    EXPECT_EQ(trained.hyper.mean, f.hyper.mean);
    EXPECT_GT(full_local_elbo({}, f.problem, f.hyper, trained.posterior), full_local_elbo({}, f.problem, f.hyper, f.posterior));
}

TEST_P(LocalBound, TrainingIsIdenticalOnOneAndTwoThreads) {
    SmallProblem a = local_problem("gaussian", GetParam()), b = local_problem("gaussian", GetParam());
    const auto one = train(a, false, {.threads = 1}), two = train(b, false, {.threads = 2});
    EXPECT_EQ(one.posterior.mean, two.posterior.mean);
    EXPECT_EQ(one.hyper.shape, two.hyper.shape);
    EXPECT_EQ(one.trace, two.trace);
}

}  // namespace
}  // namespace vnngp::rivals
