// What every kernel must satisfy, alone and in expressions. A new kernel needs a line in kCases.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <functional>

#include "support/dense_gp.hpp"
#include "support/finite_difference.hpp"
#include "support/oracle.hpp"
#include "vnngp/kernel/correlations_to.hpp"
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

using Point = Eigen::RowVectorXd;

// The distance of the given columns in units of one length-scale each.
double distance(const Point& x, const Point& y, const std::vector<int>& columns, const std::vector<double>& lengthscales) {
    double squared = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) squared += std::pow((x[columns[i]] - y[columns[i]]) / lengthscales[i], 2);
    return std::sqrt(squared);
}
double rational_quadratic(double r, double alpha) { return std::exp(-alpha * std::log1p(r * r / (2 * alpha))); }
double periodic(double difference, double lengthscale, double period) {
    return std::exp(-2 * std::pow(std::sin(std::numbers::pi * difference / period) / lengthscale, 2));
}

// A kernel, values of its parameters, and its formula at these values written out anew.
struct Case {
    std::string title;
    std::string expression;
    std::vector<Input> inputs;
    std::vector<double> parameters;
    std::function<double(const Point&, const Point&)> formula;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.expression; }

Case stationary_case(const std::string& name) {
    return {name, name, std::vector<Input>(3), {0.7, 1.9, 3.0}, [name](const Point& x, const Point& y) {
                return testing::correlation(name, distance(x, y, {0, 1, 2}, {0.7, 1.9, 3.0}));
            }};
}

const std::vector<Case> kCases{
    stationary_case("matern12"),
    stationary_case("matern32"),
    stationary_case("matern52"),
    stationary_case("rbf"),
    {"rq",
     "rq",
     std::vector<Input>(3),
     {0.7, 1.9, 3.0, 0.6},
     [](const Point& x, const Point& y) {
         return rational_quadratic(distance(x, y, {0, 1, 2}, {0.7, 1.9, 3.0}), 0.6);
     }},
    {"periodic",
     "periodic",
     std::vector<Input>(1),
     {0.8, 1.7},
     [](const Point& x, const Point& y) { return periodic(x[0] - y[0], 0.8, 1.7); }},
    {"given_period",
     "periodic(t, period=365.25)",
     {{"lon"}, {"t", 1, 100.0}},
     {0.8},
     [](const Point& x, const Point& y) { return periodic(x[1] - y[1], 0.8, 3.6525); }},
    {"some_inputs",
     "matern32(x3,x1)",
     std::vector<Input>(3),
     {0.7, 1.9},
     [](const Point& x, const Point& y) {
         return testing::correlation("matern32", distance(x, y, {2, 0}, {0.7, 1.9}));
     }},
    {"shared_lengthscale",
     "rq",
     {{"t"}, {"place", 3}},
     {0.7, 1.9, 400.0},
     [](const Point& x, const Point& y) {
         return rational_quadratic(distance(x, y, {0, 1, 2, 3}, {0.7, 1.9, 1.9, 1.9}), 400.0);
     }},
    {"space_times_time",
     "matern32(place) * matern12(t)",
     {{"place", 2}, {"t"}},
     {0.9, 1.3},
     [](const Point& x, const Point& y) {
         return testing::correlation("matern32", distance(x, y, {0, 1}, {0.9, 0.9})) *
                testing::correlation("matern12", distance(x, y, {2}, {1.3}));
     }},
    {"three_factors",
     "rbf(x1) * periodic(x2) * rq(x2,x3)",
     std::vector<Input>(3),
     {0.9, 0.8, 2.1, 1.1, 0.6, 1.4},
     [](const Point& x, const Point& y) {
         return testing::correlation("rbf", distance(x, y, {0}, {0.9})) * periodic(x[1] - y[1], 0.8, 2.1) *
                rational_quadratic(distance(x, y, {1, 2}, {1.1, 0.6}), 1.4);
     }},
    {"three_terms",
     "matern52 + rbf(x1) + matern12(x2)",
     std::vector<Input>(2),
     {0.9, 0.8, 2.1, 1.1, 0.6, 1.7},
     [](const Point& x, const Point& y) {
         return (testing::correlation("matern52", distance(x, y, {0, 1}, {0.9, 0.8})) +
                 0.6 * testing::correlation("rbf", distance(x, y, {0}, {2.1})) +
                 1.7 * testing::correlation("matern12", distance(x, y, {1}, {1.1}))) /
                3.3;
     }},
    {"space_time_and_season",
     "matern32(x1,x2) * matern12(x3) + periodic(x3, period=2) * rbf(x3)",
     std::vector<Input>(3),
     {0.9, 0.8, 2.1, 1.1, 4.0, 0.3},
     [](const Point& x, const Point& y) {
         return (testing::correlation("matern32", distance(x, y, {0, 1}, {0.9, 0.8})) *
                     testing::correlation("matern12", distance(x, y, {2}, {2.1})) +
                 0.3 * periodic(x[2] - y[2], 1.1, 2.0) * testing::correlation("rbf", distance(x, y, {2}, {4.0}))) /
                1.3;
     }},
    {"product_of_sums",
     "(rbf(x1) + matern32(x2)) * (matern12 + matern52(x1))",
     std::vector<Input>(2),
     {0.9, 0.8, 0.4, 1.1, 0.6, 1.7, 2.5},
     [](const Point& x, const Point& y) {
         const double left = (testing::correlation("rbf", distance(x, y, {0}, {0.9})) +
                              0.4 * testing::correlation("matern32", distance(x, y, {1}, {0.8}))) /
                             1.4;
         const double right = (testing::correlation("matern12", distance(x, y, {0, 1}, {1.1, 0.6})) +
                               2.5 * testing::correlation("matern52", distance(x, y, {0}, {1.7}))) /
                              3.5;
         return left * right;
     }},
};

