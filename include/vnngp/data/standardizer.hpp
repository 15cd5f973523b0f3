// Shift and scale to mean 0 and standard deviation 1 (of the population: divided by n), or to between -1 and 1. Finite input gives finite
// results at any magnitude.
#pragma once

#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::data {

/// What a column is divided by once its centre, in the same sense, has been taken away.
enum class Scale {
    deviation,  ///< its standard deviation
    range,      ///< half of the distance between its smallest and its largest value: all lie between -1 and 1 then
};

/// One centre and scale per column of the points; scale > 0, and 1 for a constant column.
struct Standardizer {
    Vector center;
    Vector scale;
};

/// The same for the targets.
struct TargetStandardizer {
    double center = 0.0;
    double scale = 1.0;
};

/// Columns all of whose values are equal: they say nothing, and a caller drops them. Every column when there is at most one point.
std::vector<Index> constant_columns(const Points& points);
bool is_constant(const Vector& values);

/// The values must be finite.
Standardizer fit_standardizer(const Points& points, Scale scale = Scale::deviation);
TargetStandardizer fit_target_standardizer(const Vector& values);

/// (x - center) / scale, and back. Points are taken by value: move them in to work in place.
Points apply(const Standardizer& standardizer, Points points);
Points invert(const Standardizer& standardizer, Points points);
Vector apply(const TargetStandardizer& standardizer, Vector values);
Vector invert(const TargetStandardizer& standardizer, Vector values);

}  // namespace vnngp::data
