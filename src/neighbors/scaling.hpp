// Points moved and scaled into the range in which single precision is best.
#pragma once

#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

struct Scaling {
    Eigen::RowVectorXd centre;
    double scale;         ///< power of two; scaled coordinates are at most 1 in size
    double largest_norm;  ///< of the scaled points, rounded up

    double operator()(double coordinate, Eigen::Index k) const { return (coordinate - centre(k)) * scale; }
};

/// At least one point.
Scaling scaling_of(const Points& points);

}  // namespace vnngp::neighbors
