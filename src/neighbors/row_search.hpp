// Fills the rows of a neighbour graph by one of the search methods.
#pragma once

#include <span>
#include <vector>

#include "distinct_points.hpp"
#include "kd_tree.hpp"
#include "row_progress.hpp"
#include "scan.hpp"
#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

/// What each row of a graph asks for: the nearest candidates to queries.row(i) among the points below row_limit(i).
struct RowSearch {
    const DistinctPoints& candidates;
    const Points& queries;
    /// Row i -> number of places among the candidates before i, ascending; empty when every row may use all candidates.
    std::vector<Index> place_limits;
    /// Row i -> number of points that it may use; empty when row i is point i and looks among its predecessors, or at all.
    std::vector<Index> row_limits = {};

    Index place_limit(Index row) const { return place_limits.empty() ? candidates.num_places() : place_limits[row]; }
    Index row_limit(Index row) const {
        if (place_limits.empty()) return static_cast<Index>(candidates.place_of.size());
        return row_limits.empty() ? row : row_limits[row];
    }
};

/// The search in which every point of a set looks among its predecessors.
RowSearch predecessor_search(const DistinctPoints& distinct, const Points& points);

/// Each fills graph row by row for the listed rows; places at or above the tree's count must be out of the reach of these rows.
void search_rows(const RowSearch& search, const KdTree& tree, std::span<const Index> rows, const Context& context, RowProgress& progress,
                 NeighborGraph& graph);
void search_rows(const RowSearch& search, const ScanIndex& index, std::span<const Index> rows, const Context& context,
                 RowProgress& progress, NeighborGraph& graph);

/// All rows of a predecessor search by kd-trees over growing prefixes: a tree over the places [0, 2b) serves the rows that see from b to
/// 2b - 1 places, so at least half of what a search meets is allowed.
void search_prefix_trees(const RowSearch& search, const Context& context, RowProgress& progress, NeighborGraph& graph);

}  // namespace vnngp::neighbors
