// kLanes rows computed side by side: the working memory of one thread and the steps on it, in the order they are called.
#pragma once

#include <array>
#include <span>

#include "conditional/lane_neighbors.hpp"
#include "vnngp/conditional/rows.hpp"

namespace vnngp::conditional {

class LaneRows {
public:
    LaneRows(const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint);

    /// Computes b and f of at most kLanes rows (Eq. K1): gather, correlations, factor, solve. Raises the jitter of a lane that fails.
    void compute(std::span<const Index> rows);

    int count() const { return lanes_.count; }
    Row row(int lane, std::int64_t position) const;
    /// Where the visitor's derivatives for a lane go; set to zero by compute().
    RowAdjoint& adjoint(int lane) { return adjoints_[lane]; }

    /// Applies Eq. G3 to the adjoints. Adds to gradient = [kernel parameters, log output scale, log nugget].
    /// location_gradient (per lane, may be empty): see rows.hpp.
    void pull_back(std::span<double> gradient, const std::array<std::span<double>, linalg::kLanes>& location_gradient);

    const JitterReport& jitter() const { return jitter_; }

private:
    void gather(std::span<const Index> rows);
    void assemble();
    void factor_and_solve();
    /// The least that is added to a diagonal of the lane, and so the least that its pivots and its f (with it) can be.
    double& least_diagonal(int lane) { return has_smooth_[lane] ? smooth_diagonal_[lane] : diagonal_[lane]; }
    double least_diagonal_asked_for(int lane) const;
    /// Lanes whose factorisation cannot be trusted get ten times the nugget, or the jitter where that is all; true when there were any.
    bool raise_failed_lanes();
    void unpack();

    const Covariance& covariance_;
    const Neighborhoods& neighborhoods_;
    const bool with_adjoint_;

    LaneNeighbors lanes_;                                   ///< with the target as point number lanes_.order
    std::array<double, linalg::kLanes> diagonal_{};         ///< relative nugget, per lane because of the raised jitter
    std::array<double, linalg::kLanes> smooth_diagonal_{};  ///< the same for neighbours without a nugget
    std::array<bool, linalg::kLanes> has_smooth_{};         ///< whether the lane has such neighbours

    kernel::KernelScratch scratch_;
    linalg::LaneBuffer matrix_;  ///< correlations, then the Cholesky factor; its last packed row is the target's
    linalg::LaneBuffer inverse_diagonal_, solution_, adjoint_solution_, weight_, location_, shape_gradient_;
    alignas(64) std::array<double, linalg::kLanes> pivot_{}, variance_{}, variance_adjoint_{};

    std::array<std::vector<double>, linalg::kLanes> weights_, weight_adjoints_;  ///< contiguous per lane, for the visitor
    std::array<RowAdjoint, linalg::kLanes> adjoints_;
    JitterReport jitter_;
};

}  // namespace vnngp::conditional
