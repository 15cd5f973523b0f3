// Observations at one input: one latent value with one nugget, and noise of their own.
#include "dense_prediction.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

constexpr Index kDistinct = 40, kRepeated = 20, kAll = kDistinct + kRepeated;

Points with_repeats() {
    Points x(kAll, 2);
    x.topRows(kDistinct) = random_points(kDistinct, 2, 1);
    x.bottomRows(kRepeated) = x.topRows(kRepeated);
    return x;
}

// With every point a neighbour: the Gaussian process whose covariance has the nugget wherever two inputs are equal.
class ExactProcess {
public:
    ExactProcess(const FittedModel& model, const Points& x, const Vector& y)
        : dense_(model), model_(model), x_(x), z_(dense_.standardized(x)), y_(data::apply(model.target_scaling, y)) {
        const MatrixXd noise = model.hyper.likelihood[0] * MatrixXd::Identity(x.rows(), x.rows());
        factor_.compute(dense_.covariance(z_, z_) + dense_.white() * same(x, x) + noise);
    }

    /// Of the smooth function, or of the function with the nugget of its place.
    DenseModel::Moments predict(const Points& test, bool with_nugget) const {
        const Points at = dense_.standardized(test);
        MatrixXd cross = dense_.covariance(at, z_);
        if (with_nugget) cross += dense_.white() * same(test, x_);
        const Vector mean = dense_.mean(at) + cross * factor_.solve(y_ - dense_.mean(z_));
        const double prior = model_.hyper.outputscale + (with_nugget ? dense_.white() : 0.0);
        const MatrixXd explained = cross * factor_.solve(cross.transpose());
        return {data::invert(model_.target_scaling, mean), prior - explained.diagonal().array()};
    }

private:
    static MatrixXd same(const Points& a, const Points& b) {
        MatrixXd equal(a.rows(), b.rows());
        for (Index i = 0; i < a.rows(); ++i)
            for (Index j = 0; j < b.rows(); ++j) equal(i, j) = a.row(i) == b.row(j) ? 1.0 : 0.0;
        return equal;
    }

    DenseModel dense_;
    const FittedModel& model_;
    Points x_, z_;
    Vector y_;
    Eigen::LDLT<MatrixXd> factor_;
};

// The best mean-field q(u) has the mean of the exact posterior (its system is solved to a relative 1e-6), and ignores correlations between
// inducing points.
constexpr double kMeanTolerance = 5e-6, kVarianceTolerance = 0.5;

TEST(RepeatedInputs, AreAnExactGaussianProcessWhenEveryPointIsANeighbour) {
    const Points x = with_repeats();
    const Vector y = wave(x, 0.3);
    const auto model = fit(x, y, settled(kAll));
    EXPECT_EQ(model.report.duplicates_merged, kRepeated);
    EXPECT_EQ(model.report.num_inducing, kDistinct);
    EXPECT_EQ(model.report.num_observations, kAll);

    const Points test = random_points(30, 2, 2);
    const auto exact = ExactProcess(model, x, y).predict(test, false);
    const auto prediction = model.predict(test);
    const double unit = model.target_scaling.scale;
    EXPECT_LT((prediction.latent_mean - exact.mean).cwiseAbs().maxCoeff(), kMeanTolerance * unit);
    for (Index i = 0; i < test.rows(); ++i) {
        EXPECT_NEAR(prediction.latent_variance[i] / (unit * unit) / exact.variance[i], 1.0, kVarianceTolerance);
        EXPECT_NEAR(prediction.variance[i] - prediction.latent_variance[i], unit * unit * (model.hyper.nugget + model.hyper.likelihood[0]),
                    1e-9);
    }
}

// A large nugget: a place is unlike what is around it, and an observation there is like the earlier ones there.
FitOptions with_large_nugget() {
    FitOptions options = settled(kAll);
    options.nugget = {NuggetOption::Mode::fixed, 0.3};
    return options;
}

TEST(RepeatedInputs, ANewObservationAtAKnownPlaceSharesItsNugget) {
    const Points x = with_repeats();
    const Vector y = wave(x, 0.3);
    const auto model = fit(x, y, with_large_nugget());
    ASSERT_TRUE(model.shared_nugget);
    const ExactProcess process(model, x, y);
    const auto smooth = process.predict(x, false), there = process.predict(x, true);
    ASSERT_GT((smooth.mean - there.mean).cwiseAbs().maxCoeff(), 0.1) << "it has to matter";

    const auto prediction = model.predict(x);
    const double unit = model.target_scaling.scale;
    EXPECT_LT((prediction.mean - there.mean).cwiseAbs().maxCoeff(), kMeanTolerance * unit);
    EXPECT_LT((prediction.latent_mean - smooth.mean).cwiseAbs().maxCoeff(), kMeanTolerance * unit);
    for (Index i = 0; i < kAll; ++i)
        EXPECT_NEAR(prediction.variance[i] / (unit * unit), there.variance[i] + model.hyper.likelihood[0],
                    kVarianceTolerance * there.variance[i]);
}

