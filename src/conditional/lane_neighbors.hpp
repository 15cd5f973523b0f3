// Neighbourhoods gathered side by side, one per lane: what rows and blocks have in common.
#pragma once

#include <array>
#include <span>

#include "vnngp/conditional/rows.hpp"

namespace vnngp::conditional {

template <class T>
struct LaneNeighborsOf {
    static constexpr int kLanes = linalg::kLanesOf<T>;
    int count = 0;                    ///< lanes in use; the rest repeat lane 0
    int order = 0;                    ///< neighbours per lane, padded
    std::array<int, kLanes> size{};   ///< neighbours in each lane
    std::array<Index, kLanes> ids{};  ///< rows of the graph
    kernel::LaneBlockOf<T> block;     ///< the neighbours; in the places beyond a lane's last one, its target

    /// At most kLanes rows. with_target: the targets follow, as point number `order`. In single precision coordinates are those seen from
    /// the target, which leaves more of their digits.
    void gather(const Neighborhoods& neighborhoods, std::span<const Index> rows, bool with_target);
    /// Puts 1 + diagonal on the diagonal of the packed correlations of the neighbours, and makes the places beyond a lane's last neighbour
    /// independent of everything.
    void complete(const std::array<double, kLanes>& diagonal, T* matrix) const;
};
using LaneNeighbors = LaneNeighborsOf<double>;

inline constexpr double kSmallestRaisedNugget = 1e-10;  ///< where raising starts when neither nugget nor jitter was asked for

/// The relative nugget with which a neighbourhood whose factorisation failed is tried again: ten times as much. Throws NumericalError
/// naming the point where that is no longer tolerable, or hopeless anyway.
double raised_nugget(double nugget, double asked_for, bool hopeless, const Neighborhoods& neighborhoods, Index id);

}  // namespace vnngp::conditional
