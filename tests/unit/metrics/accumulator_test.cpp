#include "vnngp/metrics/accumulator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vnngp/base/random.hpp"
#include "vnngp/metrics/scores.hpp"

namespace vnngp::metrics {
namespace {

using Values = std::vector<double>;

Values normals(std::size_t n, std::uint32_t substream) {
    RandomStream random(3, StreamPurpose::test, substream);
    Values values(n);
    for (double& value : values) value = random.normal();
    return values;
}

constexpr std::size_t kPoints = 1000;

TEST(ScoreAccumulator, InBlocksGivesTheScoresOfTheWhole) {
    const Values y = normals(kPoints, 1), mean = normals(kPoints, 2), log_density = normals(kPoints, 3), crps = normals(kPoints, 4);
    Values lower = normals(kPoints, 5), upper = lower;
    for (double& value : upper) value += 1.0;
    for (std::size_t block_size : {1ul, 7ul, 256ul, kPoints}) {
        ScoreAccumulator accumulator;
        for (std::size_t begin = 0; begin < kPoints; begin += block_size) {
            const std::size_t size = std::min(block_size, kPoints - begin);
            const auto cut = [&](const Values& values) { return std::span<const double>(values).subspan(begin, size); };
            accumulator.add({cut(y), cut(mean), cut(log_density), cut(crps), cut(lower), cut(upper)});
        }
        const RegressionScores scores = accumulator.scores();
        EXPECT_EQ(scores.n, std::int64_t(kPoints));
        EXPECT_DOUBLE_EQ(scores.nll, mean_nll(log_density));
        EXPECT_DOUBLE_EQ(scores.rmse, rmse(y, mean));
        EXPECT_DOUBLE_EQ(scores.mae, mae(y, mean));
        EXPECT_DOUBLE_EQ(scores.crps, mean_crps(crps));
        EXPECT_DOUBLE_EQ(scores.coverage, coverage(y, lower, upper));
        EXPECT_DOUBLE_EQ(scores.interval_width, mean_width(lower, upper));
    }
}

TEST(ScoreAccumulator, OfNothingIsNaN) {
    const RegressionScores scores = ScoreAccumulator().scores();
    EXPECT_EQ(scores.n, 0);
    EXPECT_TRUE(std::isnan(scores.nll) && std::isnan(scores.rmse) && std::isnan(scores.coverage));
}

TEST(ClassificationAccumulator, InBlocksGivesTheScoresOfTheWhole) {
    Values y = normals(kPoints, 6), probability = normals(kPoints, 7), log_density = normals(kPoints, 8);
    for (std::size_t i = 0; i < kPoints; ++i) {
        y[i] = y[i] > 0.4;
        probability[i] = 0.5 * std::erfc(-probability[i]);
    }
    ClassificationAccumulator accumulator;
    for (std::size_t begin = 0; begin < kPoints; begin += 300) {
        const std::size_t size = std::min<std::size_t>(300, kPoints - begin);
        const auto cut = [&](const Values& values) { return std::span<const double>(values).subspan(begin, size); };
        accumulator.add({cut(y), cut(probability), cut(log_density)});
    }
    const ClassificationScores scores = accumulator.scores();
    EXPECT_EQ(scores.n, std::int64_t(kPoints));
    EXPECT_DOUBLE_EQ(scores.nll, mean_nll(log_density));
    EXPECT_EQ(scores.error_rate, error_rate(y, probability));
    EXPECT_EQ(scores.brier, brier(y, probability));
    EXPECT_EQ(scores.auc, auc(y, probability));
    EXPECT_FALSE(ClassificationAccumulator().scores().auc.has_value());
}

TEST(CompensatedSum, KeepsWhatPlainSummationLoses) {
    CompensatedSum sum;
    sum.add(1.0);
    for (int i = 0; i < 1000; ++i) sum.add(1e-17);
    sum.add(1e100);
    sum.add(-1e100);
    EXPECT_NEAR(sum.value(), 1.0 + 1e-14, 1e-15);
}

TEST(CompensatedSum, OfAnInfiniteTermIsInfinite) {
    CompensatedSum sum;
    sum.add(1.0);
    sum.add(std::numeric_limits<double>::infinity());
    sum.add(-3.0);
    EXPECT_EQ(sum.value(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace vnngp::metrics
