// Places on the earth: from degrees to coordinates in space, where straight-line (chordal) distance is a metric that every kernel accepts.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "vnngp/base/types.hpp"

namespace vnngp::data {

inline constexpr double kEarthRadius = 6371.0088;  ///< km, the mean radius
inline constexpr double kLargestLongitude = 360.0, kLargestLatitude = 90.0;

/// One row (x, y, z) in km for each pair of degrees. Equal places get equal coordinates: longitudes that differ by 360, all at a pole.
Points sphere_coordinates(std::span<const double> longitudes, std::span<const double> latitudes);

/// Throws InputError at the first value outside [-limit, limit], as "<describe(row)>: <value> is not a <noun> in degrees".
void require_degrees(std::span<const double> values, double limit, const std::string& noun,
                     const std::function<std::string(std::size_t)>& describe);

}  // namespace vnngp::data
