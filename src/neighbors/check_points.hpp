#pragma once

#include <limits>
#include <string>

#include "vnngp/base/error.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

inline constexpr double kLargestCoordinate = 1e150;  // squares and their sums stay finite

/// Throws InputError for points that distances cannot be computed of.
inline void check_points(const Points& points) {
    if (points.rows() > std::numeric_limits<Index>::max())
        throw InputError("there can be at most " + std::to_string(std::numeric_limits<Index>::max()) + " points, not " +
                         std::to_string(points.rows()));
    if (points.rows() > 0 && points.cols() == 0) throw InputError("points without coordinates have no neighbours");
    for (Eigen::Index i = 0; i < points.rows(); ++i)
        if (!(points.row(i).array().abs() <= kLargestCoordinate).all())
            throw InputError("point " + std::to_string(i) +
                             " (counted from 0) has a coordinate that is not a finite number of at most 1e150 in size");
}

}  // namespace vnngp::neighbors
