#include "experiments/axis.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace vnngp::experiments::chart {
namespace {

std::vector<std::string> labels(Scale scale, const Range& range, int wanted = 5) {
    std::vector<std::string> found;
    for (const Tick& tick : ticks(scale, range, wanted))
        if (!tick.label.empty()) found.push_back(tick.label);
    return found;
}

TEST(Axis, LinearTicksAreRoundNumbersWithinTheRange) {
    EXPECT_THAT(labels(Scale::linear, {0.0, 1.0}), testing::ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
    EXPECT_THAT(labels(Scale::linear, {-1.3, 2.2}), testing::ElementsAre("-1", "0", "1", "2"));
    EXPECT_THAT(labels(Scale::linear, {0.0, 60000.0}, 3), testing::ElementsAre("0", "20k", "40k", "60k"));
}

TEST(Axis, LogarithmicTicksAreAtPowersOfTenOrDigitsOfOneDecade) {
    EXPECT_THAT(labels(Scale::log, {0.001, 1.0}), testing::ElementsAre("0.001", "0.01", "0.1", "1"));
    EXPECT_THAT(labels(Scale::log, {30.0, 260.0}), testing::ElementsAre("50", "100", "200"));
    EXPECT_THAT(labels(Scale::log, {1.0, 1e12}, 4), testing::ElementsAre("1", "1000", "1e6", "1e9", "1e12"));
}

TEST(Axis, NumberOfTicksIsNearTheWantedOneAtAnyMagnitude) {
    for (double width = 1e-7; width < 1e9; width *= 3.7) {
        const auto found = ticks(Scale::linear, {width * 0.3, width * 1.3});
        EXPECT_GE(found.size(), 2u) << width;
        EXPECT_LE(found.size(), 7u) << width;
        for (const Tick& tick : found)
            EXPECT_NEAR(std::stod(tick.label.ends_with("k") ? tick.label.substr(0, tick.label.size() - 1) + "e3" : tick.label), tick.value,
                        1e-5 * std::abs(tick.value));
    }
}

TEST(Axis, PaddedRangeHoldsTheRangeAndIsNeverEmpty) {
    EXPECT_LT(padded(Scale::linear, {2.0, 2.0}).low, 2.0);
    EXPECT_GT(padded(Scale::linear, {2.0, 2.0}).high, 2.0);
    const Range wide = padded(Scale::log, {0.01, 10.0});
    EXPECT_GT(wide.low, 0.0);
    EXPECT_LT(wide.low, 0.01);
    EXPECT_GT(wide.high, 10.0);
}

TEST(Axis, PositionIsTheShareOfTheAxis) {
    EXPECT_DOUBLE_EQ(position(Scale::linear, {2.0, 4.0}, 3.0), 0.5);
    EXPECT_DOUBLE_EQ(position(Scale::log, {0.01, 100.0}, 1.0), 0.5);
}

}  // namespace
}  // namespace vnngp::experiments::chart
