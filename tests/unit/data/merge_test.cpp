#include "vnngp/data/merge.hpp"

#include <gtest/gtest.h>

#include "vnngp/base/random.hpp"

namespace vnngp::data {
namespace {

TEST(MergeDuplicates, EveryRowFindsItsOwnPointAndNoTwoDistinctPointsAreEqual) {
    RandomStream stream(1, StreamPurpose::test);
    Points points(500, 2);
    for (double& x : points.reshaped<Eigen::RowMajor>()) x = static_cast<double>(stream.below(12));
    const auto merged = merge_duplicates(points);
    ASSERT_LT(merged.distinct.rows(), 145);
    for (Index i = 0; i < 500; ++i) EXPECT_EQ(merged.distinct.row(merged.site[i]), points.row(i));
    for (Index a = 0; a < merged.distinct.rows(); ++a)
        for (Index b = 0; b < a; ++b) EXPECT_NE(merged.distinct.row(a), merged.distinct.row(b));
}

TEST(MergeDuplicates, KeepsTheOrderOfFirstAppearance) {
    Points points(5, 1);
    points << 3.0, 1.0, 3.0, 2.0, 1.0;
    const auto merged = merge_duplicates(points);
    EXPECT_EQ(merged.site, (std::vector<Index>{0, 1, 0, 2, 1}));
    EXPECT_EQ(merged.distinct(0, 0), 3.0);
    EXPECT_EQ(merged.distinct(2, 0), 2.0);
}

TEST(MergeDuplicates, PositiveAndNegativeZeroAreOnePlace) {
    Points points(2, 2);
    points << 0.0, 1.0, -0.0, 1.0;
    EXPECT_EQ(merge_duplicates(points).distinct.rows(), 1);
}

// Coordinates of a grid share most of their bits.
TEST(MergeDuplicates, ManyDistinctPointsOfAGridStayDistinct) {
    Points points(40000, 2);
    for (Index i = 0; i < 40000; ++i) points.row(i) << 0.25 * (i % 200), 1024.0 * (i / 200);
    const auto merged = merge_duplicates(points);
    EXPECT_EQ(merged.distinct, points);
    for (Index i = 0; i < 40000; ++i) ASSERT_EQ(merged.site[i], i);
}

TEST(MergeDuplicates, OfNothingIsNothing) { EXPECT_EQ(merge_duplicates(Points(0, 3)).distinct.rows(), 0); }

TEST(PointTable, FindsEveryPointAndNoOther) {
    Points points(400, 2);
    for (Index i = 0; i < 400; ++i) points.row(i) << 0.25 * (i % 20), 1024.0 * (i / 20);
    const PointTable table(points);
    for (Index i = 0; i < 400; ++i) EXPECT_EQ(table.find(points.row(i).data()), i);
    const double zero[] = {-0.0, 0.0}, between[] = {0.125, 0.0}, swapped[] = {1024.0, 0.25};
    EXPECT_EQ(table.find(zero), 0);
    EXPECT_EQ(table.find(between), -1);
    EXPECT_EQ(table.find(swapped), -1);
}

TEST(Unmerged, GivesEveryRowASiteOfItsOwn) {
    Points points(3, 2);
    points << 1.0, 2.0, 1.0, 2.0, 0.0, 5.0;
    const auto all = unmerged(points);
    EXPECT_EQ(all.distinct, points);
    EXPECT_EQ(all.site, (std::vector<Index>{0, 1, 2}));
    EXPECT_TRUE(unmerged(Points(0, 2)).site.empty());
}

}  // namespace
}  // namespace vnngp::data
