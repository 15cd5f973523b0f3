// The order in which points condition on one another.
#pragma once

#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

enum class Ordering {
    random,      ///< uniformly random, from Context::seed
    coordinate,  ///< by the sum of the coordinates, equal sums by row
    maximin,     ///< first the point nearest to the centroid, then always the point farthest from all those before it
};

/// Position -> row of `points`. The maximin order is the exact greedy one (Schaefer, Katzfuss and Owhadi, 2021), equal distances by smaller
/// row, so exact duplicates come last; it takes O(N log^2 N) in a few dimensions, O(N^2) in many.
/// Throws InputError unless all coordinates are finite and at most 1e150 in size.
std::vector<Index> ordering_permutation(Ordering ordering, const Points& points, const Context& context);

}  // namespace vnngp::neighbors
