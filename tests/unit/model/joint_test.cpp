// Samples and joint predictions in the units of the target.
#include "model_support.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

FittedModel fitted(const std::string& likelihood, double unit = 1.0) {
    const auto data = simulate({.points = 150, .lengthscales = {0.4}, .likelihood = likelihood, .neighbors = 20}, {.seed = 2});
    FitOptions options = testing::settled(10);
    options.likelihood = likelihood;
    options.nugget = {NuggetOption::Mode::fixed, 0.3 * unit * unit};
    return fit(data.inputs, unit * data.targets, options);
}

/// Farther from one another than from data: each looks mostly at inducing points.
Points corners() {
    Points points(5, 2);
    points << 0.1, 0.1, 0.1, 0.9, 0.9, 0.1, 0.9, 0.9, 0.5, 0.5;
    return points;
}

TEST(JointPrediction, HasTheMarginalsOfThePredictionInTheUnitOfTheTarget) {
    const auto model = fitted("gaussian", 1000.0);
    const Predictor predictor(model, {});
    const auto marginal = predictor.predict(corners());
    const auto joint = predictor.joint(corners());
    for (Index i = 0; i < 5; ++i) {
        const double sd = std::sqrt(marginal.latent_variance[i]);
        EXPECT_NEAR(joint.mean[i], marginal.latent_mean[i], 0.3 * sd);
        EXPECT_NEAR(std::sqrt(joint.covariance(i, i)) / sd, 1.0, 0.1);
    }
    const auto one = predictor.joint(corners().topRows(1));
    EXPECT_NEAR(one.mean[0], marginal.latent_mean[0], 1e-9);
    EXPECT_NEAR(one.covariance(0, 0), marginal.latent_variance[0], 1e-9 * marginal.latent_variance[0]);
}

class SamplesOfEveryLikelihood : public ::testing::TestWithParam<std::string> {};

TEST_P(SamplesOfEveryLikelihood, HaveTheMomentsOfTheJointPredictionAndOfAnObservation) {
    constexpr Index kSamples = 4000;
    const auto model = fitted(GetParam());
    const Predictor predictor(model, {.threads = 1});
    const auto joint = predictor.joint(corners(), 3);
    const Points latent = predictor.sample(corners(), kSamples, 3, true);
    const auto mean_of = [](const Points& samples, Index i) { return samples.row(i).mean(); };
    for (Index i = 0; i < 5; ++i) {
        const double variance = joint.covariance(i, i);
        EXPECT_NEAR(mean_of(latent, i), joint.mean[i], 5.0 * std::sqrt(variance / kSamples));
        const double spread = (latent.row(i).array() - mean_of(latent, i)).square().mean();
        EXPECT_NEAR(spread, variance, 5.0 * variance * std::sqrt(2.0 / kSamples));
    }
    // One point: its marginal is that of predict, so observations have the moments stated there.
    const Points one = corners().bottomRows(1);
    const auto prediction = predictor.predict(one);
    const Points observed = predictor.sample(one, kSamples, 3);
    if (std::isfinite(prediction.variance[0])) {
        EXPECT_NEAR(mean_of(observed, 0), prediction.mean[0], 5.0 * std::sqrt(prediction.variance[0] / kSamples));
    }
    if (GetParam() == "gaussian") {
        const double spread = (observed.row(0).array() - mean_of(observed, 0)).square().mean();
        EXPECT_NEAR(spread, prediction.variance[0], 5.0 * prediction.variance[0] * std::sqrt(2.0 / kSamples));
    }
    EXPECT_EQ(observed, Predictor(model, {.threads = 2}).sample(one, kSamples, 3));
}

INSTANTIATE_TEST_SUITE_P(Names, SamplesOfEveryLikelihood, ::testing::ValuesIn(likelihood::likelihood_names()), [](const auto& suite) {
    std::string name = suite.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Samples, AtLeastOneMustBeAskedFor) {
    const auto model = fitted("gaussian");
    EXPECT_THROW(Predictor(model, {}).sample(corners(), 0), InputError);
    EXPECT_THROW(Predictor(model, {}).sample(Points(3, 3), 1), InputError);
}

}  // namespace
}  // namespace vnngp
