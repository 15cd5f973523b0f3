// kLanes blocks computed side by side: the working memory of one thread and the steps on it, in the order they are called.
#pragma once

#include <array>
#include <span>

#include "conditional/lane_neighbors.hpp"
#include "vnngp/conditional/blocks.hpp"

namespace vnngp::conditional {

class LaneBlocks {
public:
    LaneBlocks(const Covariance& covariance, const Neighborhoods& neighborhoods, const BlockForm& form, bool with_adjoint);

    /// Gathers at most kLanes blocks and factors their covariances. Raises the jitter of a lane that fails.
    void factor(std::span<const Index> rows);
    int count() const { return lanes_.count; }
    BlockData data(int lane, std::int64_t position);
    /// (B1) and its derivatives in what was filled into data().
    void evaluate();
    Block block(int lane, std::int64_t position) const;

    /// Adds the derivatives in the covariance to gradient = [kernel parameters, log output scale, log nugget].
    /// location_gradient (per lane, may be empty): see blocks.hpp.
    void pull_back(std::span<double> gradient, const std::array<std::span<double>, linalg::kLanes>& location_gradient);

    const JitterReport& jitter() const { return jitter_; }

private:
    bool raise_failed_lanes();
    void pack_data();
    void solve();
    void diagonal_of_inverse();
    void pair_weights();

    const Covariance& covariance_;
    const Neighborhoods& neighborhoods_;
    const BlockForm form_;
    const bool with_adjoint_;

    LaneNeighbors lanes_;
    std::array<double, linalg::kLanes> diagonal_{};  ///< relative nugget, per lane because of the raised jitter
    kernel::KernelScratch scratch_;
    linalg::LaneBuffer matrix_;   ///< correlations, then their Cholesky factor, then its inverse
    linalg::LaneBuffer inverse_;  ///< of the correlations, a full matrix
    linalg::LaneBuffer weight_;   ///< derivative in each correlation, off the diagonal counted once per pair
    linalg::LaneBuffer inverse_diagonal_, deviation_, spread_, solution_, diagonal_of_inverse_, location_, shape_gradient_;
    alignas(64) std::array<double, linalg::kLanes> pivot_{}, log_determinant_{}, quadratic_{}, trace_{};

    /// Contiguous per lane, for the visitor.
    std::array<std::vector<double>, linalg::kLanes> deviations_, spreads_, on_deviation_, on_spread_;
    JitterReport jitter_;
};

}  // namespace vnngp::conditional
