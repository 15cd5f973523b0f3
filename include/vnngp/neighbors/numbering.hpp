// A numbering of points for the memory of the machine. The order of the approximation says who may be whose neighbour; once the graph is
// known, points may be numbered as suits the cache.
#pragma once

#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

struct Range {
    Index begin, end;
};

/// How rows are visited by several threads when neighbours must come before their rows: stage by stage, the rows of a range in their order.
/// The neighbours of a row are in its own range or in earlier stages, never in another range of its stage. Ranges follow one another.
struct Schedule {
    std::vector<std::vector<Range>> stages;
};

struct Numbering {
    std::vector<Index> order;  ///< order[new] = old
    Schedule schedule;         ///< of the new numbers
};

/// Numbers the rows of a predecessor graph. Space is cut in two. What rows need across the cut, with all that this needs in turn,
/// separates the halves and comes before them: a small part of the points in two dimensions, half in three. Each half is cut again. Where
/// nearly everything separates, as in many dimensions, nothing is cut. Within a range rows are numbered by place, but for neighbours,
/// which come first: close rows have neighbours that are close in memory.
Numbering cache_numbering(const NeighborGraph& predecessors, const Points& points, const Context& context);

/// The same graph with row order[i] as row i, the neighbours of each ascending: who walks through them walks through memory.
NeighborGraph renumbered(const NeighborGraph& graph, std::span<const Index> order, const Context& context);

/// inverse[order[i]] = i
std::vector<Index> inverse_order(std::span<const Index> order);

}  // namespace vnngp::neighbors
