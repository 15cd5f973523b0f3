#include "vnngp/neighbors/numbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "sample_points.hpp"
#include "vnngp/neighbors/grouping.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::neighbors {
namespace {

constexpr Index kCount = 20000;

class NumberedPoints : public ::testing::TestWithParam<Index> {
protected:
    Points points = uniform_points(kCount, GetParam());
    NeighborGraph graph = predecessor_graph(points, GetParam() <= 3 ? 5 : 30, {});
    Numbering numbering = cache_numbering(graph, points, {});
    std::vector<Index> order = numbering.order;
};

TEST_P(NumberedPoints, KeepAllEdges) {
    std::vector<Index> sorted = order, all(kCount);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(sorted, all);
    const NeighborGraph other = renumbered(graph, order, {});
    for (Index i = 0; i < kCount; ++i) {
        const auto row = other.row(i), before = graph.row(order[i]);
        EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
        std::vector<Index> named;
        for (const Index j : row) named.push_back(order[j]);
        EXPECT_TRUE(std::is_permutation(named.begin(), named.end(), before.begin(), before.end()));
    }
}

TEST_P(NumberedPoints, HaveNeighboursOfTheirRegionBeforeThemAndOthersOnlyAtTheBorder) {
    const NeighborGraph other = renumbered(graph, order, {});
    Index expected = 0;
    for (const Region& region : numbering.regions) {
        ASSERT_EQ(region.begin, expected) << "regions follow one another";
        expected = region.end;
        std::vector<Index> border;
        for (Index i = region.begin; i < region.end; ++i) {
            bool is_border = false;
            for (const Index j : other.row(i)) {
                is_border |= !region.holds(j);
                if (region.holds(j)) {
                    EXPECT_LT(j, i);
                }
            }
            if (is_border) border.push_back(i);
        }
        EXPECT_EQ(region.border, border);
        EXPECT_LT(std::ssize(border), 0.3 * (region.end - region.begin));
    }
    EXPECT_EQ(expected, kCount);
    EXPECT_EQ(numbering.regions.size(), GetParam() <= 2 ? 4U : GetParam() == 3 ? 2U : 1U) << "few dimensions are cut, many not at all";
}

TEST_P(NumberedPoints, AreNumberedAlikeByAnyNumberOfThreads) {
    EXPECT_EQ(cache_numbering(graph, points, {.threads = 1}).order, cache_numbering(graph, points, {.threads = 3}).order);
}

TEST_P(NumberedPoints, HaveChangedEdgesCountedThroughTheirNumbers) {
    EXPECT_EQ(fraction_changed(renumbered(graph, order, {}), graph, {}, inverse_order(order)), 0.0);
    const NeighborGraph fewer = predecessor_graph(points, 4, {});
    EXPECT_EQ(fraction_changed(renumbered(graph, order, {}), fewer, {}, inverse_order(order)), fraction_changed(graph, fewer, {}));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, NumberedPoints, ::testing::Values(1, 2, 3, 7));

TEST(NumberingOf, ThePlanePutsNeighboursNearbyInMemory) {
    const Points points = uniform_points(kCount, 2);
    const NeighborGraph graph = predecessor_graph(points, 5, {});
    const auto median_distance = [](const NeighborGraph& of) {
        std::vector<Index> distances;
        for (Index i = 0; i < kCount; ++i)
            for (const Index j : of.row(i)) distances.push_back(std::abs(i - j));
        const auto middle = distances.begin() + std::ssize(distances) / 2;
        std::nth_element(distances.begin(), middle, distances.end());
        return *middle;
    };
    EXPECT_LT(20 * median_distance(renumbered(graph, cache_numbering(graph, points, {}).order, {})), median_distance(graph));
}

TEST(NumberingOf, SharedListsIsOfOneRegion) {
    const Points points = uniform_points(kCount, 2);
    const auto together = grouped(predecessor_graph(points, 20, {}), points, {});
    ASSERT_TRUE(together.graph.shares_lists());
    EXPECT_EQ(cache_numbering(together.graph, points, {}).regions.size(), 1U);
}

TEST(NumberingOf, NothingIsNothing) { EXPECT_TRUE(cache_numbering(NeighborGraph(), Points(0, 2), {}).order.empty()); }

TEST(NeighborGraphs, RenumberTheirNeighbours) {
    NeighborGraph graph(2, 2);
    graph.set_row(0, std::vector<Index>{1});
    graph.set_row(1, std::vector<Index>{2, 0});
    graph.renumber_neighbors(std::vector<Index>{5, 6, 7});
    EXPECT_EQ(graph.row(0)[0], 6);
    EXPECT_EQ(graph.row(1)[0], 7);
    EXPECT_EQ(graph.row(1)[1], 5);
}

}  // namespace
}  // namespace vnngp::neighbors
