#include "vnngp/neighbors/grouping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sample_points.hpp"
#include "vnngp/neighbors/numbering.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::neighbors {
namespace {

double edges_of(const NeighborGraph& graph) {
    double edges = 0.0;
    for (Index i = 0; i < graph.num_rows(); ++i) edges += static_cast<double>(graph.row(i).size());
    return edges;
}

/// The rows of a group are prefixes of one list, in which each is the point after its own neighbours.
void expect_lists_are_shared(const GroupedGraph& together) {
    const auto& [graph, groups] = together;
    std::vector<Index> rows = groups.rows, all(graph.num_rows());
    std::sort(rows.begin(), rows.end());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(rows, all) << "every row is in one group";
    for (std::int64_t g = 0; g < groups.count(); ++g) {
        const auto members = groups.group(g);
        ASSERT_FALSE(members.empty());
        const auto list = graph.row(members.back());
        for (const Index member : members.first(members.size() - 1)) {
            const auto row = graph.row(member);
            ASSERT_LT(row.size(), list.size());
            EXPECT_TRUE(std::equal(row.begin(), row.end(), list.begin()));
            EXPECT_EQ(list[row.size()], member);
        }
    }
}

class Grouped : public ::testing::TestWithParam<Index> {
protected:
    Points points = uniform_points(9000, GetParam());
    NeighborGraph graph = predecessor_graph(points, 12, {});
    GroupedGraph together = grouped(graph, points, {});
};

TEST_P(Grouped, RowsShareListsAndConditionOnWhatTheyDidAndMore) {
    expect_lists_are_shared(together);
    for (Index i = 0; i < points.rows(); ++i) {
        const auto row = together.graph.row(i);
        for (const Index j : row) EXPECT_LT(j, i);
        std::vector<Index> sorted(row.begin(), row.end());
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
        for (const Index j : graph.row(i)) EXPECT_TRUE(std::binary_search(sorted.begin(), sorted.end(), j));
    }
}

TEST_P(Grouped, NumberingAnewKeepsEdgesAndLists) {
    const auto order = cache_numbering(together.graph, points, {}).order;
    const GroupedGraph other = renumbered(together, order, {});
    expect_lists_are_shared(other);
    EXPECT_EQ(other.groups.count(), together.groups.count());
    for (Index i = 0; i < points.rows(); ++i) {
        const auto now = other.graph.row(i), before = together.graph.row(order[i]);
        ASSERT_EQ(now.size(), before.size());
        for (std::size_t k = 0; k < now.size(); ++k) {
            EXPECT_EQ(order[now[k]], before[k]);
            EXPECT_LT(now[k], i);
        }
    }
}

TEST_P(Grouped, AreTheSameOnOneAndTwoThreads) {
    const auto one = grouped(graph, points, {.threads = 1}), two = grouped(graph, points, {.threads = 2});
    EXPECT_EQ(one.graph, two.graph);
    EXPECT_EQ(one.groups.rows, two.groups.rows);
    EXPECT_EQ(one.groups.begin, two.groups.begin);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Grouped, ::testing::Values(1, 2, 8), ::testing::PrintToStringParamName());

TEST(Grouping, PaysInThePlaneAndNotInManyDimensions) {
    const auto rows_in_a_group = [](Index dims) {
        const Points points = uniform_points(9000, dims);
        const auto together = grouped(predecessor_graph(points, 30, {}), points, {});
        return 9000.0 / static_cast<double>(together.groups.count());
    };
    EXPECT_GT(rows_in_a_group(2), 1.7);
    EXPECT_LT(rows_in_a_group(10), 1.1);
}

TEST(Grouping, ListsThatAreSharedAreStoredOnce) {
    const Points points = uniform_points(9000, 2);
    const auto graph = predecessor_graph(points, 30, {});
    const auto [together, groups] = grouped(graph, points, {});
    double stored = 0.0;
    for (std::int64_t g = 0; g < groups.count(); ++g) stored += static_cast<double>(together.row(groups.group(g).back()).size());
    EXPECT_GT(edges_of(together), 1.1 * edges_of(graph)) << "rows have more neighbours";
    EXPECT_LT(stored, 0.8 * edges_of(graph));
}

TEST(Grouping, OfNothingAndOfOnePoint) {
    EXPECT_TRUE(grouped({}, Points(0, 2), {}).groups.empty());
    const auto one = grouped(NeighborGraph(1, 0), Points::Zero(1, 2), {});
    EXPECT_EQ(one.groups.rows, std::vector<Index>{0});
    EXPECT_TRUE(one.graph.row(0).empty());
}

}  // namespace
}  // namespace vnngp::neighbors
