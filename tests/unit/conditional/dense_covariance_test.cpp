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

// A product of kernels has no cross blocks; this one is the kernel above in disguise.
TEST(DenseCovariance, IsTheSameByEitherKindOfTiles) {
    const auto kernel = kernel::make_kernel("rbf", 3), product = kernel::make_kernel("rbf(x1) * rbf(x2) * rbf(x3)", 3);
    ASSERT_TRUE(kernel->has_cross());
    ASSERT_FALSE(product->has_cross());
    const Covariance cross{kernel.get(), {0.9, 1.3, 0.7}, 1.6}, lanes{product.get(), {0.9, 1.3, 0.7}, 1.6};
    const Points x = testing::random_points(110, 3, 1), z = testing::random_points(290, 3, 2);
    const Matrix w = testing::random_points(110, 290, 3);
    EXPECT_LT((cross_covariance({}, cross, x, z) - cross_covariance({}, lanes, x, z)).cwiseAbs().maxCoeff(), 1e-13);
    CovarianceGradient a, b;
    Points at_a = Points::Zero(110, 3), at_b = at_a;
    contract_cross({}, cross, x, z, entries(w), a, &at_a);
    contract_cross({}, lanes, x, z, entries(w), b, &at_b);
    for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(a.log_shape[p], b.log_shape[p], 1e-10);
    EXPECT_NEAR(a.log_outputscale, b.log_outputscale, 1e-10);
    EXPECT_LT((at_a - at_b).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(DenseCovariance, SinglePrecisionIsTheSameToItsDigits) {
    const Points x = testing::random_points(300, 3, 1);
    Matrix w = testing::random_points(300, 300, 3);
    w = (w + w.transpose()).eval();
    for (const char* name : {"matern12", "matern52", "rq", "rbf(x1) * rbf(x2,x3)"}) {  // the last two have none
        const auto kernel = kernel::make_kernel(name, 3);
        Covariance covariance{kernel.get(), {0.9, 1.3, 0.7}, 1.6, 0.05, 1e-6};
        if (kernel->num_parameters() == 4) covariance.shape.push_back(0.8);
        linalg::SymmetricPanels single;
        lower_covariance({}, covariance, x, 0.1, single);
        const Matrix twice = lower_covariance({}, covariance, x, 0.1);
        for (Eigen::Index q = 0; q < 300; ++q)
            for (Eigen::Index p = q; p < 300; ++p) ASSERT_NEAR(single(p, q), twice(p, q), 2e-6) << name;
        CovarianceGradient a, b;
        Points at_a = Points::Zero(300, 3), at_b = at_a;
        contract_symmetric({}, covariance, x, entries(w), b);
        contract_cross({}, covariance, x, x, entries(w), b, &at_b);
        covariance.single_precision = true;
        contract_symmetric({}, covariance, x, entries(w), a);
        contract_cross({}, covariance, x, x, entries(w), a, &at_a);
        // Against the size of a sum of 90,000 random signs.
        for (std::size_t p = 0; p < covariance.shape.size(); ++p) EXPECT_NEAR(a.log_shape[p], b.log_shape[p], 1e-3) << name;
        EXPECT_NEAR(a.log_outputscale, b.log_outputscale, 1e-3) << name;
        EXPECT_LT((at_a - at_b).cwiseAbs().maxCoeff(), 1e-4) << name;
    }
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
