#include "vnngp/inference/elbo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "small_problem.hpp"
#include "support/finite_difference.hpp"
#include "support/golden_gp.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

SmallProblem golden_problem() {
    const auto& golden = testing::oracle()["gp"];
    SmallProblem f;
    f.kernel = kernel::make_kernel("matern52", 2);
    f.likelihood = likelihood::make_likelihood("gaussian");
    f.problem.kernel = f.kernel.get();
    f.problem.likelihood = f.likelihood.get();
    f.problem.jitter = 0.0;
    f.problem.inducing = testing::golden_points(golden["Z"]);
    f.problem.prior_graph = testing::golden_graph(golden["prior_neighbors"], golden["neighbors"]);
    f.hyper = {golden["lengthscales"], golden["outputscale"], golden["nugget"], golden["mean"], {golden["noise"].get<double>()}};
    f.posterior = {testing::golden_vector(golden["m"]), testing::golden_vector(golden["s"])};
    return f;
}

double minus_kl(const SmallProblem& f, ElboGradient* gradient = nullptr) {
    std::vector<Index> all(f.problem.num_inducing());
    std::iota(all.begin(), all.end(), 0);
    return elbo({}, f.problem, f.hyper, f.posterior, minibatch(f.problem, {}, all), gradient);
}

TEST(Kl, MatchesTheGoldenValueAndGradient) {
    const auto& golden = testing::oracle()["gp"];
    SmallProblem f = golden_problem();
    f.problem.targets = Vector::Zero(12);
    f.problem.sites.assign(12, 0);
    ElboGradient gradient(f.problem, false);
    EXPECT_NEAR(-minus_kl(f, &gradient), golden["E2_kl"].get<double>(), 1e-9);
    const auto& expected = golden["kl_gradient"];
    EXPECT_NEAR(-gradient.covariance.log_shape[0], expected["d_log_lengthscale_1"].get<double>(), 1e-6);
    EXPECT_NEAR(-gradient.covariance.log_shape[1], expected["d_log_lengthscale_2"].get<double>(), 1e-6);
    EXPECT_NEAR(-gradient.covariance.log_outputscale, expected["d_log_outputscale"].get<double>(), 1e-6);
    EXPECT_NEAR(-gradient.covariance.log_nugget, expected["d_log_nugget"].get<double>(), 1e-6);
    for (int j = 0; j < 12; ++j) {
        EXPECT_NEAR(-gradient.mean[j], expected["d_m"][j].get<double>(), 1e-9);
        EXPECT_NEAR(-gradient.variance[j], expected["d_s"][j].get<double>(), 1e-9);
    }
}

