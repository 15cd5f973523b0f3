#include "vnngp/neighbors/neighbor_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "vnngp/base/error.hpp"

namespace vnngp::neighbors {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NeighborGraph graph_of(Index stride, const std::vector<std::vector<Index>>& rows) {
    NeighborGraph graph(static_cast<Index>(rows.size()), stride);
    for (std::size_t i = 0; i < rows.size(); ++i) graph.set_row(static_cast<Index>(i), rows[i]);
    return graph;
}

TEST(NeighborGraph, ReturnsTheRowsItWasGiven) {
    const NeighborGraph graph = graph_of(3, {{}, {0}, {1, 0}, {2, 0, 1}});
    EXPECT_EQ(graph.num_rows(), 4);
    EXPECT_EQ(graph.stride(), 3);
    EXPECT_THAT(graph.row(0), IsEmpty());
    EXPECT_THAT(graph.row(1), ElementsAre(0));
    EXPECT_THAT(graph.row(2), ElementsAre(1, 0));
    EXPECT_THAT(graph.row(3), ElementsAre(2, 0, 1));
}

TEST(FractionChanged, CountsEdgesAsSetsPerRow) {
    const NeighborGraph a = graph_of(2, {{}, {0}, {1, 0}, {2, 0}});
    const NeighborGraph reordered = graph_of(2, {{}, {0}, {0, 1}, {0, 2}});
    const NeighborGraph changed = graph_of(2, {{}, {0}, {1, 0}, {1, 0}});
    EXPECT_EQ(fraction_changed(a, a, {}), 0.0);
    EXPECT_EQ(fraction_changed(a, reordered, {}), 0.0);
    EXPECT_EQ(fraction_changed(a, changed, {}), 1.0 / 5.0);
}

TEST(FractionChanged, IsTheShareOfTheFirstGraph) {
    const NeighborGraph more = graph_of(2, {{1, 2}, {0, 2}});
    const NeighborGraph fewer = graph_of(1, {{1}, {0}});
    EXPECT_EQ(fraction_changed(more, fewer, {}), 0.5);
    EXPECT_EQ(fraction_changed(fewer, more, {}), 0.0);
}

TEST(FractionChanged, OfNoEdgesIsZero) { EXPECT_EQ(fraction_changed(NeighborGraph(3, 2), NeighborGraph(3, 2), {}), 0.0); }

TEST(FractionChanged, RefusesGraphsOfDifferentSize) {
    EXPECT_THROW(fraction_changed(NeighborGraph(3, 2), NeighborGraph(4, 2), {}), InputError);
}

}  // namespace
}  // namespace vnngp::neighbors
