// Groups of rows that share their neighbours, computed side by side, one group per lane: the working memory of one thread and the steps on
// it, in the order they are called. One Cholesky factor of a group's list, with its last row below, holds all that its rows need: with
// C = L L', the row at place p has f = L_pp^2 and b = L_{<p}^{-T} L_p, the part of row p before the diagonal.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "conditional/lane_neighbors.hpp"
#include "vnngp/conditional/rows.hpp"

namespace vnngp::conditional {

class LaneGroups {
public:
    static constexpr int kLanes = linalg::kLanes;

    LaneGroups(const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint);

    /// Computes b and f of the rows of at most kLanes groups. Raises the jitter of a lane that fails.
    void compute(std::span<const std::span<const Index>> groups);

    int count() const { return lanes_.count; }
    int num_rows(int lane) const { return static_cast<int>(members_[lane].size()); }
    Row row(int lane, int member, std::int64_t position) const;
    /// Where the visitor's derivatives for a row go; set to zero by compute().
    RowAdjoint& adjoint(int lane, int member) { return adjoints_[member * kLanes + lane]; }

    /// Applies Eq. G6 to the adjoints. Adds to gradient = [kernel parameters, log output scale, log nugget].
    void pull_back(std::span<double> gradient);

    const JitterReport& jitter() const { return jitter_; }

private:
    void factor();
    bool raise_failed_lanes();
    void solve();
    void unpack();
    /// Makes vectors of the adjoints, zero from a row's place on.
    void pack_adjoints();
    void clear_from_places(linalg::LaneBuffer& vectors) const;

    Index id(int lane, int member) const { return members_[lane][member]; }
    /// Of a row in the list of its group; the last row's is behind all, rows that a lane does not have are in front of everything.
    int place(int lane, int member) const { return places_[member * kLanes + lane]; }
    int num_neighbors(int lane, int member) const { return std::min(place(lane, member), lanes_.size[lane]); }
    int num_places() const { return lanes_.order + 1; }
    std::size_t at(int member, int p) const { return (static_cast<std::size_t>(member) * num_places() + p) * kLanes; }

    const Covariance& covariance_;
    const Neighborhoods& neighborhoods_;
    const bool with_adjoint_;

    LaneNeighbors lanes_;  ///< the lists, and the last row of each as point number lanes_.order
    std::array<std::span<const Index>, kLanes> members_;
    int most_members_ = 0;
    std::vector<int> places_;                ///< [member][lane]
    std::array<double, kLanes> diagonal_{};  ///< relative nugget, per lane because of the raised jitter
    alignas(64) std::array<double, kLanes> pivot_{};
    std::array<double, kLanes> last_variance_{};  ///< f of the last row, in units of the output scale

    kernel::KernelScratch scratch_;
    linalg::LaneBuffer matrix_, inverse_diagonal_;    ///< correlations, then their Cholesky factor
    linalg::LaneBuffer solution_, adjoint_solution_;  ///< [member][place][lane]
    linalg::LaneBuffer weight_, shape_gradient_;

    std::vector<double> variance_;                   ///< [member][lane], in units of the output scale
    std::vector<double> weights_, weight_adjoints_;  ///< [member][lane][place], for the visitor
    std::vector<RowAdjoint> adjoints_;               ///< [member][lane]
    JitterReport jitter_;
};

}  // namespace vnngp::conditional
