#include "vnngp/base/names.hpp"

#include <gtest/gtest.h>

namespace vnngp {
namespace {

const std::vector<std::string> kNames{"lon", "lat", "Temperature", "rain", "y"};

TEST(NearestName, ForgivesOneSlipOfEveryKind) {
    EXPECT_EQ(nearest_name(kNames, "temprature"), "Temperature");
    EXPECT_EQ(nearest_name(kNames, "rainn"), "rain");
    EXPECT_EQ(nearest_name(kNames, "rein"), "rain");
    EXPECT_EQ(nearest_name(kNames, "rian"), "rain");
    EXPECT_EQ(nearest_name(kNames, "LAT"), "lat");
    EXPECT_EQ(nearest_name(kNames, "temp"), "Temperature");
}

TEST(NearestName, SuggestsNothingForSomethingElse) {
    EXPECT_EQ(nearest_name(kNames, "pressure"), "");
    EXPECT_EQ(nearest_name({}, "x"), "");
    EXPECT_EQ(suggestion(kNames, "pressure"), "");
}

TEST(Suggestion, IsReadyToBeAppended) { EXPECT_EQ(suggestion(kNames, "rian"), " (did you mean 'rain'?)"); }

}  // namespace
}  // namespace vnngp
