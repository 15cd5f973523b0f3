// The mean of the latent function before any data are seen, in the units of the data.
#include "model_support.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

constexpr Index kRows = 400;

FitOptions with_mean(MeanOption mean) {
    FitOptions options = settled(10, "matern32");
    options.mean = std::move(mean);
    return options;
}

/// Inputs far from 0, in units of their own.
Points inputs() {
    Points x = random_points(kRows, 2, 1);
    x.col(0) = x.col(0).array() * 10.0 + 500.0;
    x.col(1) = x.col(1).array() * 0.01 - 3.0;
    return x;
}

/// 7 + 0.5 x1 - 200 x2, a small wave, and noise.
Vector trend(const Points& x) { return 7.0 + 0.5 * x.col(0).array() - 200.0 * x.col(1).array(); }
Vector targets(const Points& x) {
    return trend(x).array() + 0.3 * (x.col(0).array() / 3.0).sin() + 0.2 * random_vector(static_cast<Index>(x.rows()), 2).array();
}

/// A thousand length-scales away from all data, where only the prior mean is left.
Points far_away(const Points& x) {
    Points far = x.topRows(1);
    far.row(0) << 500.0 + 1e6, -3.0 + 1e3;
    return far;
}

TEST(PriorMean, LinearRecoversTheSlopesInDataUnits) {
    const Points x = inputs();
    const auto model = fit(x, targets(x), with_mean({MeanOption::Kind::linear, {}}));
    const auto learned = in_data_units(model);
    ASSERT_EQ(learned.slopes.size(), 2u);
    EXPECT_NEAR(learned.slopes[0], 0.5, 0.01);
    EXPECT_NEAR(learned.slopes[1], -200.0, 8.0);
    // mean + slopes . x is the trend where the data are.
    EXPECT_NEAR(learned.mean + learned.slopes[0] * 500.0 + learned.slopes[1] * -3.0, 7.0 + 250.0 + 600.0, 0.5);
    const Points far = far_away(x);
    const double expected = learned.mean + learned.slopes[0] * far(0, 0) + learned.slopes[1] * far(0, 1);
    EXPECT_NEAR(model.predict(far).mean[0] / expected, 1.0, 1e-6) << "far from the data is the trend";
}

TEST(PriorMean, LinearInSomeColumnsLeavesTheOthersOut) {
    const Points x = inputs();
    const auto model = fit(x, targets(x), with_mean({MeanOption::Kind::linear, {1}}));
    EXPECT_EQ(model.mean_columns, std::vector<Index>{1});
    ASSERT_EQ(model.hyper.slopes.size(), 1u);
    EXPECT_NEAR(in_data_units(model).slopes[0], -200.0, 8.0);
}

TEST(PriorMean, LinearDoesNotTouchAConstantColumn) {
    Points x(kRows, 3);
    x << inputs().col(0), Vector::Constant(kRows, 4.0), inputs().col(1);
    const auto model = fit(x, targets(inputs()), with_mean({MeanOption::Kind::linear, {2}}));
    EXPECT_EQ(model.mean_columns, std::vector<Index>{1}) << "the second of the columns in use";
    EXPECT_NEAR(in_data_units(model).slopes[0], -200.0, 8.0);
}

TEST(PriorMean, ZeroMeansZeroInDataUnits) {
    const Points x = inputs();
    const Vector y = targets(x).array() - trend(x).mean();
    const auto model = fit(x, y.array() + 3.0, with_mean({MeanOption::Kind::zero, {}}));
    EXPECT_EQ(in_data_units(model).mean, 0.0);
    EXPECT_NEAR(model.predict(far_away(x)).mean[0], 0.0, 1e-9);
}

TEST(PriorMean, ConstantIsWhereExtrapolationGoes) {
    const Points x = random_points(kRows, 2, 3);
    Points far = x.topRows(1);
    far.row(0) << 1e5, -1e5;
    const Vector y = 40.0 + 0.1 * wave(x).array();
    const auto model = fit(x, y, with_mean({}));
    EXPECT_NEAR(model.predict(far).mean[0], in_data_units(model).mean, 1e-9);
    EXPECT_NEAR(in_data_units(model).mean, 40.0, 1.0);
}

TEST(PriorMean, StochasticTrainingLearnsSlopesToo) {
    const Points x = inputs();
    FitOptions options = with_mean({MeanOption::Kind::linear, {}});
    options.inference = Inference::stochastic;
    options.metric = Metric::euclidean;
    options.epochs = 60;
    options.batch = 100;
    options.learning_rate = 0.05;
    const auto learned = in_data_units(fit(x, targets(x), options));
    ASSERT_EQ(learned.slopes.size(), 2u);
    EXPECT_NEAR(learned.slopes[0], 0.5, 0.02);
}

}  // namespace
}  // namespace vnngp