// Draws of observations: two at a known place vary about its value; two at one new place have one new nugget.
TEST(RepeatedInputs, SamplesShareNuggetsToo) {
    constexpr Index kSamples = 20000;
    const Points x = with_repeats();
    const auto model = fit(x, wave(x, 0.3), with_large_nugget());
    Points at(4, 2);
    at << x.row(0), x.row(0), 0.5, 0.5, 0.5, 0.5;
    const auto prediction = model.predict(at);
    const Points samples = Predictor(model, {}).sample(at, kSamples);
    const Vector mean = samples.rowwise().mean();
    const MatrixXd centered = samples.colwise() - mean, covariance = centered * centered.transpose() / kSamples;
    const double noise = in_data_units(model).likelihood[0];
    for (Index i = 0; i < 4; ++i) {
        EXPECT_NEAR(mean[i], prediction.mean[i], 5.0 * std::sqrt(prediction.variance[i] / kSamples));
        EXPECT_NEAR(covariance(i, i) / prediction.variance[i], 1.0, 5.0 * std::sqrt(2.0 / kSamples));
    }
    for (const Index first : {0, 2}) {
        const double variance = prediction.variance[first], shared = variance - noise;
        EXPECT_NEAR(covariance(first, first + 1), shared, 5.0 * std::sqrt((variance * variance + shared * shared) / kSamples));
    }
    EXPECT_EQ(samples.leftCols(2), Predictor(model, {.threads = 2}).sample(at, 2));
}

// A few repeats do not tell the nugget from the noise: how the bound divides them must not decide what is predicted at the data.
TEST(RepeatedInputs, WhenFewTheNuggetIsOfEachObservation) {
    Points x = random_points(kAll, 2, 1);
    x.row(1) = x.row(0);
    const auto model = fit(x, wave(x, 0.3), with_large_nugget());
    EXPECT_EQ(model.report.duplicates_merged, 1);
    EXPECT_FALSE(model.shared_nugget);
    const auto prediction = model.predict(x);
    EXPECT_EQ(prediction.mean, prediction.latent_mean);
}

TEST(RepeatedInputs, ThePublishedNuggetIsNotShared) {
    const Points x = with_repeats();
    FitOptions options = settled(kAll);
    options.nugget = {NuggetOption::Mode::published};
    EXPECT_FALSE(fit(x, wave(x, 0.3), options).shared_nugget);
}

// P = Q + diag(observations at the site / noise), s = 1 / diag(P)   (C1)
TEST(RepeatedInputs, AddUpInThePosteriorOfTheirSite) {
    const Points x = with_repeats();
    const auto model = fit(x, wave(x, 0.3), settled(kAll));
    const DenseModel dense(model);
    const MatrixXd prior = dense.covariance(model.inducing, model.inducing) + dense.white() * MatrixXd::Identity(kDistinct, kDistinct);
    const MatrixXd precision = prior.inverse();
    const Points z = dense.standardized(x);
    for (Index j = 0; j < kDistinct; ++j) {
        int count = 0;
        for (Index i = 0; i < kAll; ++i) count += z.row(i) == model.inducing.row(j) ? 1 : 0;
        ASSERT_GE(count, 1);
        EXPECT_NEAR(model.posterior.variance[j] * (precision(j, j) + count / model.hyper.likelihood[0]), 1.0, 1e-6);
    }
}

TEST(RepeatedInputs, TellTheNuggetFromTheNoise) {
    constexpr Index kSites = 150, kTimes = 4;
    constexpr double kSiteEffect = 0.5, kNoise = 0.1;
    const Points sites = random_points(kSites, 2, 3);
    const Vector effects = kSiteEffect * random_vector(kSites, 4), noise = kNoise * random_vector(kSites * kTimes, 6);
    Points x(kSites * kTimes, 2);
    Vector y(kSites * kTimes);
    for (Index i = 0; i < kSites * kTimes; ++i) {
        x.row(i) = sites.row(i % kSites);
        y[i] = std::sin(x(i, 0)) + x(i, 1) + effects[i % kSites] + noise[i];
    }
    const auto learned = in_data_units(fit(x, y, settled(15)));
    EXPECT_NEAR(learned.likelihood[0] / (kNoise * kNoise), 1.0, 0.25);
    EXPECT_NEAR(learned.nugget / (kSiteEffect * kSiteEffect), 1.0, 0.4);
}

}  // namespace
}  // namespace vnngp
