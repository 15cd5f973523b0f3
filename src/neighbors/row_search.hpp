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
    std::span<const Index> limits = {};  ///< ascending, below the number of points; empty: row i is point i and sees its predecessors

    Index limit(Index row) const { return limits.empty() ? row : limits[row]; }
};

/// All rows of a graph whose queries see all points.
void search_all(const BoxIndex& index, const DistinctPoints& distinct, const Points& queries, const Context& context, RowProgress& progress,
                NeighborGraph& graph);

/// All rows of a graph whose queries see the points below a limit, by indexes over growing prefixes: one over the points [0, 2b), or less,
/// serves the rows that see b of them or more, so at least half of what a search meets is allowed.
NeighborGraph prefix_search(const RowSearch& search, Index stride, const Context& context, RowProgress& progress);

}  // namespace vnngp::neighbors
