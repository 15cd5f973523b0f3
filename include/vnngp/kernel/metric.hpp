// A squared distance between points, in terms of the columns they have.
#pragma once

#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::kernel {

/// sum_c precision_c (x_c - y_c)^2 + sum over circles of precision chord^2.
struct Metric {
    /// A column wound around the unit circle: two values lie apart by the chord 2 |sin(pi (x - y) / period)|.
    struct Circle {
        int column = 0;
        double period = 1.0;
        double precision = 0.0;
    };

    explicit Metric(int num_dims) : precision(num_dims, 0.0) {}

    std::vector<double> precision;  ///< one per column
    std::vector<Circle> circles;
};

/// Coordinates whose Euclidean distance is the metric's: one for every column that matters, two for every circle.
Points embedding(const Metric& metric, const Points& points);

}  // namespace vnngp::kernel
