// Rows that are computed together. Points close to one another have nearly the same neighbours: where each of them conditions on all
// neighbours of any of them (as far as they precede it), and on those of them that precede it, one factorisation serves them all.
// Conditioning on more can only help.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

struct RowGroups {
    std::vector<Index> rows;          ///< all rows, group by group; a row comes after those of its group that it conditions on
    std::vector<std::int64_t> begin;  ///< group g: rows[begin[g]], ..., rows[begin[g + 1] - 1]; empty: there are no groups

    bool empty() const { return begin.empty(); }
    std::int64_t count() const { return empty() ? 0 : std::ssize(begin) - 1; }
    std::span<const Index> group(std::int64_t g) const { return std::span(rows).subspan(begin[g], begin[g + 1] - begin[g]); }
};

/// The rows of a group share one list: that of its last row. A row that conditions on n points has the first n of it and is the next
/// itself (or, of the last row, behind it), so that one triangular factor of the list and the last row holds what all of them need.
struct GroupedGraph {
    NeighborGraph graph;
    RowGroups groups;  ///< in the order of the lengths of their lists, roughly: they are computed several at a time
};

/// Puts rows of a predecessor graph whose points are close into groups, as long as that saves work in computing the rows.
/// points: in whose space the neighbours are near.
GroupedGraph grouped(const NeighborGraph& predecessors, const Points& points, const Context& context);

/// The same with row order[i] as row i. There may be no groups.
GroupedGraph renumbered(const GroupedGraph& grouped, std::span<const Index> order, const Context& context);

}  // namespace vnngp::neighbors
