// Where the data leave gaps, predictions look further.
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/model/fitted_model.hpp"

namespace vnngp::model {

/// Sets model.gap_distance and gap_neighbors from the spacing of the inducing points, where looking further makes a difference. In a gap
/// the nearest points lie on its rim, all about as far away, and those behind them still have much to say.
void find_gaps(const Context& context, FittedModel& model);

/// A cube of a gap, whose points are predicted from the same neighbours: those nearest to its centre.
struct GapCell {
    Eigen::RowVectorXd center;
    std::vector<Index> points;
};

/// Divides the points in gaps, those farther than gap_distance from their nearest inducing point. Cells are as wide as that distance, twice
/// as wide where it is twice as far, and so on. Which cell a point is in depends on itself alone.
std::vector<GapCell> gap_cells(const Points& coordinates, const Vector& distance, double gap_distance);
/// Into one, where the centre makes no difference: all inducing points are its neighbours.
void merge_cells(std::vector<GapCell>& cells);

/// In more dimensions hardly two points would share a cell: each point of a gap looks at kSparseNeighbors. In so few dimensions also points
/// at the rim look further, at kSparseFactor times as many as others and at most kSparseNeighbors, from this share of the gap's distance
/// on: their nearest points lie on one side too.
inline constexpr Eigen::Index kMostCellDims = 3;
inline constexpr double kSparseShare = 0.5;
inline constexpr Index kSparseNeighbors = 256, kSparseFactor = 4;

}  // namespace vnngp::model
