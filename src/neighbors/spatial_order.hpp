// An order in which points that follow one another are close in space.
#pragma once

#include <vector>

#include "scaling.hpp"
#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// Sorts row numbers of `points` into the leaf order of a tree that cuts, again and again, the coordinate that varies most at its mean.
/// Cuts fall on multiples of kSpatialRun, so that runs of that length, counted from the first, belong together.
void sort_spatially(const Points& points, const Scaling& scaling, std::vector<Index>& numbers, const Context& context);

inline constexpr Index kSpatialRun = 16;

}  // namespace vnngp::neighbors
