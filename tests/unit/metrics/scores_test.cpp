#include "vnngp/metrics/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vnngp/base/random.hpp"

namespace vnngp::metrics {
namespace {

using Values = std::vector<double>;

TEST(Scores, OfAHandfulOfPointsAreWhatTheirDefinitionsSay) {
    const Values y{1.0, 2.0, 4.0}, prediction{1.0, 4.0, 3.0};
    EXPECT_DOUBLE_EQ(rmse(y, prediction), std::sqrt(5.0 / 3.0));
    EXPECT_DOUBLE_EQ(mae(y, prediction), 1.0);
    EXPECT_DOUBLE_EQ(mean_nll(Values{-1.0, -2.5, 0.5}), 1.0);
    EXPECT_DOUBLE_EQ(mean_crps(Values{0.25, 0.75}), 0.5);
}

TEST(Scores, CoverageCountsTheEndsOfTheInterval) {
    const Values y{0.0, 1.0, 2.0, 3.0}, lower{0.0, 0.0, 0.0, 3.1}, upper{1.0, 1.0, 1.9, 4.1};
    EXPECT_DOUBLE_EQ(coverage(y, lower, upper), 0.5);
    EXPECT_DOUBLE_EQ(mean_width(lower, upper), (1.0 + 1.0 + 1.9 + (4.1 - 3.1)) / 4.0);
}

TEST(Scores, OfNothingAreNaN) {
    for (double score : {mean_nll({}), rmse({}, {}), mae({}, {}), mean_crps({}), coverage({}, {}, {}), error_rate({}, {}), brier({}, {})})
        EXPECT_TRUE(std::isnan(score));
    EXPECT_FALSE(auc({}, {}).has_value());
}

TEST(GaussianCrps, IsTheIntegratedSquaredDistance) {
    for (double y : {-3.0, 0.0, 0.4, 6.0})
        for (double sd : {0.2, 1.0, 4.0}) {
            const double mean = 0.3, step = 1e-4 * sd;
            double integral = 0.0;  // midpoints, cut at y
            for (double t = std::min(y, mean) - 10.0 * sd + 0.5 * step; t < std::max(y, mean) + 10.0 * sd; t += step) {
                const double cdf = 0.5 * std::erfc((mean - t) / (sd * std::sqrt(2.0)));
                integral += step * (t < y ? cdf * cdf : (1.0 - cdf) * (1.0 - cdf));
            }
            EXPECT_NEAR(gaussian_crps(y, mean, sd), integral, 2e-4 * sd);
        }
}

TEST(GaussianCrps, BecomesTheAbsoluteErrorOfACertainPrediction) {
    EXPECT_EQ(gaussian_crps(2.0, 0.5, 0.0), 1.5);
    EXPECT_NEAR(gaussian_crps(2.0, 0.5, 1e-9), 1.5, 1e-8);
}

TEST(GaussianCrps, IsProper) {
    // The expected score under y ~ N(0,1) is smallest for the true sd.
    const auto expected = [](double mean, double sd) {
        double sum = 0.0;
        for (double z = -9.0; z <= 9.0; z += 0.01)
            sum += 0.01 * std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI) * gaussian_crps(z, mean, sd);
        return sum;
    };
    for (double sd : {0.5, 0.9, 1.1, 2.0}) EXPECT_LT(expected(0.0, 1.0), expected(0.0, sd));
    EXPECT_LT(expected(0.0, 1.0), expected(0.3, 1.0));
}

TEST(Classification, ErrorRateAndBrierOfAHandfulOfPoints) {
    const Values y{0.0, 1.0, 1.0, 0.0}, probability{0.2, 0.9, 0.4, 0.5};
    EXPECT_DOUBLE_EQ(error_rate(y, probability), 0.5);
    EXPECT_DOUBLE_EQ(brier(y, probability), (0.04 + 0.01 + 0.36 + 0.25) / 4.0);
}

/// By the definition: all pairs.
double auc_by_pairs(const Values& y, const Values& score) {
    double right = 0.0, pairs = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i)
        for (std::size_t j = 0; j < y.size(); ++j) {
            if (y[i] != 1.0 || y[j] != 0.0) continue;
            pairs += 1.0;
            right += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
        }
    return right / pairs;
}

TEST(Auc, CountsPairsWithTiesAsHalves) {
    for (std::uint64_t levels : {1ull, 2ull, 5ull, 1000000ull}) {  // few levels: many ties
        RandomStream random(7, StreamPurpose::test, std::uint32_t(levels));
        Values y, score;
        for (int i = 0; i < 300; ++i) {
            score.push_back(double(random.below(levels)) / double(levels));
            y.push_back(random.uniform() < 0.2 + 0.5 * score.back() ? 1.0 : 0.0);
        }
        EXPECT_DOUBLE_EQ(auc(y, score).value(), auc_by_pairs(y, score)) << levels << " levels";
    }
}

TEST(Auc, IsOneForAPerfectRankingAndZeroForItsReverse) {
    const Values y{0.0, 0.0, 1.0, 1.0};
    EXPECT_EQ(auc(y, Values{0.1, 0.2, 0.3, 0.4}), 1.0);
    EXPECT_EQ(auc(y, Values{0.4, 0.3, 0.2, 0.1}), 0.0);
    EXPECT_EQ(auc(y, Values{0.7, 0.7, 0.7, 0.7}), 0.5);
}

TEST(Auc, IsEmptyWhenAClassIsAbsent) {
    EXPECT_FALSE(auc(Values{1.0, 1.0}, Values{0.2, 0.3}).has_value());
    EXPECT_FALSE(auc(Values{0.0}, Values{0.2}).has_value());
}

}  // namespace
}  // namespace vnngp::metrics
