// The rows b_j, f_j of all points (Eq. K1) kept in memory, and products with the sparse matrix that they form.
#pragma once

#include <vector>

#include "vnngp/conditional/rows.hpp"
#include "vnngp/neighbors/grouping.hpp"
#include "vnngp/neighbors/numbering.hpp"

namespace vnngp::inference {

/// R = T^{-1} (I - S W°), for rows W without the edges between regions (W°).
struct Factor {
    Vector shrinkage;  ///< diag(S)
    Vector deviation;  ///< diag(T)
};

/// A row, or a part of one.
struct Links {
    const Index* neighbors;
    const double* weights;
    std::size_t count;
};

/// W with w_i' in row i, [row][place among neighbours]: 8 bytes for every edge. Without the edges between regions it is W°, with which
/// every region can be solved by itself. No result depends on the number of threads.
class StoredRows {
public:
    StoredRows() = default;
    StoredRows(StoredRows&&) = default;  // not to be copied: parts of rows are known by their addresses
    StoredRows& operator=(StoredRows&&) = default;
    /// regions: of rows that are also the points they condition on; none: one with all of them. Within a region neighbours must have
    /// smaller numbers than their rows where a solve is asked for. groups: of all rows, or none.
    StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods,
               const std::vector<neighbors::Region>& regions = {}, const neighbors::RowGroups& groups = {});

    Index num_rows() const { return static_cast<Index>(variance.size()); }
    /// W x
    Vector multiply(const Context& context, const Vector& x) const;
    /// (W o W) x
    Vector multiply_squares(const Context& context, const Vector& x) const;
    /// y += W' u
    void add_transposed(const Context& context, const Vector& u, Vector& y) const;
    /// y += (W o W)' u
    void add_transposed_squares(const Context& context, const Vector& u, Vector& y) const;

    /// R x
    Vector multiply(const Context& context, const Factor& factor, const Vector& x) const;
    /// x <- R^{-1} y, which may be the same vector. innovation, unless null, becomes F^{-1} (I - W) x, most of which the solve has at hand.
    void solve(const Context& context, const Factor& factor, const Vector& y, Vector& x, Vector* innovation = nullptr) const;
    /// x <- R^{-T} (x - W'u), at hardly more cost than without u (null: none).
    void solve_transposed(const Context& context, const Factor& factor, Vector& x, const Vector* u = nullptr) const;
    /// Eliminates the rows of every region from the last to the first: a row with precision d_i of its own leaves
    /// d_i / (1 + d_i f_i) w_i w_i' on its neighbours, and those of its region take the diagonal of it, unless |w_i| > 1.
    Vector eliminated(const Context& context, Vector d) const;

    Vector variance;  ///< f
    conditional::JitterReport jitter;

private:
    /// An edge between regions.
    struct Crossing {
        Index row, neighbor;
        double weight;
    };
    Links row(Index i) const {
        const auto neighbors = graph_->row(i);
        return {neighbors.data(), weights_.data() + first_weight(i), neighbors.size()};
    }
    /// row(i), and asks for what comes so many edges later (before, if negative).
    Links row_and_ahead(Index i, std::ptrdiff_t ahead) const;
    std::size_t first_weight(Index i) const { return begin_.empty() ? static_cast<std::size_t>(i) * graph_->stride() : begin_[i]; }
    void list_crossings(const Context& context);
    /// visit(i, what of row i stays in the region) for the rows of a region, upwards or downwards.
    template <class Visit>
    void walk_up(std::size_t region, const Visit& visit) const;
    template <class Visit>
    void walk_down(std::size_t region, const Visit& visit) const;
    /// visit(number of the region), in parallel.
    template <class Visit>
    void visit_regions(const Context& context, const Visit& visit) const;
    /// visit(crossing) for the edges into a region.
    template <class Visit>
    void visit_crossings_into(std::size_t region, const Visit& visit) const;

    template <class Weight>
    Vector gathered(const Context& context, const Vector& x, Weight weight) const;
    template <class Weight>
    void scatter(const Context& context, const Vector& u, Vector& y, Weight weight) const;

    const neighbors::NeighborGraph* graph_ = nullptr;
    std::vector<neighbors::Region> regions_;
    std::vector<double> weights_;
    std::vector<std::size_t> begin_;          ///< of a row's weights, where rows are of all lengths
    std::vector<std::vector<Links>> within_;  ///< [region][place in its border]: what of the row stays in the region
    /// The edges between regions once more, [region of the row][region of the neighbour], rows ascending: a few in a hundred of all.
    std::vector<std::vector<std::vector<Crossing>>> crossings_;
};

}  // namespace vnngp::inference
