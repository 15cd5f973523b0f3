// The SIMD inner loop of the exhaustive search, compiled for every instruction set and chosen at run time.
#pragma once

#include <cstdint>

#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

inline constexpr Index kPanelWidth = 16;  ///< candidates side by side in a panel
inline constexpr Index kTileRows = 8;     ///< queries that go through a panel together

/// Goes through the panels [begin, end) and returns the first one in which a candidate's squared distance to some query of the tile does
/// not exceed that query's threshold, or `end`. hits[row] then has bit c set for each such candidate c of the panel. panels: panel,
/// coordinate, candidate; tile: coordinate, query. Sums run in single precision and start at -threshold: for a squared distance S <=
/// threshold, every partial sum lies within [-threshold, 0] and the total is off by at most (dim + 4) 2^-24 threshold.
Index next_hit_panel(const float* panels, Index dim, Index begin, Index end, const float* tile, const float* thresholds,
                     std::uint32_t* hits);

}  // namespace vnngp::neighbors
