#include "vnngp/data/sphere.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

Points place(double lon, double lat) { return sphere_coordinates({&lon, 1}, {&lat, 1}); }

TEST(Sphere, MatchesTheFormulaAndLiesOnTheSphere) {
    for (double lon = -360.0; lon <= 360.0; lon += 37.3)
        for (double lat = -90.0; lat <= 90.0; lat += 12.7) {
            const double phi = lat * std::numbers::pi / 180.0, lambda = lon * std::numbers::pi / 180.0;
            const Points at = place(lon, lat);
            EXPECT_NEAR(at(0, 0), kEarthRadius * std::cos(phi) * std::cos(lambda), 1e-10);
            EXPECT_NEAR(at(0, 1), kEarthRadius * std::cos(phi) * std::sin(lambda), 1e-10);
            EXPECT_NEAR(at(0, 2), kEarthRadius * std::sin(phi), 1e-10);
            EXPECT_NEAR(at.norm(), kEarthRadius, 1e-10);
        }
}

TEST(Sphere, EqualPlacesHaveEqualCoordinates) {
    EXPECT_EQ(place(-180, 41.7), place(180, 41.7));
    EXPECT_EQ(place(-0.625, 12.3), place(359.375, 12.3));
    for (int tenth = -3599; tenth < 0; ++tenth) EXPECT_EQ(place(tenth / 10.0, 12.3), place((tenth + 3600) / 10.0, 12.3)) << tenth;
    EXPECT_EQ(place(-360, 5.5), place(360, 5.5));
    EXPECT_EQ(place(270, -5.5), place(-90, -5.5));
    for (const double pole : {-90.0, 90.0})
        for (const double lon : {-360.0, -123.4, 0.0, 77.7, 180.0}) EXPECT_EQ(place(lon, pole), place(0, pole));
}

// The chord of an angle a is 2 R sin(a / 2).
TEST(Sphere, DistancesAreChordal) {
    constexpr double degree = std::numbers::pi / 180.0;
    EXPECT_NEAR((place(10, 20) - place(10, 65)).norm(), 2 * kEarthRadius * std::sin(22.5 * degree), 1e-9);
    EXPECT_NEAR((place(0, 89.5) - place(180, 89.5)).norm(), 2 * kEarthRadius * std::sin(0.5 * degree), 1e-9) << "over the pole";
    EXPECT_NEAR((place(179.5, 0) - place(-179.5, 0)).norm(), 2 * kEarthRadius * std::sin(0.5 * degree), 1e-9) << "over the date line";
}

TEST(Sphere, DegreesOutOfRangeAreNamed) {
    const auto describe = [](std::size_t row) { return "row " + std::to_string(row + 1); };
    const std::vector<double> fine{-90, 0, 90}, large{0, 90, 90.01, 200}, missing{0, std::nan("")};
    EXPECT_NO_THROW(require_degrees(fine, 90, "latitude", describe));
    EXPECT_THROW(require_degrees(missing, 90, "latitude", describe), InputError);
    try {
        require_degrees(large, 90, "latitude", describe);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "row 3: 90.01 is not a latitude in degrees (from -90 to 90)");
    }
}

}  // namespace
}  // namespace vnngp::data
