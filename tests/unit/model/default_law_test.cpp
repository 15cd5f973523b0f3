// The default fit predicts almost as well as exact prediction with the true parameters. bench/default_law.cpp tries many more fields.
#include <numbers>

#include "model_support.hpp"
#include "support/dense_gp.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

struct Score {
    double crps = 0.0, coverage = 0.0;
};

Score normal_score(const Vector& y, const Vector& mean, const Vector& variance) {
    Score score;
    for (Eigen::Index i = 0; i < y.size(); ++i) {
        const double sd = std::sqrt(variance[i]), z = (y[i] - mean[i]) / sd;
        const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi), cdf = 0.5 * std::erfc(-z / std::numbers::sqrt2);
        score.crps += sd * (z * (2 * cdf - 1) + 2 * density - 1 / std::sqrt(std::numbers::pi)) / static_cast<double>(y.size());
        score.coverage += (std::abs(z) < 1.96) / static_cast<double>(y.size());
    }
    return score;
}

class DefaultLaw : public ::testing::TestWithParam<std::pair<std::string, double>> {};

TEST_P(DefaultLaw, PredictsAlmostAsWellAsTheTruth) {
    const auto& [kernel, noise] = GetParam();
    constexpr double lengthscale = 0.25;
    const auto field =
        simulate({.points = 1500, .kernel = kernel, .lengthscales = {lengthscale}, .noise = noise, .neighbors = 60}, {.seed = 5});
    std::vector<Index> train, test;
    for (Index i = 0; i < 1500; ++i) (i % 3 == 0 ? test : train).push_back(i);
    const Points x = data::gather_rows(field.inputs, train), at = data::gather_rows(field.inputs, test);
    const Vector y = data::gather_values(field.targets, train), y_test = data::gather_values(field.targets, test);

    Eigen::MatrixXd k = covariance_matrix(kernel, x, x, {lengthscale, lengthscale}, 1.0);
    k.diagonal().array() += noise;
    const Eigen::LLT<Eigen::MatrixXd> factor(k);
    const Eigen::MatrixXd cross = covariance_matrix(kernel, x, at, {lengthscale, lengthscale}, 1.0), half = factor.matrixL().solve(cross);
    const Score truth = normal_score(y_test, cross.transpose() * factor.solve(y),
                                     (1.0 + noise - half.colwise().squaredNorm().transpose().array()).matrix());

    const auto prediction = fit(x, y).predict(at);
    const Score ours = normal_score(y_test, prediction.mean, prediction.variance);
    EXPECT_LT(ours.crps, 1.03 * truth.crps);
    // Five hundred points: the truth's own coverage strays from .95 by as much as .03.
    EXPECT_NEAR(ours.coverage, truth.coverage, 0.025);
}

INSTANTIATE_TEST_SUITE_P(Fields, DefaultLaw,
                         ::testing::Values(std::pair<std::string, double>{"matern12", 0.001},
                                           std::pair<std::string, double>{"matern32", 0.1}, std::pair<std::string, double>{"matern52", 1.0},
                                           std::pair<std::string, double>{"rbf", 0.01}));

}  // namespace
}  // namespace vnngp
