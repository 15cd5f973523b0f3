#include "vnngp/conditional/dense_covariance.hpp"

#include <gtest/gtest.h>

#include "support/dense_gp.hpp"
#include "support/finite_difference.hpp"

namespace vnngp::conditional {
namespace {

using linalg::Matrix;

struct Setting {
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern52", 3);
    Covariance covariance{kernel.get(), {0.9, 1.3, 0.7}, 1.6, 0.05, 1e-6};
};

// Sizes with one tile, several, and a last one that sticks out.
constexpr Index kSizes[] = {1, 32, 75, 300};

TEST(DenseCovariance, IsTheCovarianceOfEveryPair) {
    const Setting s;
    for (const Index rows : kSizes)
        for (const Index cols : kSizes) {
            const Points x = testing::random_points(rows, 3, 1), z = testing::random_points(cols, 3, 2);
            const Matrix expected = testing::covariance_matrix("matern52", x, z, s.covariance.shape, s.covariance.outputscale);
            EXPECT_LT((cross_covariance({}, s.covariance, x, z) - expected).cwiseAbs().maxCoeff(), 1e-12);
        }
}

TEST(DenseCovariance, DiagonalCarriesJitterNuggetAndNoise) {
    const Setting s;
    const Points x = testing::random_points(75, 3, 1);
    const Matrix lower = lower_covariance({}, s.covariance, x, 0.4);
    Matrix expected = testing::covariance_matrix("matern52", x, x, s.covariance.shape, s.covariance.outputscale);
    expected.diagonal().array() += 0.4 + 0.05 + 1.6e-6;
    EXPECT_LT(Matrix((lower - expected).triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), 1e-12);
}

TileWeights entries(const Matrix& w) {
    return [&w](const Tile& tile, double* to, Eigen::Index stride) {
        for (Eigen::Index q = 0; q < tile.cols; ++q)
            for (Eigen::Index p = 0; p < tile.rows; ++p) to[q * stride + p] = w(tile.row + p, tile.col + q);
    };
}

// Of sum_pq w_pq k_pq.
TEST(DenseCovariance, CrossAdjointMatchesFiniteDifferences) {
    const Setting s;
    const Points x = testing::random_points(40, 3, 1), z = testing::random_points(290, 3, 2);
    const Matrix w = testing::random_points(40, 290, 3);
    CovarianceGradient gradient;
    Points locations = Points::Zero(40, 3);
    contract_cross({}, s.covariance, x, z, entries(w), gradient, &locations);
    const auto value = [&](std::span<const double> logs, const Points& at) {
        std::vector<double> shape;
        for (std::size_t p = 0; p < 3; ++p) shape.push_back(std::exp(logs[p]));
        return w.cwiseProduct(testing::covariance_matrix("matern52", at, z, shape, std::exp(logs[3]))).sum();
    };
    std::vector<double> logs{std::log(0.9), std::log(1.3), std::log(0.7), std::log(1.6)};
    std::vector<double> claimed = gradient.log_shape;
    claimed.push_back(gradient.log_outputscale);
    testing::expect_gradient_matches([&](std::span<const double> at) { return value(at, x); }, logs, claimed, 1e-7);
    const std::vector<double> coordinates(x.data(), x.data() + x.size());
    const auto moved = [&](std::span<const double> at) { return value(logs, Eigen::Map<const Points>(at.data(), 40, 3)); };
    testing::expect_gradient_matches(moved, coordinates, std::span(locations.data(), 120), 1e-7);
}

TEST(DenseCovariance, SymmetricAdjointIsTheFullOne) {
    const Setting s;
    const Points x = testing::random_points(110, 3, 1);
    Matrix w = testing::random_points(110, 110, 3);
    w = (w + w.transpose()).eval();
    CovarianceGradient full, half;
    contract_cross({}, s.covariance, x, x, entries(w), full);
    contract_symmetric({}, s.covariance, x, entries(w), half);
    for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(half.log_shape[p], full.log_shape[p], 1e-10 * std::abs(full.log_shape[p]) + 1e-10);
    EXPECT_NEAR(half.log_outputscale, full.log_outputscale, 1e-10);
}

TEST(DenseCovariance, IsTheSameOnOneAndTwoThreads) {
    const Setting s;
    const Points x = testing::random_points(110, 3, 1), z = testing::random_points(290, 3, 2);
    const Matrix w = testing::random_points(110, 290, 3);
    CovarianceGradient one, two;
    Points at_one = Points::Zero(110, 3), at_two = at_one;
    contract_cross({.threads = 1}, s.covariance, x, z, entries(w), one, &at_one);
    contract_cross({.threads = 2}, s.covariance, x, z, entries(w), two, &at_two);
    EXPECT_EQ(one.log_shape, two.log_shape);
    EXPECT_EQ(one.log_outputscale, two.log_outputscale);
    EXPECT_EQ(at_one, at_two);
    EXPECT_EQ(cross_covariance({.threads = 1}, s.covariance, x, z), cross_covariance({.threads = 2}, s.covariance, x, z));
}

}  // namespace
}  // namespace vnngp::conditional
