// Rows computed in groups are those of the same graph computed one by one.
#include <gtest/gtest.h>

#include <numeric>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/conditional/rows.hpp"
#include "vnngp/neighbors/grouping.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::conditional {
namespace {

struct Visited {
    std::vector<std::vector<double>> weights;
    Vector variance;
    JitterReport jitter;
    CovarianceGradient gradient;
};

/// With an objective whose derivatives depend on the row and on the neighbour, not on where they are in a list.
Visited visited(const Context& context, const Covariance& covariance, const Points& points, const neighbors::NeighborGraph& graph,
                const RowList& list, bool with_adjoint) {
    Visited out{std::vector<std::vector<double>>(graph.num_rows()), Vector::Zero(graph.num_rows()), {}, {}};
    const auto keep = [&](const Row& row) {
        EXPECT_EQ(row.id, list.rows[row.position]);
        EXPECT_TRUE(out.weights[row.id].empty()) << "each row is visited once";
        out.weights[row.id].assign(row.weights.begin(), row.weights.end());
        out.variance[row.id] = row.variance;
    };
    const Neighborhoods neighborhoods{points, points, graph};
    if (!with_adjoint) {
        out.jitter = visit_rows(context, covariance, neighborhoods, list, keep);
        return out;
    }
    const auto result = visit_rows_with_adjoint(context, covariance, neighborhoods, list, [&](const Row& row, RowAdjoint& adjoint) {
        keep(row);
        adjoint.variance = std::sin(1.0 + row.id);
        ASSERT_EQ(adjoint.weights.size(), row.neighbors.size());
        for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
            EXPECT_EQ(adjoint.weights[k], 0.0);
            adjoint.weights[k] = std::cos(row.id + 3.0 * row.neighbors[k]);
        }
    });
    out.jitter = result.jitter;
    out.gradient = result.gradient;
    return out;
}

struct Case {
    std::string kernel;
    Index count, dims, neighbors;
};
class Groups : public ::testing::TestWithParam<Case> {
protected:
    Points points = testing::random_points(GetParam().count, GetParam().dims, 5);
    neighbors::GroupedGraph together = neighbors::grouped(neighbors::predecessor_graph(points, GetParam().neighbors, {}), points, {});
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel(GetParam().kernel, static_cast<int>(GetParam().dims));
    Covariance covariance{kernel.get(), std::vector<double>(GetParam().dims, 0.9), 1.7, 0.03, 1e-8};
    std::vector<Index> all = [] {
        std::vector<Index> rows(GetParam().count);
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }();
    RowList in_groups{together.groups.rows, together.groups.begin};
};

TEST_P(Groups, RowsEqualDenseAlgebra) {
    const auto rows = visited({}, covariance, points, together.graph, in_groups, false);
    const auto dense = testing::dense_rows(testing::covariance_matrix(GetParam().kernel, points, points, covariance.shape, 1.7),
                                           together.graph, 0.03 + 1.7e-8);
    for (const Index j : all) {
        EXPECT_NEAR(rows.variance[j], dense.f[j], 1e-10);
        const auto n = together.graph.row(j);
        ASSERT_EQ(rows.weights[j].size(), n.size());
        for (std::size_t k = 0; k < n.size(); ++k) EXPECT_NEAR(rows.weights[j][k], dense.b(j, n[k]), 1e-9);
    }
    EXPECT_EQ(rows.jitter.raised, 0);
}

TEST_P(Groups, TheAdjointEqualsThatOfRowsByThemselves) {
    const auto alone = visited({}, covariance, points, together.graph, all, true);
    const auto grouped = visited({}, covariance, points, together.graph, in_groups, true);
    for (const Index j : all) EXPECT_NEAR(grouped.variance[j], alone.variance[j], 1e-11);
    const auto expect_near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-8 * (1.0 + std::abs(b))); };
    for (std::size_t p = 0; p < covariance.shape.size(); ++p) expect_near(grouped.gradient.log_shape[p], alone.gradient.log_shape[p]);
    expect_near(grouped.gradient.log_outputscale, alone.gradient.log_outputscale);
    expect_near(grouped.gradient.log_nugget, alone.gradient.log_nugget);
}