TEST(Elbo, MatchesTheGoldenOptimumWithFewerInducingPointsThanData) {
    const auto& golden = testing::oracle()["gp"];
    SmallProblem f = golden_problem();
    f.problem.inputs = testing::golden_points(golden["X"]);
    f.problem.data_graph = testing::golden_graph(golden["data_neighbors"], golden["neighbors"]);
    f.problem.targets = testing::golden_vector(golden["y_at_X"]);
    f.posterior = {testing::golden_vector(golden["C1_M_less_than_N"]["m"]), testing::golden_vector(golden["C1_M_less_than_N"]["s"])};
    ElboGradient gradient(f.problem, false);
    EXPECT_NEAR(full_elbo({}, f.problem, f.hyper, f.posterior, &gradient), golden["C1_M_less_than_N"]["elbo"].get<double>(), 1e-9);
    EXPECT_LT(gradient.mean.cwiseAbs().maxCoeff(), 1e-9) << "C1 is a stationary point";
    EXPECT_LT(gradient.variance.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Elbo, MatchesTheGoldenOptimumWithInducingPointsAtTheData) {
    const auto& golden = testing::oracle()["gp"];
    SmallProblem f = golden_problem();
    f.problem.targets = testing::golden_vector(golden["y_at_Z"]);
    f.problem.sites.resize(12);
    std::iota(f.problem.sites.begin(), f.problem.sites.end(), 0);
    const auto& optimum = golden["C1_inducing_at_data"];
    f.posterior = {testing::golden_vector(optimum["m"]), testing::golden_vector(optimum["s"])};
    ElboGradient gradient(f.problem, false);
    const double value = full_elbo({}, f.problem, f.hyper, f.posterior, &gradient);
    EXPECT_NEAR(value, optimum["elbo"].get<double>(), 1e-9);
    EXPECT_LT(value, optimum["nn_log_evidence"].get<double>());
    EXPECT_LT(gradient.mean.cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT(gradient.variance.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Kl, WithAllPredecessorsIsTheExactKlOfSvgp) {
    SmallProblem f = small_problem("gaussian", Layout::one_per_site, 15, 15);
    f.problem.jitter = 0.0;
    const MatrixXd prior =
        testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale) +
        f.hyper.nugget * MatrixXd::Identity(15, 15);
    const Vector centered = f.posterior.mean.array() - f.hyper.mean;
    const MatrixXd inverse = prior.inverse();
    const double exact = 0.5 * (inverse.diagonal().dot(f.posterior.variance) + centered.dot(inverse * centered) - 15 +
                                testing::log_determinant(prior) - f.posterior.variance.array().log().sum());
    EXPECT_NEAR(-minus_kl(f), exact, 1e-9);
}

// Eq. C1 solved densely; Eq. C2 says what the optimum is, and that it bounds the evidence of the nearest-neighbour model.
TEST(Elbo, AtTheOptimumForGaussianNoiseBoundsTheEvidence) {
    for (const Index neighbors : {3, 18}) {
        SmallProblem f = small_problem("gaussian", Layout::one_per_site, 18, neighbors);
        const double noise = f.hyper.likelihood[0];
        const MatrixXd k =
            testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale);
        const double diagonal = f.hyper.nugget + f.problem.jitter * f.hyper.outputscale;
        const MatrixXd q = testing::precision(testing::dense_rows(k, f.problem.prior_graph, diagonal));
        Vector y(18);
        for (Index i = 0; i < 18; ++i) y[f.problem.sites[i]] = f.problem.targets[i] - f.hyper.mean;
        const MatrixXd p = q + MatrixXd::Identity(18, 18) / noise;
        f.posterior.mean = (p.ldlt().solve(y / noise)).array() + f.hyper.mean;
        f.posterior.variance = p.diagonal().cwiseInverse();
        const double value = full_elbo({}, f.problem, f.hyper, f.posterior);
        const double evidence = testing::log_normal_density(y, q.inverse() + noise * MatrixXd::Identity(18, 18));
        EXPECT_LE(value, evidence);
        EXPECT_NEAR(value, evidence - 0.5 * (p.diagonal().array().log().sum() - testing::log_determinant(p)), 1e-8);
        if (neighbors == 18) {
            const double exact = testing::log_normal_density(y, k + (noise + diagonal) * MatrixXd::Identity(18, 18));
            EXPECT_NEAR(evidence, exact, 1e-8);
        }
    }
}

struct GradientCase {
    std::string likelihood;
    Layout layout;
};
class ElboGradients : public ::testing::TestWithParam<GradientCase> {};

TEST_P(ElboGradients, MatchFiniteDifferencesInEverything) {
    const SmallProblem f = with_linear_mean(small_problem(GetParam().likelihood, GetParam().layout));
    const bool locations = true;
    ElboGradient gradient(f.problem, locations);
    const double value = full_elbo({}, f.problem, f.hyper, f.posterior, &gradient);
    EXPECT_EQ(value, full_elbo({}, f.problem, f.hyper, f.posterior)) << "the value must not depend on the gradient being wanted";

    const auto along = [&](auto&& set, double x0, double step) {
        return testing::derivative(
            [&](double x) {
                SmallProblem moved{nullptr, nullptr, f.problem, f.hyper, f.posterior};
                set(moved, x);
                return full_elbo({}, moved.problem, moved.hyper, moved.posterior);
            },
            x0, step);
    };
    const double tolerance = 2e-6;
    for (std::size_t d = 0; d < 2; ++d)
        EXPECT_NEAR(gradient.covariance.log_shape[d],
                    along([d](SmallProblem& m, double x) { m.hyper.shape[d] = std::exp(x); }, std::log(f.hyper.shape[d]), 1e-3), tolerance);
    EXPECT_NEAR(gradient.covariance.log_outputscale,
                along([](SmallProblem& m, double x) { m.hyper.outputscale = std::exp(x); }, std::log(f.hyper.outputscale), 1e-3),
                tolerance);
    EXPECT_NEAR(gradient.covariance.log_nugget,
                along([](SmallProblem& m, double x) { m.hyper.nugget = std::exp(x); }, std::log(f.hyper.nugget), 1e-3), tolerance);
    EXPECT_NEAR(gradient.prior_mean, along([](SmallProblem& m, double x) { m.hyper.mean = x; }, f.hyper.mean, 1e-3), tolerance);
    for (std::size_t c = 0; c < 2; ++c)
        EXPECT_NEAR(gradient.prior_slopes[c], along([c](SmallProblem& m, double x) { m.hyper.slopes[c] = x; }, f.hyper.slopes[c], 1e-3),
                    tolerance);
    for (std::size_t p = 0; p < f.hyper.likelihood.size(); ++p)
        EXPECT_NEAR(gradient.log_likelihood_parameters[p],
                    along([p](SmallProblem& m, double x) { m.hyper.likelihood[p] = std::exp(x); }, std::log(f.hyper.likelihood[p]), 1e-3),
                    tolerance);
    for (Index j = 0; j < 18; ++j) {
        EXPECT_NEAR(gradient.mean[j], along([j](SmallProblem& m, double x) { m.posterior.mean[j] = x; }, f.posterior.mean[j], 1e-3),
                    tolerance);
        EXPECT_NEAR(gradient.variance[j],
                    along([j](SmallProblem& m, double x) { m.posterior.variance[j] = x; }, f.posterior.variance[j], 1e-3), tolerance);
        for (int d = 0; d < 2; ++d)
            EXPECT_NEAR(gradient.locations(j, d),
                        along([j, d](SmallProblem& m, double x) { m.problem.inducing(j, d) = x; }, f.problem.inducing(j, d), 1e-4), 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(LikelihoodsAndLayouts, ElboGradients,
                         ::testing::Values(GradientCase{"gaussian", Layout::one_per_site}, GradientCase{"gaussian", Layout::repeated_sites},
                                           GradientCase{"gaussian", Layout::data_rows}, GradientCase{"student-t", Layout::one_per_site},
                                           GradientCase{"student-t", Layout::data_rows}, GradientCase{"bernoulli", Layout::repeated_sites},
                                           GradientCase{"bernoulli-logit", Layout::data_rows}, GradientCase{"poisson", Layout::data_rows}),
                         [](const auto& suite) {
                             std::string name = suite.param.likelihood + (suite.param.layout == Layout::one_per_site     ? "_sites"
                                                                          : suite.param.layout == Layout::repeated_sites ? "_repeated"
                                                                                                                         : "_rows");
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST_P(ElboGradients, InTheHyperparametersAloneAreThoseOfTheWholeGradient) {
    const SmallProblem f = with_linear_mean(small_problem(GetParam().likelihood, GetParam().layout));
    ElboGradient whole(f.problem, true), alone(f.problem, false, false);
    EXPECT_EQ(full_elbo({}, f.problem, f.hyper, f.posterior, &whole), full_elbo({}, f.problem, f.hyper, f.posterior, &alone));
    EXPECT_EQ(alone.covariance.log_shape, whole.covariance.log_shape);
    EXPECT_EQ(alone.covariance.log_outputscale, whole.covariance.log_outputscale);
    EXPECT_EQ(alone.covariance.log_nugget, whole.covariance.log_nugget);
    EXPECT_EQ(alone.prior_mean, whole.prior_mean);
    EXPECT_EQ(alone.prior_slopes, whole.prior_slopes);
    EXPECT_EQ(alone.log_likelihood_parameters, whole.log_likelihood_parameters);
    EXPECT_EQ(alone.mean.size(), 0);
    EXPECT_TRUE(alone.touched().empty());
}

// Averaged over all cyclic shifts every term appears equally often, so the average of an unbiased estimate is the full value to rounding.
class MinibatchElbo : public ::testing::TestWithParam<std::tuple<Index, Index, Layout>> {};

TEST_P(MinibatchElbo, AveragesToTheFullObjectiveAndGradient) {
    const auto [batch_observations, batch_inducing, layout] = GetParam();
    const SmallProblem f = small_problem("gaussian", layout);
    const Index n = f.problem.num_observations(), m = f.problem.num_inducing();
    ElboGradient full(f.problem, true), part(f.problem, true);
    const double expected = full_elbo({}, f.problem, f.hyper, f.posterior, &full);
    double value = 0, on_lengthscale = 0, on_noise = 0, on_mean = 0;
    Vector on_m = Vector::Zero(m);
    Points on_z = Points::Zero(m, 2);
    const Index shifts = n * m;
    for (Index shift = 0; shift < shifts; ++shift) {
        std::vector<Index> observations, inducing;
        for (Index i = 0; i < batch_observations; ++i) observations.push_back((shift + i) % n);
        for (Index j = 0; j < batch_inducing; ++j) inducing.push_back((shift + j) % m);
        const Minibatch batch = minibatch(f.problem, observations, inducing);
        part.clear();
        touch_terms(f.problem, batch, part);
        value += elbo({.threads = 1}, f.problem, f.hyper, f.posterior, batch, &part) / shifts;
        on_lengthscale += part.covariance.log_shape[0] / shifts;
        on_noise += part.log_likelihood_parameters[0] / shifts;
        on_mean += part.prior_mean / shifts;
        on_m += part.mean / shifts;
        on_z += part.locations / shifts;
    }
    EXPECT_NEAR(value, expected, 1e-8 * std::abs(expected));
    EXPECT_NEAR(on_lengthscale, full.covariance.log_shape[0], 1e-8);
    EXPECT_NEAR(on_noise, full.log_likelihood_parameters[0], 1e-8);
    EXPECT_NEAR(on_mean, full.prior_mean, 1e-8);
    EXPECT_LT((on_m - full.mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((on_z - full.locations).cwiseAbs().maxCoeff(), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MinibatchElbo,
                         ::testing::Values(std::tuple{1, 1, Layout::one_per_site}, std::tuple{5, 7, Layout::one_per_site},
                                           std::tuple{7, 5, Layout::data_rows}, std::tuple{31, 2, Layout::data_rows}));

TEST(ElboGradients, TouchedIsExactlyWhatTheTermsDependOn) {
    const SmallProblem f = small_problem("gaussian", Layout::data_rows);
    ElboGradient gradient(f.problem, false);
    const std::vector<Index> observations{3, 4}, inducing{10};
    const auto batch = minibatch(f.problem, observations, inducing);
    touch_terms(f.problem, batch, gradient);
    const std::vector<Index> touched(gradient.touched().begin(), gradient.touched().end());
    EXPECT_LT(touched.size(), 14u);
    EXPECT_EQ(std::set<Index>(touched.begin(), touched.end()).size(), touched.size()) << "each is announced once";
    elbo({}, f.problem, f.hyper, f.posterior, batch, &gradient);
    for (Index j = 0; j < f.problem.num_inducing(); ++j)
        EXPECT_EQ(std::count(touched.begin(), touched.end(), j), gradient.mean[j] != 0.0) << j;
    gradient.clear();
    EXPECT_TRUE(gradient.touched().empty());
    EXPECT_EQ(gradient.mean.cwiseAbs().maxCoeff(), 0.0);
}

TEST(Elbo, IsIdenticalOnOneAndTwoThreads) {
    const SmallProblem f = small_problem("student-t", Layout::data_rows);
    ElboGradient one(f.problem, true), two(f.problem, true);
    EXPECT_EQ(full_elbo({.threads = 1}, f.problem, f.hyper, f.posterior, &one),
              full_elbo({.threads = 2}, f.problem, f.hyper, f.posterior, &two));
    EXPECT_EQ(one.mean, two.mean);
    EXPECT_EQ(one.locations, two.locations);
    EXPECT_EQ(one.covariance.log_shape, two.covariance.log_shape);
    EXPECT_EQ(one.log_likelihood_parameters, two.log_likelihood_parameters);
}

}  // namespace
}  // namespace vnngp::inference
