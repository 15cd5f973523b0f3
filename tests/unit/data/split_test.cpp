#include "vnngp/data/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

const std::vector<SplitFractions> kFractions{{},
                                             {.train = 1, .validation = 0, .test = 0},
                                             {.train = 0.9, .validation = 0.1, .test = 0},
                                             {.train = 0.5, .validation = 0, .test = 0.5},
                                             {.train = 1.0 / 3, .validation = 1.0 / 3, .test = 1.0 / 3}};

TEST(Split, EveryRowIsInExactlyOnePart) {
    for (const auto& fractions : kFractions)
        for (const Index count : {0, 1, 2, 3, 10, 101, 5000}) {
            const Split split = random_split(count, fractions, 7);
            std::vector<int> seen(static_cast<std::size_t>(count));
            for (const auto* part : {&split.train, &split.validation, &split.test}) {
                EXPECT_TRUE(std::is_sorted(part->begin(), part->end()));
                for (const Index row : *part) ++seen.at(static_cast<std::size_t>(row));
            }
            EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; })) << count;
        }
}

TEST(Split, SizesFollowTheFractions) {
    for (const auto& fractions : kFractions)
        for (const Index count : {1, 7, 100, 5000}) {
            const Split split = random_split(count, fractions, 7);
            EXPECT_LE(std::abs(static_cast<double>(split.train.size()) - fractions.train * count), 1.0);
            EXPECT_LE(std::abs(static_cast<double>(split.validation.size()) - fractions.validation * count), 1.0);
            EXPECT_LE(std::abs(static_cast<double>(split.test.size()) - fractions.test * count), 1.0);
            EXPECT_TRUE(fractions.test > 0 || split.test.empty());
            EXPECT_TRUE(fractions.validation > 0 || split.validation.empty());
        }
    const Split split = random_split(100, {}, 0);
    EXPECT_EQ(split.train.size(), 64u);
    EXPECT_EQ(split.validation.size(), 16u);
    EXPECT_EQ(split.test.size(), 20u);
}

TEST(Split, TheSeedDecides) {
    EXPECT_EQ(random_split(1000, {}, 3).test, random_split(1000, {}, 3).test);
    EXPECT_NE(random_split(1000, {}, 3).test, random_split(1000, {}, 4).test);
}

// Each row is tested with probability 0.2 over the seeds: 400 draws, five standard errors.
TEST(Split, TreatsAllRowsAlike) {
    const Index count = 40;
    const int num_seeds = 400;
    std::vector<int> times(static_cast<std::size_t>(count));
    for (int seed = 0; seed < num_seeds; ++seed)
        for (const Index row : random_split(count, {}, static_cast<std::uint64_t>(seed)).test) ++times[static_cast<std::size_t>(row)];
    for (const int count_of_row : times) EXPECT_NEAR(count_of_row, 0.2 * num_seeds, 5 * std::sqrt(num_seeds * 0.2 * 0.8));
}

TEST(Split, RefusesFractionsThatAreNone) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const SplitFractions& fractions : {SplitFractions{0.5, 0.2, 0.2}, SplitFractions{1.2, -0.2, 0.0}, SplitFractions{nan, 0.5, 0.5}})
        EXPECT_THROW(random_split(10, fractions, 0), InputError);
}

TEST(Split, GathersTheNamedRows) {
    Points points(4, 2);
    points << 0, 1, 10, 11, 20, 21, 30, 31;
    const std::vector<Index> rows{3, 0, 3};
    Points expected(3, 2);
    expected << 30, 31, 0, 1, 30, 31;
    EXPECT_EQ(gather_rows(points, rows), expected);
    EXPECT_EQ(gather_values(points.col(1), rows), Vector(expected.col(1)));
    EXPECT_EQ(gather_rows(points, {}).rows(), 0);
}

}  // namespace
}  // namespace vnngp::data
