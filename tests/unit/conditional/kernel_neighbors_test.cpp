// Neighbours by correlation, compared with correlations of all pairs.
#include "vnngp/conditional/kernel_neighbors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/kernel/correlations_to.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::conditional {
namespace {

using neighbors::NeighborGraph;

// The `count` of all points with the largest correlation with the target, smaller indices first among equals.
std::vector<Index> best_of_all(const kernel::Kernel& kernel, const std::vector<double>& parameters, const Points& points,
                               const double* target, Index count) {
    std::vector<Index> order(points.rows());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> correlation(order.size());
    kernel::correlations_to(kernel, parameters, points, order, target, correlation);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return correlation[a] > correlation[b]; });
    order.resize(count);
    return order;
}

NeighborGraph everyone(Index num_rows, Index num_points) {
    NeighborGraph graph(num_rows, num_points);
    std::vector<Index> all(num_points);
    std::iota(all.begin(), all.end(), 0);
    for (Index row = 0; row < num_rows; ++row) graph.set_row(row, all);
    return graph;
}

TEST(RerankByCorrelation, OfAllPointsIsBruteForce) {
    const auto kernel = kernel::make_kernel("matern32(x1,x2) * matern12(x3) + periodic(x3)", 3);
    const std::vector<double> parameters{0.5, 1.5, 0.8, 0.7, 1.1, 0.6};
    const Points inducing = testing::random_points(60, 3, 1), targets = testing::random_points(700, 3, 2);
    const NeighborGraph graph = rerank_by_correlation({.threads = 3}, *kernel, parameters, inducing, targets, everyone(700, 60), 7);
    EXPECT_EQ(graph.stride(), 7);
    for (Index row = 0; row < 700; ++row) {
        const auto expected = best_of_all(*kernel, parameters, inducing, targets.row(row).data(), 7);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), graph.row(row).begin(), graph.row(row).end())) << row;
    }
    EXPECT_EQ(graph, rerank_by_correlation({.threads = 1}, *kernel, parameters, inducing, targets, everyone(700, 60), 7));
}

TEST(RerankByCorrelation, KeepsShortRowsAndTheOrderOfEqualCandidates) {
    const auto kernel = kernel::make_kernel("rbf(x1)", 2);
    Points points(4, 2);
    points << 0, 0, 1, 5, 1, 6, 1, 7;  // the last three are equally correlated with the first
    NeighborGraph candidates(4, 3);
    candidates.set_row(0, std::vector<Index>{3, 1, 2});
    candidates.set_row(1, std::vector<Index>{0});
    candidates.set_row(3, std::vector<Index>{0, 2, 1});
    const NeighborGraph graph = rerank_by_correlation({}, *kernel, std::vector{1.0}, points, points, candidates, 2);
    const auto row = [&](Index i) { return std::vector<Index>(graph.row(i).begin(), graph.row(i).end()); };
    EXPECT_EQ(row(0), (std::vector<Index>{3, 1}));
    EXPECT_EQ(row(1), (std::vector<Index>{0}));
    EXPECT_EQ(row(2), (std::vector<Index>{}));
    EXPECT_EQ(row(3), (std::vector<Index>{2, 1}));
    EXPECT_EQ(rerank_by_correlation({}, *kernel, std::vector{1.0}, points, points, candidates, 99).stride(), 3);
    EXPECT_THROW(rerank_by_correlation({}, *kernel, std::vector{1.0}, points, points, candidates, 0), InputError);
}

struct RecallCase {
    std::string title, expression;
    std::vector<double> parameters;
};

void PrintTo(const RecallCase& each, std::ostream* out) { *out << each.expression; }

class MetricRecall : public ::testing::TestWithParam<RecallCase> {};

// The K neighbours of largest correlation are among the 4 K nearest in the kernel's metric, nine times out of ten or more.
TEST_P(MetricRecall, FourTimesAsManyCandidatesHoldTheBest) {
    constexpr Index kNeighbors = 16, kTargets = 100;
    const auto kernel = kernel::make_kernel(GetParam().expression, 3);
    const Points inducing = testing::random_points(2000, 3, 3), targets = testing::random_points(kTargets, 3, 4);
    const auto candidates = neighbors::nearest_graph(kernel->metric_coordinates(GetParam().parameters, inducing),
                                                     kernel->metric_coordinates(GetParam().parameters, targets), 4 * kNeighbors, {});
    const auto graph = rerank_by_correlation({}, *kernel, GetParam().parameters, inducing, targets, candidates, kNeighbors);
    int found = 0;
    for (Index row = 0; row < kTargets; ++row) {
        const auto best = best_of_all(*kernel, GetParam().parameters, inducing, targets.row(row).data(), kNeighbors);
        for (const Index neighbor : graph.row(row)) found += std::find(best.begin(), best.end(), neighbor) != best.end();
    }
    const double recall = static_cast<double>(found) / (kNeighbors * kTargets);
    RecordProperty("recall", std::to_string(recall));
    EXPECT_GT(recall, 0.9);
}

INSTANTIATE_TEST_SUITE_P(
    All, MetricRecall,
    ::testing::Values(RecallCase{"product", "matern32(x1,x2) * matern12(x3)", {0.7, 1.1, 1.5}},
                      RecallCase{"product_of_short_and_long", "matern32(x1,x2) * matern12(x3)", {0.1, 0.1, 3.0}},
                      RecallCase{"sum", "matern32(x1,x2) + matern12(x3)", {0.7, 1.1, 1.5, 1.0}},
                      RecallCase{"sum_of_scales", "matern32 + matern52", {0.3, 0.4, 0.5, 2.0, 3.0, 1.0, 0.5}},
                      RecallCase{"sum_of_products", "matern32(x1,x2) * matern12(x3) + rbf(x1,x2)", {0.7, 1.1, 1.5, 2.0, 2.0, 0.5}},
                      RecallCase{"season", "matern32(x1,x2) * periodic(x3)", {0.7, 1.1, 1.0, 1.3}}),
    [](const auto& suite) { return suite.param.title; });

}  // namespace
}  // namespace vnngp::conditional