class KernelContract : public ::testing::TestWithParam<Case> {
protected:
    std::unique_ptr<Kernel> kernel = make_kernel(GetParam().expression, GetParam().inputs);
    const std::vector<double>& parameters = GetParam().parameters;
    const int dims = kernel->num_dims();
};

TEST(KernelRegistry, EveryKernelHasACase) {
    for (const std::string& name : kernel_names())
        EXPECT_TRUE(std::any_of(kCases.begin(), kCases.end(), [&](const Case& each) { return each.expression == name; })) << name;
}

TEST_P(KernelContract, NameIsTheExpressionAndMakesTheSameKernel) {
    EXPECT_EQ(kernel->name(), GetParam().expression);
    const auto again = make_kernel(kernel->name(), GetParam().inputs);
    const Points points = testing::random_points(5, dims, 1);
    EXPECT_EQ(correlation_matrix(*again, parameters, points), correlation_matrix(*kernel, parameters, points));
}

TEST_P(KernelContract, ParametersHaveUniqueNamesAndStartWithinTheirBounds) {
    const auto all = kernel->parameters();
    ASSERT_EQ(all.size(), parameters.size());
    EXPECT_EQ(kernel->num_parameters(), static_cast<int>(parameters.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i].name, all[j].name);
        EXPECT_GE(all[i].input, -1);
        EXPECT_LT(all[i].input, static_cast<int>(GetParam().inputs.size()));
        EXPECT_GT(all[i].lower, 0.0);
        EXPECT_GE(all[i].initial, all[i].lower);
        EXPECT_LE(all[i].initial, all[i].upper);
    }
}

TEST_P(KernelContract, MatchesTheFormulaOfItsDocumentation) {
    const Points points = testing::random_points(9, dims, 1);
    const auto k = correlation_matrix(*kernel, parameters, points);
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < i; ++j) EXPECT_NEAR(k(i, j), GetParam().formula(points.row(i), points.row(j)), 1e-14);
}

TEST_P(KernelContract, IsSymmetricAndPositiveSemidefinite) {
    const Points points = testing::random_points(40, dims, 2), reversed = points.colwise().reverse();
    const auto k = correlation_matrix(*kernel, parameters, points);
    EXPECT_LT((correlation_matrix(*kernel, parameters, reversed) - k.reverse()).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(k).eigenvalues().minCoeff(), -1e-12);
}

TEST_P(KernelContract, IsOneForCoincidentPoints) {
    const Points points = testing::random_points(1, dims, 5).replicate(3, 1);
    EXPECT_LT((correlation_matrix(*kernel, parameters, points).array() - 1.0).abs().maxCoeff(), 1e-15);
}

TEST_P(KernelContract, ExactMetricCoordinatesOrderPairsByCorrelation) {
    if (!kernel->metric_is_exact()) return;
    const Points points = testing::random_points(30, dims, 3);
    const auto k = correlation_matrix(*kernel, parameters, points);
    const Points metric = kernel->metric_coordinates(parameters, points);
    for (int i = 1; i < 30; ++i)
        for (int j = 1; j < 30; ++j)
            if ((metric.row(0) - metric.row(i)).norm() < (metric.row(0) - metric.row(j)).norm() - 1e-9) {
                EXPECT_GE(k(0, i), k(0, j));
            }
}

