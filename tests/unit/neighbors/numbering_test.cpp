#include "vnngp/neighbors/numbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sample_points.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::neighbors {
namespace {

class Numbering : public ::testing::TestWithParam<Index> {
protected:
    Points points = uniform_points(3000, GetParam());
    NeighborGraph graph = predecessor_graph(points, 5, {});
    std::vector<Index> order = cache_order(graph, points, {});
};

TEST_P(Numbering, KeepsNeighboursBeforeTheirRowsAndAllEdges) {
    std::vector<Index> sorted = order, all(3000);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(sorted, all);
    const NeighborGraph other = renumbered(graph, order, {});
    for (Index i = 0; i < 3000; ++i) {
        ASSERT_EQ(other.row(i).size(), graph.row(order[i]).size());
        for (std::size_t k = 0; k < other.row(i).size(); ++k) {
            EXPECT_LT(other.row(i)[k], i);
            EXPECT_EQ(order[other.row(i)[k]], graph.row(order[i])[k]);
        }
    }
}

// A row of the same length of chain as the one before it must not have that one as a neighbour, nor any other of its run.
TEST_P(Numbering, PutsIndependentRowsTogether) {
    const NeighborGraph other = renumbered(graph, order, {});
    Index runs = 0, begin = 0;
    for (Index i = 0; i < 3000; ++i) {
        const auto n = other.row(i);
        if (std::none_of(n.begin(), n.end(), [&](Index j) { return j >= begin; })) continue;
        begin = i;
        ++runs;
    }
    EXPECT_LT(runs, 100) << "in the order of the approximation there are some thousand";
}

TEST_P(Numbering, ChangedEdgesAreCountedThroughIt) {
    EXPECT_EQ(fraction_changed(renumbered(graph, order, {}), graph, {}, inverse_order(order)), 0.0);
    const NeighborGraph fewer = predecessor_graph(points, 4, {});
    EXPECT_EQ(fraction_changed(renumbered(graph, order, {}), fewer, {}, inverse_order(order)), fraction_changed(graph, fewer, {}));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Numbering, ::testing::Values(1, 2, 7));

TEST(NumberingOf, NothingIsNothing) { EXPECT_TRUE(cache_order(NeighborGraph(), Points(0, 2), {}).empty()); }

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
