// Rows computed side by side, one per lane: the working memory of one thread and the steps on it, in the order they are called.
// In single precision a lane may turn out not to be trusted; its row has to be computed in double precision.
#pragma once

#include <array>
#include <span>

#include "conditional/lane_neighbors.hpp"
#include "vnngp/conditional/rows.hpp"

namespace vnngp::conditional {

template <class T>
class LaneRowsOf {
public:
    static constexpr int kLanes = linalg::kLanesOf<T>;

    LaneRowsOf(const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint);

    /// Computes b and f of at most kLanes rows (Eq. K1): gather, correlations, factor, solve. Raises the jitter of a lane that fails.
    void compute(std::span<const Index> rows);

    int count() const { return lanes_.count; }
    /// Always, in double precision.
    bool trusted(int lane) const { return trusted_[lane]; }
    Row row(int lane, std::int64_t position) const;
    /// Where the visitor's derivatives for a lane go; set to zero by compute().
    RowAdjoint& adjoint(int lane) { return adjoints_[lane]; }

    /// Applies Eq. G3 to the adjoints. Adds to gradient = [kernel parameters, log output scale, log nugget].
    /// location_gradient (per lane, may be empty, in single precision must be): see rows.hpp.
    void pull_back(std::span<double> gradient, const std::array<std::span<double>, kLanes>& location_gradient);

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
    void find_trusted_lanes();
    void unpack();
    /// The kernel's part of pull_back().
    void contract(bool with_locations);

    const Covariance& covariance_;
    const Neighborhoods& neighborhoods_;
    const bool with_adjoint_;

    LaneNeighborsOf<T> lanes_;                      ///< with the target as point number lanes_.order
    std::array<double, kLanes> diagonal_{};         ///< relative nugget, per lane because of the raised jitter
    std::array<double, kLanes> smooth_diagonal_{};  ///< the same for neighbours without a nugget
    std::array<bool, kLanes> has_smooth_{};         ///< whether the lane has such neighbours

    std::array<bool, kLanes> trusted_{};

    kernel::KernelScratchOf<T> scratch_;
    linalg::LaneBufferOf<T> matrix_;  ///< correlations, then the Cholesky factor; its last packed row is the target's
    linalg::LaneBufferOf<T> inverse_diagonal_, solution_, adjoint_solution_, weight_, location_, shape_gradient_;
    alignas(64) std::array<T, kLanes> pivot_{}, variance_adjoint_{};
    std::array<double, kLanes> variance_{};

    std::array<std::vector<double>, kLanes> weights_, weight_adjoints_;  ///< contiguous per lane, for the visitor
    std::array<RowAdjoint, kLanes> adjoints_;
    JitterReport jitter_;
};
using LaneRows = LaneRowsOf<double>;
using SingleRows = LaneRowsOf<float>;

/// Below this a pivot, in units of the output scale, has lost too many of its digits in single precision.
inline constexpr double kTrustedPivot = 1e-4;

}  // namespace vnngp::conditional
