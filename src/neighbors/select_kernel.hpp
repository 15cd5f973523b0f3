// Selection of the smallest of many numbers by SIMD, compiled for every instruction set and chosen at run time.
#pragma once

#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

inline constexpr Index kSelectRoom = 16;  ///< entries behind the end of an array that these functions may overwrite

/// A number that at least `wanted` of the values do not exceed, and at most `tolerated` if a few bisections find one. The values are not
/// negative and finite. 1 <= wanted <= count.
float bound_of_smallest(float* values, Index count, Index wanted, Index tolerated);

/// Moves the entries whose value is at most `bound` to the front, in their order, and returns how many there are.
Index keep_at_most(float* values, Index* numbers, Index count, float bound);

/// ranks[i]: the number of values that are smaller than value i. Quadratic, but faster than sorting up to a few hundred values.
void ranks_among(double* values, Index count, Index* ranks);

}  // namespace vnngp::neighbors
