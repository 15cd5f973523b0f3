#include "experiments/results.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/markdown.hpp"

namespace vnngp::experiments {
namespace {

TEST(Summary, MeanAndStandardErrorOfTheMean) {
    const auto found = summary({1.0, 2.0, 3.0});
    ASSERT_TRUE(found && found->error);
    EXPECT_DOUBLE_EQ(found->mean, 2.0);
    EXPECT_DOUBLE_EQ(*found->error, 1.0 / std::sqrt(3.0));
    EXPECT_EQ(found->count, 3);
}

TEST(Summary, OneValueHasNoErrorAndNoValueNoMean) {
    EXPECT_FALSE(summary({5.0})->error);
    EXPECT_EQ(summary({5.0, NAN})->count, 1);
    EXPECT_FALSE(summary({}));
    EXPECT_FALSE(summary({NAN}));
}

TEST(Results, AnswersByPanelSeriesAndQuantity) {
    Results results;
    results.add({"a", "vnngp", "nll", 1.0, 10.0});
    results.add({"a", "vnngp", "nll", 0.0, 20.0});
    results.add({"a", "svgp", "nll", 0.0, 5.0});
    results.add({"b", "vnngp", "nll", 0.0, NAN});
    EXPECT_EQ(results.curve("a", "vnngp", "nll"), (std::map<double, double>{{0.0, 20.0}, {1.0, 10.0}}));
    EXPECT_EQ(results.at("a", "svgp", "nll"), 5.0);
    EXPECT_FALSE(results.at("a", "svgp", "nll", 1.0));
    EXPECT_FALSE(results.mean("b", "vnngp", "nll"));
    EXPECT_DOUBLE_EQ(results.mean("a", "vnngp", "nll")->mean, 15.0);
    EXPECT_EQ(results.panels(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(results.series("a"), (std::vector<std::string>{"vnngp", "svgp"}));
    EXPECT_EQ(argmin(results.curve("a", "vnngp", "nll")), 1.0);
}

TEST(Markdown, NumbersArePrintedAsInThePaper) {
    EXPECT_EQ(decimal(-0.5091), "-.509");
    EXPECT_EQ(decimal(0.4), ".400");
    EXPECT_EQ(decimal(53.3641), "53.364");
    EXPECT_EQ(decimal(-0.0001), ".000");
    EXPECT_EQ(decimal(Summary{-1.16, 0.014, 3}), "-1.160 ± .014");
    EXPECT_EQ(thousands(1234567), "1,234,567");
    EXPECT_EQ(thousands(123), "123");
}

}  // namespace
}  // namespace vnngp::experiments
