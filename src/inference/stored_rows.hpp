// The rows b_j, f_j of all points (Eq. K1) kept in memory, and products with the sparse matrix that they form.
#pragma once

#include <vector>

#include "vnngp/conditional/rows.hpp"

namespace vnngp::inference {

/// W with w_i' in row i, [row][place among neighbours]: 8 bytes x rows x K. No result depends on the number of threads.
class StoredRows {
public:
    StoredRows() = default;
    StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods);

    Index num_rows() const { return static_cast<Index>(variance.size()); }
    /// W x
    Vector multiply(const Context& context, const Vector& x) const;
    /// (W o W) x
    Vector multiply_squares(const Context& context, const Vector& x) const;
    /// y += W' u
    void add_transposed(const Context& context, const Vector& u, Vector& y) const;
    /// y += (W o W)' u
    void add_transposed_squares(const Context& context, const Vector& u, Vector& y) const;
    /// x <- (I - S W)^{-1} x and x <- (I - S W)^{-T} x, S = diag(row_scale), where every neighbour precedes its row.
    void solve_unit_lower(const Context& context, const Vector& row_scale, Vector& x) const;
    void solve_unit_lower_transposed(const Context& context, const Vector& row_scale, Vector& x) const;

    /// Eliminates the rows from the last to the first: a row with precision d_i of its own leaves d_i / (1 + d_i f_i) w_i w_i' on its
    /// neighbours, and they take the diagonal of it, unless |w_i| > 1.
    Vector eliminated(const Context& context, Vector d) const;

    Vector variance;  ///< f
    conditional::JitterReport jitter;

private:
    template <class Weight>
    Vector gathered(const Context& context, const Vector& x, const Weight& weight) const;
    /// Visits all rows from the last run to the first. visit(i, x_i, add) may call add(n, value) for neighbours n of i; x_i has everything
    /// that was added to x[i].
    template <class Visit>
    void visit_backward(const Context& context, Vector& x, const Visit& visit) const;
    std::span<const double> weights(Index i) const {
        return {weights_.data() + static_cast<std::size_t>(i) * graph_->stride(), graph_->row(i).size()};
    }
    template <class Weight>
    void scattered(const Context& context, const Vector& u, Vector& y, const Weight& weight) const;

    const neighbors::NeighborGraph* graph_ = nullptr;
    std::vector<Index> runs_;  ///< where runs of rows begin that have no neighbour in their own run; the last entry is the number of rows
    std::vector<double> weights_;
};

}  // namespace vnngp::inference
