// Fills the rows of a neighbour graph.
#pragma once

#include <span>

#include "box_index.hpp"
#include "distinct_points.hpp"
#include "row_progress.hpp"
#include "scaling.hpp"
#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

/// What each row of a graph asks for: the nearest points to queries.row(i) among the points below limit(i).
struct RowSearch {
    const Points& points;
    const Points& queries;
    std::span<const Index> limits = {};  ///< ascending; empty: row i sees its predecessors

    Index limit(Index row) const { return limits.empty() ? row : limits[row]; }
};

/// All rows of the graph, by one index over all points that every row may use in full.
void search_all(const BoxIndex& index, const DistinctPoints& distinct, const Points& queries, const Context& context, RowProgress& progress,
                NeighborGraph& graph);

/// All rows of the graph, by indexes over growing prefixes: one over the points [0, 2b) serves the rows that see b to 2b of them, so at
/// least half of what a search meets is allowed.
void search_prefixes(const RowSearch& search, const Context& context, RowProgress& progress, NeighborGraph& graph);

}  // namespace vnngp::neighbors
