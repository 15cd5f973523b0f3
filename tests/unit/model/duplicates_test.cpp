// Observations at one input: one latent value with one nugget, and noise of their own.
#include "dense_prediction.hpp"
#include "vnngp/data/standardizer.hpp"

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

TEST(RepeatedInputs, AreAnExactGaussianProcessWhenEveryPointIsANeighbour) {
    const Points x = with_repeats();
    const Vector y = wave(x, 0.3);
    const auto model = fit(x, y, settled(kAll));
    EXPECT_EQ(model.report.duplicates_merged, kRepeated);
    EXPECT_EQ(model.report.num_inducing, kDistinct);
    EXPECT_EQ(model.report.num_observations, kAll);

    const DenseModel dense(model);
    const Points z = dense.standardized(x), test = random_points(30, 2, 2), at = dense.standardized(test);
    MatrixXd same(kAll, kAll);
    for (Index i = 0; i < kAll; ++i)
        for (Index j = 0; j < kAll; ++j) same(i, j) = x.row(i) == x.row(j) ? 1.0 : 0.0;
    const MatrixXd of_y = dense.covariance(z, z) + dense.white() * same + model.hyper.likelihood[0] * MatrixXd::Identity(kAll, kAll);
    const MatrixXd cross = dense.covariance(at, z);
    const auto factor = of_y.ldlt();
    const Vector residual = data::apply(model.target_scaling, y) - dense.mean(z);
    const Vector mean = dense.mean(at) + cross * factor.solve(residual);
    const MatrixXd explained = cross * factor.solve(cross.transpose());

    const auto prediction = model.predict(test);
    const double unit = model.target_scaling.scale;
    // The best mean-field q(u) has the mean of the exact posterior; its system is solved to a relative 1e-6.
    EXPECT_LT((prediction.latent_mean - data::invert(model.target_scaling, mean)).cwiseAbs().maxCoeff(), 5e-6 * unit);
    for (Index i = 0; i < test.rows(); ++i) {
        const double exact = model.hyper.outputscale - explained(i, i);
        EXPECT_NEAR(prediction.latent_variance[i] / (unit * unit) / exact, 1.0, 0.5) << "q(u) ignores correlations between inducing points";
        EXPECT_NEAR(prediction.variance[i] - prediction.latent_variance[i], unit * unit * (model.hyper.nugget + model.hyper.likelihood[0]),
                    1e-9);
    }
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
