#include "vnngp/data/sphere.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

struct SinCos {
    double sin, cos;
};

// Exact at multiples of 90 and equal for angles that differ by 360: the angle is reduced in degrees, without rounding.
SinCos sin_cos_of_degrees(double degrees) {
    int quarter = 0;
    const double radians = std::remquo(degrees, 90.0, &quarter) * (std::numbers::pi / 180.0);
    const double s = std::sin(radians), c = std::cos(radians);
    switch (static_cast<unsigned>(quarter) % 4u) {
        case 0:
            return {s, c};
        case 1:
            return {c, -s};
        case 2:
            return {-s, -c};
        default:
            return {-c, s};
    }
}

// Longitudes that differ by a whole turn are one place, also when their decimals differ in the last bits.
double within_a_turn(double longitude) {
    constexpr double kSteps = 1e10;  // of a degree: a hundredth of a millimetre
    return std::nearbyint(std::remainder(longitude, 360.0) * kSteps) / kSteps;
}

}  // namespace

Points sphere_coordinates(std::span<const double> longitudes, std::span<const double> latitudes) {
    Points points(longitudes.size(), 3);
    for (std::size_t i = 0; i < longitudes.size(); ++i) {
        const SinCos lon = sin_cos_of_degrees(within_a_turn(longitudes[i])), lat = sin_cos_of_degrees(latitudes[i]);
        points.row(static_cast<Eigen::Index>(i)) << lat.cos * lon.cos, lat.cos * lon.sin, lat.sin;
    }
    return kEarthRadius * points;
}

void require_degrees(std::span<const double> values, double limit, const std::string& noun,
                     const std::function<std::string(std::size_t)>& describe) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(values[i]) <= limit))
            throw InputError(fmt::format("{}: {} is not a {} in degrees (from {} to {})", describe(i), values[i], noun, -limit, limit));
}

}  // namespace vnngp::data
