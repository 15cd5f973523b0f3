// What single precision can do to the distances between scaled points.
#pragma once

#include "scaling.hpp"

namespace vnngp::neighbors {

/// Bounds for one query. `single` distances are the squared ones that the kernels compute of scaled and rounded coordinates, `exact` ones
/// those of squared_distance.
class RoundingBound {
public:
    RoundingBound() = default;
    /// norm: of the scaled query.
    RoundingBound(const Scaling& scaling, double norm);

    /// A single distance that no candidate exceeds whose exact distance is at most `exact`.
    float single_threshold(double exact) const;
    /// A single distance that no candidate exceeds whose exact distance is at most that of some candidate with a distance of `single`.
    float single_threshold(float single) const;

private:
    float rounded_up(double distance) const;

    double scale_ = 1.0;
    double conversion_error_ = 0.0;  // what rounding of the coordinates changes in a scaled distance
    double relative_error_ = 0.0;    // of the kernels' sums
    double underflow_ = 0.0;         // what they lose below the range of single precision
};

/// Scaled norm of a query up to which squares stay far from overflow.
inline constexpr double kFarthestQuery = 1e15;

}  // namespace vnngp::neighbors
