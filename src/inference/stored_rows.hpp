// The rows b_j, f_j of all points (Eq. K1) kept in memory, and products with the sparse matrix that they form.
#pragma once

#include <vector>

#include "vnngp/conditional/rows.hpp"
#include "vnngp/neighbors/grouping.hpp"
#include "vnngp/neighbors/numbering.hpp"

namespace vnngp::inference {

/// W with w_i' in row i, [row][place among neighbours]: 8 bytes for every edge. No result depends on the number of threads.
class StoredRows {
public:
    StoredRows() = default;
    /// schedule: of rows that are also the points they condition on. Without one, neighbours must have smaller numbers than their rows
    /// where a solve is asked for, and it runs on one thread.
    /// groups: of all rows, or none.
    StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods,
               const neighbors::Schedule& schedule = {}, const neighbors::RowGroups& groups = {});

    Index num_rows() const { return static_cast<Index>(variance.size()); }
    /// W x
    Vector multiply(const Context& context, const Vector& x) const;
    /// (W o W) x
    Vector multiply_squares(const Context& context, const Vector& x) const;
    /// y += W' u
    void add_transposed(const Context& context, const Vector& u, Vector& y) const;
    /// y += (W o W)' u
    void add_transposed_squares(const Context& context, const Vector& u, Vector& y) const;
    /// x <- (I - S W)^{-1} x, S = diag(row_scale). innovation, unless null, becomes F^{-1} (I - W) x of the new x, which the solve has at
    /// hand.
    void solve_unit_lower(const Context& context, const Vector& row_scale, Vector& x, Vector* innovation = nullptr) const;
    /// x <- (I - S W)^{-T} (x - W'u), at no more cost than without u (null: none).
    void solve_unit_lower_transposed(const Context& context, const Vector& row_scale, Vector& x, const Vector* u = nullptr) const;

    /// Eliminates the rows from the last to the first: a row with precision d_i of its own leaves d_i / (1 + d_i f_i) w_i w_i' on its
    /// neighbours, and they take the diagonal of it, unless |w_i| > 1.
    Vector eliminated(const Context& context, Vector d) const;

    Vector variance;  ///< f
    conditional::JitterReport jitter;

private:
    class Sums;
    template <class Weight>
    Vector gathered(const Context& context, const Vector& x, const Weight& weight) const;
    /// Visits all rows, in parallel: visit(i, sums) may add to the neighbours of its row.
    template <class Visit>
    void scatter(const Context& context, Vector& y, const Visit& visit) const;
    /// Visits all rows, against the schedule: visit(i, x_i, sums), where x_i has everything that was added to x[i].
    template <class Visit>
    void visit_backward(const Context& context, Vector& x, const Visit& visit) const;
    std::span<const double> weights(Index i) const { return {weights_.data() + first_weight(i), graph_->row(i).size()}; }
    std::size_t first_weight(Index i) const { return begin_.empty() ? static_cast<std::size_t>(i) * graph_->stride() : begin_[i]; }

    const neighbors::NeighborGraph* graph_ = nullptr;
    neighbors::Schedule schedule_;
    std::vector<double> weights_;
    std::vector<std::size_t> begin_;  ///< of a row's weights, where rows are of all lengths
};

}  // namespace vnngp::inference
