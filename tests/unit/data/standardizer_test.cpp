#include "vnngp/data/standardizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vnngp/base/random.hpp"

namespace vnngp::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Points random_points(Index count, Index dims, std::uint64_t seed) {
    RandomStream stream(seed, StreamPurpose::test);
    Points points(count, dims);
    for (double& value : points.reshaped()) value = stream.normal();
    return points;
}

TEST(Standardizer, GivesMeanZeroAndDeviationOneAtEveryMagnitude) {
    const Points unit = random_points(2000, 1, 1);
    for (const double magnitude : {1e-320, 1e-300, 1e-8, 1.0, 1e8, 1e200, 1e300, 2e307})
        for (const double offset : {0.0, 1.0}) {
            const Points points = (unit.array() + offset) * magnitude;
            const Points standard = apply(fit_standardizer(points), points);
            ASSERT_TRUE(standard.allFinite()) << magnitude;
            // Subnormal values carry few digits: at 1e-320 the spread is about 2000 units of the smallest number.
            const double tolerance = magnitude < 1e-308 ? 1e-3 : 1e-12;
            EXPECT_NEAR(standard.mean(), 0.0, tolerance) << magnitude << " + " << offset;
            EXPECT_NEAR(std::sqrt(standard.array().square().mean()), 1.0, tolerance) << magnitude << " + " << offset;
        }
}

TEST(Standardizer, ByRangeColumnsReachFromMinusOneToOne) {
    const double largest = std::numeric_limits<double>::max();
    Points points = random_points(200, 5, 7);
    points.col(1) *= 1e300;
    points.col(2).array() += 1e3;
    points.col(3).setConstant(4.0);
    points(0, 4) = largest;
    points(1, 4) = -largest;
    const Standardizer standardizer = fit_standardizer(points, Scale::range);
    const Points scaled = apply(standardizer, points);
    for (const Eigen::Index column : {0, 1, 2, 4}) {
        EXPECT_NEAR(scaled.col(column).minCoeff(), -1.0, 1e-12) << column;
        EXPECT_NEAR(scaled.col(column).maxCoeff(), 1.0, 1e-12) << column;
    }
    EXPECT_TRUE((scaled.col(3).array() == 0.0).all());
    EXPECT_EQ(standardizer.scale[3], 1.0);
    EXPECT_LT((invert(standardizer, scaled).col(2) - points.col(2)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Standardizer, MatchesTheDefinitionInLongDouble) {
    Points points = random_points(501, 3, 2);
    points.col(1).array() += 1e6;
    points.col(2).array() *= 1e-4;
    const Standardizer standardizer = fit_standardizer(points);
    for (Eigen::Index c = 0; c < points.cols(); ++c) {
        long double mean = 0, square = 0;
        for (const double value : points.col(c)) mean += value;
        mean /= points.rows();
        for (const double value : points.col(c)) square += (value - mean) * (value - mean);
        EXPECT_NEAR(standardizer.center[c], static_cast<double>(mean), 1e-15 * std::abs(static_cast<double>(mean)) + 1e-18);
        EXPECT_NEAR(standardizer.scale[c] / std::sqrt(static_cast<double>(square / points.rows())), 1.0, 1e-9);
    }
}

TEST(Standardizer, InvertUndoesApply) {
    Points points = random_points(300, 4, 3);
    points.col(1) *= 1e300;
    points.col(2) *= 1e-300;
    points.col(3).array() += 1e3;
    const Standardizer standardizer = fit_standardizer(points);
    const Points back = invert(standardizer, apply(standardizer, points));
    const double epsilon = std::numeric_limits<double>::epsilon();
    for (Eigen::Index row = 0; row < points.rows(); ++row)
        for (Eigen::Index c = 0; c < points.cols(); ++c)
            EXPECT_NEAR(back(row, c), points(row, c),
                        2 * epsilon * (std::abs(standardizer.center[c]) + std::abs(points(row, c)) + standardizer.scale[c]));
}

TEST(Standardizer, SurvivesTheExtremesOfDouble) {
    const double largest = std::numeric_limits<double>::max();
    const Vector values = Vector::Map(std::vector<double>{largest, -largest, largest, largest}.data(), 4);
    const TargetStandardizer standardizer = fit_target_standardizer(values);
    const Vector standard = apply(standardizer, values);
    EXPECT_TRUE(standard.allFinite());
    EXPECT_NEAR(standard.mean(), 0.0, 1e-15);
    EXPECT_NEAR(standard.squaredNorm() / 4, 1.0, 1e-14);
    EXPECT_TRUE((0.999999 * standard).eval().allFinite() && invert(standardizer, 0.999999 * standard).allFinite());

    const double smallest = std::numeric_limits<double>::denorm_min();
    const Vector tiny = Vector::Map(std::vector<double>{0.0, smallest, smallest, smallest}.data(), 4);
    EXPECT_TRUE(apply(fit_target_standardizer(tiny), tiny).allFinite());
}

TEST(Standardizer, TargetsAreTreatedLikeAColumn) {
    const Points points = random_points(100, 1, 4);
    const Standardizer columns = fit_standardizer(points);
    const TargetStandardizer target = fit_target_standardizer(points.col(0));
    EXPECT_EQ(target.center, columns.center[0]);
    EXPECT_EQ(target.scale, columns.scale[0]);
    EXPECT_EQ(apply(target, points.col(0)), Vector(apply(columns, points).col(0)));
    EXPECT_EQ(invert(target, points.col(0)), Vector(invert(columns, points).col(0)));
}

TEST(Standardizer, ConstantColumnsAreReportedAndGetScaleOne) {
    Points points = random_points(50, 4, 5);
    points.col(1).setConstant(0.1);
    points.col(3).setConstant(-1e300);
    EXPECT_THAT(constant_columns(points), ElementsAre(1, 3));
    const Standardizer standardizer = fit_standardizer(points);
    EXPECT_EQ(standardizer.scale[1], 1.0);
    EXPECT_EQ(standardizer.scale[3], 1.0);
    EXPECT_TRUE((apply(standardizer, points).col(3).array() == 0.0).all());
    points(7, 1) = std::nextafter(0.1, 1.0);
    EXPECT_THAT(constant_columns(points), ElementsAre(3));
    EXPECT_GT(fit_standardizer(points).scale[1], 0.0);
    EXPECT_TRUE(is_constant(points.col(3)));
    EXPECT_FALSE(is_constant(points.col(1)));
}

TEST(Standardizer, OnePointIsConstantAndNoPointsAreHarmless) {
    EXPECT_THAT(constant_columns(random_points(1, 2, 6)), ElementsAre(0, 1));
    const Points none(0, 3);
    EXPECT_EQ(fit_standardizer(none).scale, Vector::Ones(3));
    EXPECT_EQ(apply(fit_standardizer(none), none).rows(), 0);
    EXPECT_THAT(constant_columns(Points(5, 0)), IsEmpty());
}

}  // namespace
}  // namespace vnngp::data
