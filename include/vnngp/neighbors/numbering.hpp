// A numbering of points for the memory of the machine. The order of the approximation says who may be whose neighbour; once the graph is
// known, points may be numbered as suits the cache.
#pragma once

#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

/// Rows of a predecessor graph by the length of the longest chain of neighbours below them, then by where they are: result[new] = old.
/// Neighbours still come before their rows; rows of equal chains, which depend on none of each other, follow one another; and close
/// rows have neighbours that are close in memory.
std::vector<Index> cache_order(const NeighborGraph& predecessors, const Points& points, const Context& context);

/// The same graph with row order[i] as row i.
NeighborGraph renumbered(const NeighborGraph& graph, std::span<const Index> order, const Context& context);

/// inverse[order[i]] = i
std::vector<Index> inverse_order(std::span<const Index> order);

}  // namespace vnngp::neighbors
