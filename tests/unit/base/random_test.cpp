#include "vnngp/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace vnngp {
namespace {

// Known answer of Philox4x32-10 for counter 0 and key 0 (Random123's kat_vectors); the purpose word occupies the last counter word, so
// the stream with purpose 0 and seed 0 starts at that counter.
TEST(RandomStream, MatchesThePublishedKnownAnswer) {
    RandomStream stream(0, StreamPurpose{0});
    EXPECT_EQ(stream.bits32(), 0x6627e8d5u);
    EXPECT_EQ(stream.bits32(), 0xe169c58du);
    EXPECT_EQ(stream.bits32(), 0xbc57ac4cu);
    EXPECT_EQ(stream.bits32(), 0x9b00dbd8u);
}

TEST(RandomStream, SeedsPurposesAndSubstreamsDiffer) {
    std::set<std::uint64_t> first;
    for (std::uint64_t seed : {0, 1, 2})
        for (const auto purpose : {StreamPurpose::ordering, StreamPurpose::minibatch})
            for (std::uint32_t substream : {0u, 1u}) first.insert(RandomStream(seed, purpose, substream).bits64());
    EXPECT_EQ(first.size(), 12u);
}

TEST(RandomStream, NormalHasTheRightMoments) {
    RandomStream stream(7, StreamPurpose::test);
    const int count = 200000;
    double sum = 0, squares = 0, fourth = 0;
    for (int i = 0; i < count; ++i) {
        const double z = stream.normal();
        sum += z;
        squares += z * z;
        fourth += z * z * z * z;
    }
    // Five standard errors of each moment.
    EXPECT_NEAR(sum / count, 0.0, 5 / std::sqrt(count));
    EXPECT_NEAR(squares / count, 1.0, 5 * std::sqrt(2.0 / count));
    EXPECT_NEAR(fourth / count, 3.0, 5 * std::sqrt(96.0 / count));
}

TEST(RandomStream, BelowCoversItsRangeEvenly) {
    RandomStream stream(3, StreamPurpose::test);
    std::array<int, 7> counts{};
    for (int i = 0; i < 70000; ++i) ++counts[stream.below(7)];
    for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(RandomPermutation, IsAPermutationAndReproducible) {
    RandomStream a(5, StreamPurpose::ordering), b(5, StreamPurpose::ordering);
    const auto order = random_permutation(1000, a);
    EXPECT_EQ(order, random_permutation(1000, b));
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (Index i = 0; i < 1000; ++i) EXPECT_EQ(sorted[i], i);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(RandomPermutation, OfNothingAndOfOne) {
    RandomStream stream(0, StreamPurpose::test);
    EXPECT_TRUE(random_permutation(0, stream).empty());
    EXPECT_EQ(random_permutation(1, stream), std::vector<Index>{0});
}

}  // namespace
}  // namespace vnngp
