// What every kernel must satisfy. A new kernel is tested by its line in the registry.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/dense_gp.hpp"
#include "support/finite_difference.hpp"
#include "support/oracle.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {
namespace {

using linalg::kLanes;
using linalg::packed_row;

// The correlation matrix of points through the block interface, the same points in every lane.
Eigen::MatrixXd correlation_matrix(const Kernel& kernel, const std::vector<double>& parameters, const Points& points) {
    LaneBlock block{static_cast<int>(points.rows()), static_cast<int>(points.cols()), {}};
    block.coordinates.resize(points.size() * kLanes);
    for (Eigen::Index e = 0; e < points.size(); ++e)
        for (int lane = 0; lane < kLanes; ++lane) block.coordinates[e * kLanes + lane] = points.data()[e];
    linalg::LaneBuffer packed(packed_row(block.num_points) * kLanes);
    KernelScratch scratch;
    kernel.correlations(parameters, block, scratch, false, packed.data());
    Eigen::MatrixXd k = Eigen::MatrixXd::Identity(points.rows(), points.rows());
    for (int p = 0; p < block.num_points; ++p)
        for (int q = 0; q < p; ++q) {
            const double* lanes = &packed[(packed_row(p) + q) * kLanes];
            for (int lane = 1; lane < kLanes; ++lane) EXPECT_EQ(lanes[lane], lanes[0]);
            k(p, q) = k(q, p) = lanes[0];
        }
    return k;
}

class KernelContract : public ::testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<Kernel> kernel(int dims) const { return make_kernel(GetParam(), dims); }
};

TEST_P(KernelContract, KnowsItsNameAndOneLengthscalePerDimension) {
    EXPECT_EQ(kernel(3)->name(), GetParam());
    EXPECT_EQ(kernel(3)->num_parameters(), 3);
}

TEST_P(KernelContract, MatchesTheFormulaOfItsDocumentation) {
    const Points points = testing::random_points(9, 3, 1);
    const std::vector<double> lengthscales{0.7, 1.9, 3.0};
    const auto expected = testing::covariance_matrix(GetParam(), points, points, lengthscales, 1.0);
    EXPECT_LT((correlation_matrix(*kernel(3), lengthscales, points) - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST_P(KernelContract, MatchesTheGoldenTable) {
    const auto golden = testing::oracle()["kernels"];
    for (std::size_t i = 0; i < golden["r"].size(); ++i) {
        Points points(2, 1);
        points << 0.0, golden["r"][i].get<double>() * 1.7;
        const double expected = golden[GetParam()][i];
        EXPECT_NEAR(correlation_matrix(*kernel(1), {1.7}, points)(0, 1), expected, 1e-14 + 1e-12 * expected) << golden["r"][i];
    }
}

TEST_P(KernelContract, IsPositiveSemidefinite) {
    const auto k = correlation_matrix(*kernel(2), {1.0, 0.5}, testing::random_points(40, 2, 2));
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(k).eigenvalues().minCoeff(), -1e-12);
}

TEST_P(KernelContract, TendsToOneAndToZero) {
    Points points(3, 1);
    points << 0.0, 0.0, 1e9;
    const auto k = correlation_matrix(*kernel(1), {1.0}, points);
    EXPECT_EQ(k(0, 1), 1.0);
    EXPECT_EQ(k(0, 2), 0.0);
}

TEST_P(KernelContract, MetricCoordinatesOrderPairsByCorrelation) {
    const Points points = testing::random_points(30, 3, 3);
    const std::vector<double> lengthscales{0.3, 2.0, 9.0};
    const auto k = correlation_matrix(*kernel(3), lengthscales, points);
    const Points metric = kernel(3)->metric_coordinates(lengthscales, points);
    for (int i = 1; i < 30; ++i)
        for (int j = 1; j < 30; ++j)
            if ((metric.row(0) - metric.row(i)).norm() < (metric.row(0) - metric.row(j)).norm() - 1e-9) {
                EXPECT_GE(k(0, i), k(0, j));
            }
}

// sum_{p>q} weight_pq k_pq, differentiated by contract() and by finite differences, with different points in every lane.
TEST_P(KernelContract, GradientsMatchFiniteDifferences) {
    const int num_points = 7, dims = 5;
    const auto k = kernel(dims);
    std::vector<double> parameters{0.8, 1.5, 2.0, 0.9, 1.1};
    LaneBlock block{num_points, dims, {}};
    RandomStream stream(4, StreamPurpose::test);
    block.coordinates.resize(num_points * dims * kLanes);
    for (double& x : block.coordinates) x = stream.normal();
    linalg::LaneBuffer weight(packed_row(num_points) * kLanes), packed(weight.size());
    for (double& w : weight) w = stream.normal();

    const auto objective = [&](const std::vector<double>& shape, const LaneBlock& at) {
        KernelScratch scratch;
        k->correlations(shape, at, scratch, false, packed.data());
        double sum = 0;
        for (int p = 0; p < num_points; ++p)
            for (int q = 0; q < p; ++q)
                for (int lane = 0; lane < kLanes; ++lane)
                    sum += weight[(packed_row(p) + q) * kLanes + lane] * packed[(packed_row(p) + q) * kLanes + lane];
        return sum;
    };
    KernelScratch scratch;
    linalg::LaneBuffer gradient(dims * kLanes, 0.0), locations(block.coordinates.size(), 0.0);
    k->correlations(parameters, block, scratch, true, packed.data());
    k->contract(parameters, block, scratch, weight.data(), gradient.data(), locations.data());

    for (int d = 0; d < dims; ++d) {
        double analytic = 0;
        for (int lane = 0; lane < kLanes; ++lane) analytic += gradient[d * kLanes + lane];
        const auto along = [&](double log_lengthscale) {
            auto moved = parameters;
            moved[d] = std::exp(log_lengthscale);
            return objective(moved, block);
        };
        EXPECT_NEAR(analytic, testing::derivative(along, std::log(parameters[d]), 1e-3), 1e-8) << "length-scale " << d;
    }
    for (std::size_t e = 0; e < block.coordinates.size(); e += 13) {
        const auto along = [&](double x) {
            auto moved = block;
            moved.coordinates[e] = x;
            return objective(parameters, moved);
        };
        EXPECT_NEAR(locations[e], testing::derivative(along, block.coordinates[e], 1e-4), 1e-7) << "coordinate " << e;
    }
}

TEST_P(KernelContract, GradientIsFiniteAtCoincidentPoints) {
    LaneBlock block{3, 2, linalg::LaneBuffer(3 * 2 * kLanes, 0.25)};
    linalg::LaneBuffer packed(packed_row(3) * kLanes), weight(packed.size(), 1.0), gradient(2 * kLanes, 0.0),
        locations(3 * 2 * kLanes, 0.0);
    KernelScratch scratch;
    const std::vector<double> parameters{1.0, 1.0};
    kernel(2)->correlations(parameters, block, scratch, true, packed.data());
    kernel(2)->contract(parameters, block, scratch, weight.data(), gradient.data(), locations.data());
    for (const double g : gradient) EXPECT_EQ(g, 0.0);
    for (const double g : locations) EXPECT_EQ(g, 0.0);
}

INSTANTIATE_TEST_SUITE_P(All, KernelContract, ::testing::ValuesIn(kernel_names()), [](const auto& suite) { return suite.param; });

TEST(KernelRegistry, RefusesUnknownNamesAndListsTheKnownOnes) {
    try {
        make_kernel("matern72", 2);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("matern72"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("matern52"), std::string::npos);
    }
}

}  // namespace
}  // namespace vnngp::kernel
