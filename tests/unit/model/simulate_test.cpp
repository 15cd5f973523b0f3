#include "vnngp/model/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp {
namespace {

TEST(Simulate, IsReproducibleAndSeedsDiffer) {
    const SimulateOptions options{.points = 50};
    EXPECT_EQ(simulate(options, {.seed = 1}).targets, simulate(options, {.threads = 1, .seed = 1}).targets);
    EXPECT_NE(simulate(options, {.seed = 1}).targets, simulate(options, {.seed = 2}).targets);
}

// With all predecessors as neighbours the field is an exact draw: whitened by its covariance it is standard normal.
TEST(Simulate, TheFieldHasTheCovarianceAskedFor) {
    double sum = 0.0;
    const int repetitions = 40, points = 60;
    for (int seed = 0; seed < repetitions; ++seed) {
        const auto data = simulate(
            {.points = points, .kernel = "matern52", .lengthscales = {0.3, 0.6}, .outputscale = 2.5, .mean = 1.0, .neighbors = points},
            {.seed = static_cast<std::uint64_t>(seed)});
        const Eigen::MatrixXd k = vnngp::testing::covariance_matrix("matern52", data.inputs, data.inputs, {0.3, 0.6}, 2.5) +
                                  2.5e-8 * Eigen::MatrixXd::Identity(points, points);
        const Vector f = data.latent.array() - 1.0;
        sum += f.dot(k.ldlt().solve(f));
    }
    const int count = repetitions * points;  // chi-squared with this many degrees of freedom; four standard deviations
    EXPECT_NEAR(sum / count, 1.0, 4.0 * std::sqrt(2.0 / count));
}

// The values belong to the places they were asked for: in any other order they would not have this covariance.
TEST(Simulate, TheFieldAtGivenInputsHasTheCovarianceAskedFor) {
    const int repetitions = 40, points = 60;
    Points line(points, 1);
    for (int i = 0; i < points; ++i) line(i, 0) = 5.0 + 0.1 * i;
    const Eigen::MatrixXd k = vnngp::testing::covariance_matrix("matern12", line, line, {0.5}, 2.5);
    double sum = 0.0;
    for (int seed = 0; seed < repetitions; ++seed) {
        const auto data = simulate_at(line, {.kernel = "matern12", .lengthscales = {0.5}, .outputscale = 2.5, .neighbors = points},
                                      {.seed = static_cast<std::uint64_t>(seed)});
        ASSERT_EQ(data.inputs, line);
        ASSERT_EQ(data.targets.size(), points);
        sum += data.latent.dot(k.ldlt().solve(data.latent));
    }
    const int count = repetitions * points;
    EXPECT_NEAR(sum / count, 1.0, 4.0 * std::sqrt(2.0 / count));
}

TEST(Simulate, TheNoiseHasTheVarianceAskedFor) {
    const auto data = simulate({.points = 5000, .noise = 0.09, .neighbors = 10}, {.seed = 3});
    EXPECT_NEAR((data.targets - data.latent).squaredNorm() / 5000, 0.09, 4 * 0.09 * std::sqrt(2.0 / 5000));
}

TEST(Simulate, CountsAndClassesFollowTheLatentField) {
    const auto counts = simulate({.points = 4000, .outputscale = 0.5, .mean = 1.0, .likelihood = "poisson", .neighbors = 10}, {.seed = 4});
    double expected = 0.0;
    for (const double f : counts.latent) expected += std::exp(f);
    EXPECT_NEAR(counts.targets.sum() / expected, 1.0, 4.0 / std::sqrt(expected));
    const auto classes = simulate({.points = 4000, .likelihood = "bernoulli", .neighbors = 10}, {.seed = 5});
    double probability = 0.0;
    for (const double f : classes.latent) probability += 0.5 * std::erfc(-f / std::sqrt(2.0));
    EXPECT_NEAR(classes.targets.sum() / 4000, probability / 4000, 4 * 0.5 / std::sqrt(4000.0));
}

TEST(Simulate, RefusesNonsenseAndNamesTheOption) {
    const auto message = [](const SimulateOptions& options) -> std::string {
        try {
            simulate(options);
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message({.points = 0}).find("--points"), std::string::npos);
    EXPECT_NE(message({.points = 5, .lengthscales = {-1.0}}).find("--lengthscale"), std::string::npos);
    EXPECT_NE(message({.points = 5, .dims = 3, .lengthscales = {1.0, 2.0}}).find("3 dimensions"), std::string::npos);
    EXPECT_NE(message({.points = 5, .noise = -0.1}).find("--noise"), std::string::npos);
    EXPECT_NE(message({.points = 5, .kernel = "wave"}).find("wave"), std::string::npos);
}

}  // namespace
}  // namespace vnngp
