// Who conditions on whom: the neighbours of every row, the largest array of the program.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// At most `stride` neighbours for each of `num_rows` rows, in one flat array of 4 bytes x num_rows x stride.
/// Different rows may be set from different threads.
class NeighborGraph {
public:
    NeighborGraph() = default;
    NeighborGraph(Index num_rows, Index stride)
        : stride_(stride), sizes_(num_rows, 0), edges_(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(stride)) {}

    Index num_rows() const { return static_cast<Index>(sizes_.size()); }
    /// The longest row there can be.
    Index stride() const { return stride_; }
    /// Neighbours of a row, nearest first, equal distances by smaller index.
    std::span<const Index> row(Index i) const { return {edges_.data() + offset(i), static_cast<std::size_t>(sizes_[i])}; }
    /// At most stride() neighbours.
    void set_row(Index i, std::span<const Index> neighbors) {
        std::copy(neighbors.begin(), neighbors.end(), edges_.begin() + static_cast<std::ptrdiff_t>(offset(i)));
        sizes_[i] = static_cast<Index>(neighbors.size());
    }

    /// Neighbour j becomes number[j]; the rows stay.
    void renumber_neighbors(std::span<const Index> number) {
        for (Index i = 0; i < num_rows(); ++i)
            for (Index* j = edges_.data() + offset(i); j != edges_.data() + offset(i) + sizes_[i]; ++j) *j = number[*j];
    }

    bool operator==(const NeighborGraph&) const = default;

private:
    std::size_t offset(Index i) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(stride_); }

    Index stride_ = 0;
    std::vector<Index> sizes_;
    std::vector<Index> edges_;  // unused entries of a row are 0
};

/// The share of the edges of a that are not in b, rows compared as sets; 0 when a has no edges. Both have the same number of rows.
/// number_in_a, unless empty: what point i of b is called in a.
double fraction_changed(const NeighborGraph& a, const NeighborGraph& b, std::span<const Index> number_in_a = {});

}  // namespace vnngp::neighbors
