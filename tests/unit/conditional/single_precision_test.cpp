// Rows in single precision, judged by those in double precision.
#include <gtest/gtest.h>

#include <numeric>

#include "support/dense_gp.hpp"
#include "vnngp/conditional/rows.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::conditional {
namespace {

using neighbors::NeighborGraph;

// What a visit leaves, with the objective sum_i (sum_k b_k c_k)^2 + log f for some numbers c.
struct Visited {
    std::vector<std::vector<double>> weights;
    std::vector<double> variance;
    CovarianceGradient gradient;
};

Visited visit(const Covariance& covariance, const Points& points, const NeighborGraph& graph, std::span<const Index> rows,
              int threads = 2) {
    Visited out{std::vector<std::vector<double>>(rows.size()), std::vector<double>(rows.size()), {}};
    const Context context{.threads = threads};
    const auto result =
        visit_rows_with_adjoint(context, covariance, {points, points, graph}, rows, [&](const Row& row, RowAdjoint& adjoint) {
            EXPECT_EQ(row.id, rows[row.position]);
            out.weights[row.position].assign(row.weights.begin(), row.weights.end());
            out.variance[row.position] = row.variance;
            double sum = 0.0;
            for (std::size_t k = 0; k < row.weights.size(); ++k) sum += row.weights[k] * std::sin(row.neighbors[k]);
            for (std::size_t k = 0; k < row.weights.size(); ++k) adjoint.weights[k] = 2.0 * sum * std::sin(row.neighbors[k]);
            adjoint.variance = 1.0 / row.variance;
        });
    out.gradient = result.gradient;
    visit_rows(context, covariance, {points, points, graph}, rows, [&](const Row& row) {
        EXPECT_EQ(row.variance, out.variance[row.position]);
        EXPECT_TRUE(std::equal(row.weights.begin(), row.weights.end(), out.weights[row.position].begin()));
    });
    return out;
}

// Every other row, backwards: positions are not numbers of rows.
std::vector<Index> some_rows(Index count) {
    std::vector<Index> rows;
    for (Index i = count - 1; i >= 0; i -= 2) rows.push_back(i);
    return rows;
}

struct Case {
    std::string kernel;
    Index neighbors;
    int dims;  ///< distances come from products where there are many
};
class SinglePrecision : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(KernelsAndSizes, SinglePrecision,
                         ::testing::Values(Case{"matern12", 1, 2}, Case{"matern12", 33, 7}, Case{"matern32", 16, 3},
                                           Case{"matern52", 64, 3}, Case{"rbf", 21, 9}),
                         [](const auto& suite) { return suite.param.kernel + "_" + std::to_string(suite.param.neighbors); });

TEST_P(SinglePrecision, IsDoublePrecisionToFiveDigits) {
    const auto& [name, k, dims] = GetParam();
    // Far from the origin, where single precision could not hold the coordinates themselves.
    const Points points = testing::random_points(150, dims, 5).array() + 1e4;
    const auto kernel = kernel::make_kernel(name, dims);
    Covariance covariance{kernel.get(), std::vector<double>(dims, 1.3), 1.7, 0.1, 1e-8};
    const NeighborGraph graph = neighbors::predecessor_graph(points, k, {});
    const auto rows = some_rows(150);
    const Visited expected = visit(covariance, points, graph, rows);
    covariance.single_precision = true;
    const Visited single = visit(covariance, points, graph, rows);
    EXPECT_NE(single.variance, expected.variance);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(single.variance[i], expected.variance[i], 2e-5 * expected.variance[i]);
        ASSERT_EQ(single.weights[i].size(), expected.weights[i].size());
        for (std::size_t p = 0; p < single.weights[i].size(); ++p) EXPECT_NEAR(single.weights[i][p], expected.weights[i][p], 5e-5);
    }
    double largest = 0.0;
    for (const double value : expected.gradient.log_shape) largest = std::max(largest, std::abs(value));
    for (std::size_t p = 0; p < expected.gradient.log_shape.size(); ++p)
        EXPECT_NEAR(single.gradient.log_shape[p], expected.gradient.log_shape[p], 1e-4 * largest);
    EXPECT_NEAR(single.gradient.log_outputscale, expected.gradient.log_outputscale, 1e-4 * largest);
    EXPECT_NEAR(single.gradient.log_nugget, expected.gradient.log_nugget, 1e-4 * largest);
}