TEST_P(Groups, AreIdenticalOnOneAndTwoThreads) {
    const auto one = visited({.threads = 1}, covariance, points, together.graph, in_groups, true);
    const auto two = visited({.threads = 2}, covariance, points, together.graph, in_groups, true);
    EXPECT_EQ(one.weights, two.weights);
    EXPECT_EQ(one.gradient.log_shape, two.gradient.log_shape);
    EXPECT_EQ(one.gradient.log_nugget, two.gradient.log_nugget);
}

INSTANTIATE_TEST_SUITE_P(KernelsAndSizes, Groups,
                         ::testing::Values(Case{"matern32", 150, 2, 8}, Case{"matern12", 90, 1, 3}, Case{"matern52", 203, 2, 30},
                                           Case{"matern32", 120, 6, 9}, Case{"matern52", 400, 2, 70}),
                         [](const auto& suite) { return suite.param.kernel + "_" + std::to_string(suite.param.count); });

TEST(RowsInGroups, AllPredecessorsReproduceTheExactPrior) {
    const Points points = testing::random_points(40, 2, 6);
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.5}, 2.0, 0.1, 0.0};
    const auto [graph, groups] = neighbors::grouped(neighbors::predecessor_graph(points, 40, {}), points, {});
    ASSERT_LT(groups.count(), 10) << "there is something to test";
    const auto rows = visited({}, covariance, points, graph, {groups.rows, groups.begin}, false);
    testing::DenseRows dense{Eigen::MatrixXd::Zero(40, 40), rows.variance};
    for (Index j = 0; j < 40; ++j)
        for (std::size_t p = 0; p < rows.weights[j].size(); ++p) dense.b(j, graph.row(j)[p]) = rows.weights[j][p];
    const Eigen::MatrixXd exact =
        testing::covariance_matrix("matern32", points, points, covariance.shape, 2.0) + 0.1 * Eigen::MatrixXd::Identity(40, 40);
    EXPECT_LT((testing::precision(dense) * exact - Eigen::MatrixXd::Identity(40, 40)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(RowsInGroups, TheJitterIsRaisedWhereCoincidentPointsNeedItAndNotElsewhere) {
    Points points = testing::random_points(60, 2, 12);
    points.row(31) = points.row(30);
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {0.5, 0.5}, 1.0, 0.0, 0.0};
    const auto [graph, groups] = neighbors::grouped(neighbors::predecessor_graph(points, 5, {}), points, {});
    const auto rows = visited({}, covariance, points, graph, {groups.rows, groups.begin}, true);
    std::int64_t with_both = 0;
    for (std::int64_t g = 0; g < groups.count(); ++g) {
        const auto members = groups.group(g);
        const auto list = graph.row(members.back());
        const auto is_copy = [](Index p) { return p == 30 || p == 31; };
        if (std::count_if(list.begin(), list.end(), is_copy) + is_copy(members.back()) == 2) with_both += std::ssize(members);
    }
    EXPECT_GT(rows.jitter.raised, 0);
    EXPECT_LE(rows.jitter.raised, with_both) << "rounding may leave a pivot that would be zero a little above";
    EXPECT_GT(rows.variance.minCoeff(), 0.0);
}

TEST(RowsInGroups, AHopelessGroupNamesAPoint) {
    Points points = testing::random_points(20, 2, 13);
    const auto [graph, groups] = neighbors::grouped(neighbors::predecessor_graph(points, 3, {}), points, {});
    points(19, 0) = std::numeric_limits<double>::quiet_NaN();
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.0}, 1.0};
    EXPECT_THROW(visited({}, covariance, points, graph, {groups.rows, groups.begin}, false), NumericalError);
}

TEST(RowsInGroups, OnlyPriorRowsCanBe) {
    const Points points = testing::random_points(20, 2, 13);
    const auto [graph, groups] = neighbors::grouped(neighbors::predecessor_graph(points, 3, {}), points, {});
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.0}, 1.0};
    const RowList list{groups.rows, groups.begin};
    EXPECT_THROW(visit_rows({}, covariance, {points, points, graph, false}, list, [](const Row&) {}), std::invalid_argument);
    std::vector<double> locations(20 * (graph.stride() + 1) * 2);
    EXPECT_THROW(visit_rows_with_adjoint(
                     {}, covariance, {points, points, graph}, list, [](const Row&, RowAdjoint&) {}, locations),
                 std::invalid_argument);
}

}  // namespace
}  // namespace vnngp::conditional
