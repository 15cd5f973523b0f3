// A numbering of points for the memory of the machine. The order of the approximation says who may be whose neighbour; once the graph is
// known, points may be numbered as suits the cache.
#pragma once

#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

/// A part of space, and the rows that lie in it: begin, ..., end - 1.
struct Region {
    Index begin, end;
    std::vector<Index> border = {};  ///< its rows that have neighbours in other regions, ascending

    bool holds(Index row) const { return row >= begin && row < end; }
};

struct Numbering {
    std::vector<Index> order;     ///< order[new] = old
    std::vector<Region> regions;  ///< of the new numbers, one behind another
};

/// Numbers the rows of a predecessor graph. Space is cut into four regions, or two, or none, such that few rows have neighbours across a
/// cut. Within a region rows are numbered by place, but each behind those of its neighbours that are in its region: close rows have
/// neighbours that are close in memory.
Numbering cache_numbering(const NeighborGraph& predecessors, const Points& points, const Context& context);

/// The same graph with row order[i] as row i, the neighbours of each ascending: who walks through them walks through memory.
NeighborGraph renumbered(const NeighborGraph& graph, std::span<const Index> order, const Context& context);

/// inverse[order[i]] = i
std::vector<Index> inverse_order(std::span<const Index> order);

}  // namespace vnngp::neighbors