TEST(SinglePrecision, RowsThatItCannotServeAreInDoublePrecision) {
    // Without a nugget to speak of, rows near each other are lost and rows far from everything are not.
    Points points = testing::random_points(120, 2, 7);
    points.bottomRows(60) = 1e-3 * points.bottomRows(60).array() + 20.0;
    const auto kernel = kernel::make_kernel("rbf", 2);
    Covariance covariance{kernel.get(), {0.1, 0.1}, 1.0, 5e-5, 0.0};
    const NeighborGraph graph = neighbors::predecessor_graph(points, 12, {});
    std::vector<Index> rows(120);
    std::iota(rows.begin(), rows.end(), 0);
    const Visited expected = visit(covariance, points, graph, rows);
    covariance.single_precision = true;
    const Visited single = visit(covariance, points, graph, rows), alone = visit(covariance, points, graph, rows, 1);
    int same = 0;
    for (Index i = 0; i < 120; ++i) {
        same += single.weights[i] == expected.weights[i] && single.weights[i].size() > 1 ? 1 : 0;
        EXPECT_NEAR(single.variance[i], expected.variance[i], 5e-2 * expected.variance[i]);
    }
    EXPECT_GT(same, 10);
    EXPECT_LT(same, 110);
    EXPECT_EQ(single.variance, alone.variance);
    EXPECT_EQ(single.weights, alone.weights);
    EXPECT_EQ(single.gradient.log_shape, alone.gradient.log_shape);
    EXPECT_NEAR(single.gradient.log_shape[0], expected.gradient.log_shape[0], 1e-2 * std::abs(expected.gradient.log_shape[0]));
}

TEST(SinglePrecision, IsNotUsedWhereItIsNotThere) {
    const Points points = testing::random_points(60, 2, 8);
    const NeighborGraph graph = neighbors::predecessor_graph(points, 6, {});
    const auto rows = some_rows(60);
    for (const char* expression : {"rq", "periodic(x2)", "rbf * matern12", "rbf + matern12"}) {
        const auto kernel = kernel::make_kernel(expression, 2);
        EXPECT_FALSE(kernel->has_single_precision());
        std::vector<double> shape;
        for (const auto& parameter : kernel->parameters()) shape.push_back(parameter.initial);
        Covariance covariance{kernel.get(), shape, 1.7, 0.1, 1e-8};
        const Visited expected = visit(covariance, points, graph, rows);
        covariance.single_precision = true;
        EXPECT_EQ(visit(covariance, points, graph, rows).weights, expected.weights) << expression;
        if (kernel->name() == "rq") continue;
        kernel::LaneBlockOf<float> block;
        kernel::KernelScratchOf<float> scratch;
        EXPECT_THROW(kernel->correlations(shape, block, scratch, false, nullptr), std::logic_error);
        EXPECT_THROW(kernel->contract(block, scratch, nullptr, nullptr), std::logic_error);
    }
    // A nugget so small that no row would be trusted.
    const auto kernel = kernel::make_kernel("rbf", 2);
    Covariance covariance{kernel.get(), {1.0, 1.0}, 1.0, 1e-6, 0.0};
    const Visited expected = visit(covariance, points, graph, rows);
    covariance.single_precision = true;
    EXPECT_EQ(visit(covariance, points, graph, rows).weights, expected.weights);
}

}  // namespace
}  // namespace vnngp::conditional