TEST_P(KernelContract, CorrelationsToAPointAreThoseOfItsBlock) {
    const Points points = testing::random_points(21, dims, 6);
    const auto k = correlation_matrix(*kernel, parameters, points);
    const std::vector<Index> candidates{20, 3, 4, 5, 19, 7, 7, 1, 2, 12, 11};
    std::vector<double> out(candidates.size());
    correlations_to(*kernel, parameters, points, candidates, points.row(0).data(), out);
    for (std::size_t i = 0; i < candidates.size(); ++i) EXPECT_NEAR(out[i], k(0, candidates[i]), 1e-15);
}

// sum_{p>q} weight_pq k_pq, differentiated by contract() and by finite differences, with different points in every lane.
TEST_P(KernelContract, GradientsMatchFiniteDifferences) {
    const int num_points = 7;
    LaneBlock block{num_points, dims, {}};
    RandomStream stream(4, StreamPurpose::test);
    block.coordinates.resize(num_points * dims * kLanes);
    for (double& x : block.coordinates) x = stream.normal();
    linalg::LaneBuffer weight(packed_row(num_points) * kLanes), packed(weight.size());
    for (double& w : weight) w = stream.normal();
    for (int p = 0; p < num_points; ++p) weight[(packed_row(p) + p) * kLanes] = NAN;  // the diagonal is nobody's business

    const auto objective = [&](const std::vector<double>& shape, const LaneBlock& at) {
        KernelScratch scratch;
        kernel->correlations(shape, at, scratch, false, packed.data());
        double sum = 0;
        for (int p = 0; p < num_points; ++p)
            for (int q = 0; q < p; ++q)
                for (int lane = 0; lane < kLanes; ++lane)
                    sum += weight[(packed_row(p) + q) * kLanes + lane] * packed[(packed_row(p) + q) * kLanes + lane];
        return sum;
    };
    KernelScratch scratch;
    linalg::LaneBuffer gradient(parameters.size() * kLanes, 0.0), locations(block.coordinates.size(), 0.0);
    kernel->correlations(parameters, block, scratch, true, packed.data());
    kernel->contract(parameters, block, scratch, weight.data(), gradient.data(), locations.data());

    for (std::size_t i = 0; i < parameters.size(); ++i) {
        double analytic = 0;
        for (int lane = 0; lane < kLanes; ++lane) analytic += gradient[i * kLanes + lane];
        const auto along = [&](double logarithm) {
            auto moved = parameters;
            moved[i] = std::exp(logarithm);
            return objective(moved, block);
        };
        EXPECT_NEAR(analytic, testing::derivative(along, std::log(parameters[i]), 1e-3), 1e-7) << kernel->parameters()[i].name;
    }
    for (std::size_t e = 0; e < block.coordinates.size(); e += 7) {
        const auto along = [&](double x) {
            auto moved = block;
            moved.coordinates[e] = x;
            return objective(parameters, moved);
        };
        EXPECT_NEAR(locations[e], testing::derivative(along, block.coordinates[e], 1e-4), 1e-7) << "coordinate " << e;
    }
}

