// Who conditions on whom: the neighbours of every row, the largest array of the program.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// At most `stride` neighbours for each of `num_rows` rows, in one flat array of 4 bytes x num_rows x stride.
/// Different rows may be set from different threads. Or rows that share lists, see grouping.hpp.
class NeighborGraph {
public:
    /// Of a list of neighbours: a row that has the first `length` of those from `begin` on.
    struct Part {
        std::int64_t begin;
        Index length;
        bool operator==(const Part&) const = default;
    };

    NeighborGraph() = default;
    NeighborGraph(Index num_rows, Index stride);
    /// Rows that may share their lists. They cannot be set anew.
    NeighborGraph(std::vector<Index> lists, std::vector<Part> rows);

    Index num_rows() const { return num_rows_; }
    /// The longest row there can be.
    Index stride() const { return stride_; }
    /// Neighbours of a row, as searched: nearest first, equal distances by smaller index.
    std::span<const Index> row(Index i) const {
        if (!parts_.empty()) return {edges_.data() + parts_[i].begin, static_cast<std::size_t>(parts_[i].length)};
        const std::span<const Index> whole(edges_.data() + offset(i), static_cast<std::size_t>(stride_));
        if (whole.empty() || whole.back() != kNone) return whole;
        return {whole.begin(), std::partition_point(whole.begin(), whole.end(), [](Index neighbor) { return neighbor != kNone; })};
    }
    bool shares_lists() const { return !parts_.empty(); }
    /// At most stride() neighbours.
    void set_row(Index i, std::span<const Index> neighbors) {
        const auto begin = edges_.begin() + static_cast<std::ptrdiff_t>(offset(i));
        std::fill(std::copy(neighbors.begin(), neighbors.end(), begin), begin + stride_, kNone);
    }

    /// Neighbour j becomes number[j]; the rows stay.
    void renumber_neighbors(std::span<const Index> number) {
        for (Index& neighbor : edges_)
            if (neighbor != kNone) neighbor = number[neighbor];
    }

    bool operator==(const NeighborGraph&) const = default;

private:
    static constexpr Index kNone = -1;

    std::size_t offset(Index i) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(stride_); }

    Index num_rows_ = 0;
    Index stride_ = 0;
    std::vector<Index> edges_;  // a short row is filled up with kNone
    std::vector<Part> parts_;   // of rows that share lists
};

/// The share of the edges of a that are not in b, rows compared as sets; 0 when a has no edges. Both have the same number of rows.
/// number_in_a, unless empty: what point i of b is called in a.
double fraction_changed(const NeighborGraph& a, const NeighborGraph& b, const Context& context, std::span<const Index> number_in_a = {});

}  // namespace vnngp::neighbors