TEST_P(KernelContract, GradientsAreAddedAndScratchMayBeReusedForAnyBlock) {
    KernelScratch used;
    linalg::LaneBuffer weight(packed_row(9) * kLanes, 0.5), packed(weight.size());
    for (const int num_points : {9, 2, 6}) {
        LaneBlock block{num_points, dims, linalg::LaneBuffer(num_points * dims * kLanes)};
        RandomStream stream(num_points, StreamPurpose::test);
        for (double& x : block.coordinates) x = stream.normal();
        const auto gradients = [&](KernelScratch& scratch, double before) {
            linalg::LaneBuffer both(parameters.size() * kLanes + block.coordinates.size(), before);
            kernel->correlations(parameters, block, scratch, true, packed.data());
            kernel->contract(parameters, block, scratch, weight.data(), both.data(), both.data() + parameters.size() * kLanes);
            return both;
        };
        KernelScratch fresh;
        const auto expected = gradients(fresh, 0.0), found = gradients(used, 2.0);
        for (std::size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(found[e], 2.0 + expected[e], 1e-13);
    }
}

/// Correlations of a cross block and its derivatives, one after the other.
template <class T>
std::vector<double> cross_values(const Kernel& kernel, const std::vector<double>& parameters, const Points& rows, const Points& cols,
                                 const Eigen::MatrixXd& weights, KernelScratchOf<T>& scratch) {
    CrossBlockOf<T> block{kernel.num_dims(), linalg::LaneBufferOf<T>(rows.size()), linalg::LaneBufferOf<T>(cols.size())};
    for (int p = 0; p < kCrossSide; ++p)
        for (int dim = 0; dim < block.num_dims; ++dim) {
            block.rows[dim * kCrossSide + p] = static_cast<T>(rows(p, dim));
            block.cols[dim * kCrossSide + p] = static_cast<T>(cols(p, dim));
        }
    const std::size_t pairs = kCrossSide * kCrossSide;
    linalg::LaneBufferOf<T> weight(pairs), correlation(pairs), without_slope(pairs), gradient(parameters.size(), T(2)),
        locations(rows.size(), T(2)), shape_only(parameters.size(), T(2));
    for (std::size_t e = 0; e < pairs; ++e) weight[e] = static_cast<T>(weights.data()[e]);
    kernel.cross_correlations(parameters, block, scratch, false, without_slope.data());
    kernel.cross_correlations(parameters, block, scratch, true, correlation.data());
    EXPECT_EQ(correlation, without_slope);
    kernel.cross_contract(block, scratch, weight.data(), shape_only.data(), nullptr);
    kernel.cross_contract(block, scratch, weight.data(), gradient.data(), locations.data());
    EXPECT_EQ(gradient, shape_only);
    std::vector<double> all(correlation.begin(), correlation.end());
    for (const T value : gradient) all.push_back(value - 2.0);
    for (const T value : locations) all.push_back(value - 2.0);
    return all;
}

// The points of both sides in one block of lanes, with weights for the pairs across alone.
TEST_P(KernelContract, CrossBlocksAreThePairsAcrossInABlockOfBoth) {
    if (!kernel->has_cross()) return;
    const Points rows = testing::random_points(kCrossSide, dims, 8), cols = testing::random_points(kCrossSide, dims, 9);
    const Eigen::MatrixXd weights = testing::random_points(kCrossSide, kCrossSide, 10);
    LaneBlock block{2 * kCrossSide, dims, linalg::LaneBuffer(2 * rows.size() * kLanes)};
    for (Eigen::Index e = 0; e < rows.size(); ++e) {
        std::fill_n(block.coordinates.data() + e * kLanes, kLanes, rows.data()[e]);
        std::fill_n(block.coordinates.data() + (rows.size() + e) * kLanes, kLanes, cols.data()[e]);
    }
    linalg::LaneBuffer packed(packed_row(2 * kCrossSide) * kLanes), weight(packed.size(), 0.0), gradient(parameters.size() * kLanes, 0.0),
        locations(block.coordinates.size(), 0.0);
    const auto place = [](int p, int q) { return (packed_row(kCrossSide + q) + p) * kLanes; };
    for (int q = 0; q < kCrossSide; ++q)
        for (int p = 0; p < kCrossSide; ++p) weight[place(p, q)] = weights(p, q);
    KernelScratch lanes;
    kernel->correlations(parameters, block, lanes, true, packed.data());
    kernel->contract(parameters, block, lanes, weight.data(), gradient.data(), locations.data());
    std::vector<double> expected;
    for (int q = 0; q < kCrossSide; ++q)
        for (int p = 0; p < kCrossSide; ++p) expected.push_back(packed[place(p, q)]);
    for (std::size_t i = 0; i < parameters.size(); ++i) expected.push_back(gradient[i * kLanes]);
    for (int dim = 0; dim < dims; ++dim)
        for (int p = 0; p < kCrossSide; ++p) expected.push_back(locations[(p * dims + dim) * kLanes]);

    KernelScratch scratch;
    for (int round = 0; round < 2; ++round) {
        const auto found = cross_values(*kernel, parameters, rows, cols, weights, scratch);
        for (std::size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(found[e], expected[e], 1e-11);
    }
    if (!kernel->has_single_precision()) return;
    // Sums over 4,096 pairs are of the order of 50, those of a point's of 5.
    KernelScratchOf<float> single;
    const auto found = cross_values(*kernel, parameters, rows, cols, weights, single);
    for (std::size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(found[e], expected[e], e < 4096 ? 1e-6 : 1e-4) << e;
}

TEST_P(KernelContract, GradientVanishesAtCoincidentPoints) {
    LaneBlock block{3, dims, linalg::LaneBuffer(3 * dims * kLanes, 0.25)};
    linalg::LaneBuffer packed(packed_row(3) * kLanes), weight(packed.size(), 1.0), gradient(parameters.size() * kLanes, 0.0),
        locations(block.coordinates.size(), 0.0);
    KernelScratch scratch;
    kernel->correlations(parameters, block, scratch, true, packed.data());
    kernel->contract(parameters, block, scratch, weight.data(), gradient.data(), locations.data());
    for (const double g : gradient) EXPECT_NEAR(g, 0.0, 1e-15);
    for (const double g : locations) EXPECT_EQ(g, 0.0);
}

INSTANTIATE_TEST_SUITE_P(All, KernelContract, ::testing::ValuesIn(kCases), [](const auto& suite) { return suite.param.title; });

class StationaryKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(StationaryKernel, MatchesTheGoldenTable) {
    const auto golden = testing::oracle()["kernels"];
    for (std::size_t i = 0; i < golden["r"].size(); ++i) {
        Points points(2, 1);
        points << 0.0, golden["r"][i].get<double>() * 1.7;
        const double expected = golden[GetParam()][i];
        EXPECT_NEAR(correlation_matrix(*make_kernel(GetParam(), 1), {1.7}, points)(0, 1), expected, 1e-14 + 1e-12 * expected)
            << golden["r"][i];
    }
}

TEST_P(StationaryKernel, TendsToOneAndToZero) {
    Points points(3, 1);
    points << 0.0, 0.0, 1e9;
    const auto k = correlation_matrix(*make_kernel(GetParam(), 1), {1.0}, points);
    EXPECT_EQ(k(0, 1), 1.0);
    EXPECT_EQ(k(0, 2), 0.0);
}

TEST_P(StationaryKernel, HasOneLengthscalePerInput) {
    const auto unnamed = make_kernel(GetParam(), 2)->parameters();
    ASSERT_EQ(unnamed.size(), 2);
    EXPECT_EQ(unnamed[0].name, "lengthscale_1");
    EXPECT_EQ(unnamed[1].name, "lengthscale_2");
    EXPECT_EQ(unnamed[1].input, 1);
    const auto kernel = make_kernel(GetParam(), std::vector<Input>{{"place", 3}, {"t"}});
    EXPECT_EQ(kernel->num_dims(), 4);
    ASSERT_EQ(kernel->num_parameters(), 2);
    EXPECT_EQ(kernel->parameters()[0].name, "lengthscale_place");
    EXPECT_EQ(kernel->parameters()[1].name, "lengthscale_t");
}

INSTANTIATE_TEST_SUITE_P(All, StationaryKernel, ::testing::Values("matern12", "matern32", "matern52", "rbf"),
                         [](const auto& suite) { return suite.param; });

TEST(RationalQuadratic, TendsToTheSquaredExponential) {
    const Points points = testing::random_points(9, 2, 7);
    const auto limit = correlation_matrix(*make_kernel("rbf", 2), {0.7, 1.9}, points);
    EXPECT_LT((correlation_matrix(*make_kernel("rq", 2), {0.7, 1.9, 1e9}, points) - limit).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Periodic, RepeatsItselfFarAway) {
    Points points(3, 1);
    points << 0.3, 0.3 + 1000 * 1.7, 0.3 + 1.7 / 2;
    const auto k = correlation_matrix(*make_kernel("periodic", 1), {0.8, 1.7}, points);
    EXPECT_NEAR(k(0, 1), 1.0, 1e-12);
    EXPECT_NEAR(k(0, 2), std::exp(-2 / (0.8 * 0.8)), 1e-14);
}

TEST(Metric, AddsUpColumnsThatSeveralPartsUse) {
    const auto kernel = make_kernel("matern32(x1,x2) + rbf(x1) * matern12(x3)", 4);
    const std::vector<double> parameters{1.0, 2.0, 0.5, 4.0, 3.0};  // shares 1/4 and 3/4
    const Points points = testing::random_points(5, 4, 8);
    const Points metric = kernel->metric_coordinates(parameters, points);
    ASSERT_EQ(metric.cols(), 3);
    const Point difference = points.row(0) - points.row(1);
    const double expected = 0.25 * (std::pow(difference[0], 2) + std::pow(difference[1] / 2, 2)) +
                            0.75 * (std::pow(difference[0] / 0.5, 2) + std::pow(difference[2] / 4, 2));
    EXPECT_NEAR((metric.row(0) - metric.row(1)).squaredNorm(), expected, 1e-13);
    EXPECT_FALSE(kernel->metric_is_exact());
}

}  // namespace
}  // namespace vnngp::kernel
