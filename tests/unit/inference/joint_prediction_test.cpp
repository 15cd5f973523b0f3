#include "vnngp/inference/joint_prediction.hpp"

#include <gtest/gtest.h>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/inference/prediction.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

constexpr double kOutputscale = 1.5, kNugget = 0.2;
const std::vector<double> kLengthscales{0.8, 1.3};

class Joint : public ::testing::Test {
protected:
    Points inducing = testing::random_points(30, 2, 1), targets = 0.8 * testing::random_points(12, 2, 2);
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern32", 2);
    conditional::Covariance covariance{kernel.get(), kLengthscales, kOutputscale, kNugget, 1e-10};
    MeanField deviation{testing::random_vector(30, 3), testing::random_vector(30, 4).array().square() * 0.3};

    JointTargets at(const Points& points, Index neighbors) const { return {inducing, points, inducing, points, neighbors}; }
    const Vector no_mean = Vector::Zero(12);
    const CenteredPosterior posterior{deviation.mean, deviation.variance, no_mean};
    MatrixXd k(const Points& a, const Points& b) const { return testing::covariance_matrix("matern32", a, b, kLengthscales, kOutputscale); }
    /// p(g | u) = N(A u, R) of the exact process.
    MatrixXd dense_weights() const {
        return (k(inducing, inducing) + kNugget * MatrixXd::Identity(30, 30)).ldlt().solve(k(inducing, targets)).transpose();
    }
    MatrixXd dense_covariance(const Vector& s) const {
        const MatrixXd a = dense_weights();
        return a * s.asDiagonal() * a.transpose() + k(targets, targets) - a * k(inducing, targets);
    }
};

TEST_F(Joint, WithAllNeighboursItEqualsDenseAlgebra) {
    const auto joint = joint_latent({.seed = 5}, covariance, deviation, at(targets, 100));
    EXPECT_LT((joint.mean - dense_weights() * deviation.mean).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((joint.covariance - dense_covariance(deviation.variance)).cwiseAbs().maxCoeff(), 1e-7);
}

// Eq. C1 with all neighbours and Gaussian noise: the mean is that of exact regression, in which nugget and noise act together.
TEST_F(Joint, AtTheOptimumOfTheBoundTheMeanIsThatOfExactRegression) {
    constexpr double noise = 0.1;
    const Vector y = testing::random_vector(30, 6);
    const MatrixXd prior = k(inducing, inducing) + kNugget * MatrixXd::Identity(30, 30);
    const MatrixXd p = prior.inverse() + MatrixXd::Identity(30, 30) / noise;
    const MeanField optimum{p.ldlt().solve(y / noise), p.diagonal().cwiseInverse()};
    const auto joint = joint_latent({}, covariance, optimum, at(targets, 100));
    const Vector exact = k(targets, inducing) * (prior + noise * MatrixXd::Identity(30, 30)).ldlt().solve(y);
    EXPECT_LT((joint.mean - exact).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((joint.covariance - dense_covariance(optimum.variance)).cwiseAbs().maxCoeff(), 1e-7);
}

TEST_F(Joint, OnePointHasTheMarginalOfK3) {
    for (Index i = 0; i < 12; ++i) {
        const Points one = targets.row(i);
        const auto joint = joint_latent({}, covariance, deviation, at(one, 7));
        const auto marginal = predict_latent({}, covariance, posterior, inducing, neighbors::nearest_graph(inducing, one, 7, {}), one);
        EXPECT_NEAR(joint.mean[0], marginal.mean[0], 1e-13);
        EXPECT_NEAR(joint.covariance(0, 0), marginal.variance[0], 1e-13);
    }
}

TEST_F(Joint, PointsFarFromOneAnotherHaveTheMarginalsOfK3) {
    for (Index i = 0; i < 12; ++i) targets.row(i) = inducing.row(i).array() + 1e-3;
    for (Index i = 0; i < 30; ++i) inducing.row(i).array() += 100.0 * static_cast<double>(i % 12);
    for (Index i = 0; i < 12; ++i) targets.row(i).array() += 100.0 * static_cast<double>(i);
    const auto graph = neighbors::nearest_graph(inducing, targets, 2, {});
    const auto marginal = predict_latent({}, covariance, posterior, inducing, graph, targets);
    const auto joint = joint_latent({}, covariance, deviation, at(targets, 2));
    EXPECT_LT((joint.mean - marginal.mean).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((joint.covariance.diagonal() - marginal.variance).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((joint.covariance - MatrixXd(joint.covariance.diagonal().asDiagonal())).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_F(Joint, SamplesHaveTheStatedMeanAndCovariance) {
    constexpr Index kSamples = 20000;
    const Context context{.seed = 7};
    const auto joint = joint_latent(context, covariance, deviation, at(targets, 6));
    const Points samples = sample_joint_latent(context, covariance, deviation, at(targets, 6), kSamples);
    const Vector mean = samples.rowwise().mean();
    const MatrixXd centered = samples.colwise() - mean;
    const MatrixXd estimate = centered * centered.transpose() / kSamples;
    // Five standard errors of a mean and of a covariance of normals.
    for (Index i = 0; i < 12; ++i) {
        EXPECT_NEAR(mean[i], joint.mean[i], 5.0 * std::sqrt(joint.covariance(i, i) / kSamples));
        for (Index j = 0; j < 12; ++j) {
            const double c = joint.covariance(i, j);
            const double error = std::sqrt((joint.covariance(i, i) * joint.covariance(j, j) + c * c) / kSamples);
            EXPECT_NEAR(estimate(i, j), c, 5.0 * error) << i << " " << j;
        }
    }
}

// Where an inducing value is asked for it comes from q(u), and varies together with g there.
TEST_F(Joint, SamplesOfInducingValuesComeFromTheirPosterior) {
    constexpr Index kSamples = 20000;
    Points there = targets;
    there.row(0) = there.row(5) = inducing.row(3);
    std::vector<Index> known(12, -1);
    known[5] = 3;
    const Points samples = sample_joint_latent({.seed = 7}, covariance, deviation, at(there, 6), kSamples, known);
    const Vector mean = samples.rowwise().mean();
    const double variance = (samples.row(5).array() - mean[5]).square().mean();
    EXPECT_NEAR(mean[5], deviation.mean[3], 5.0 * std::sqrt(deviation.variance[3] / kSamples));
    EXPECT_NEAR(variance / deviation.variance[3], 1.0, 5.0 * std::sqrt(2.0 / kSamples));
    const double together = ((samples.row(5).array() - mean[5]) * (samples.row(0).array() - mean[0])).mean();
    EXPECT_GT(together, 3.0 * std::sqrt(variance * (samples.row(0).array() - mean[0]).square().mean() / kSamples));
    const Points without = sample_joint_latent({.seed = 7}, covariance, deviation, at(there, 6), 3);
    EXPECT_EQ(samples.row(0).leftCols(3), without.row(0)) << "the other points are drawn as before";
}

TEST_F(Joint, ACovarianceIsPositiveDefiniteAndItsOrderIsThatOfTheTargets) {
    const auto joint = joint_latent({.seed = 8}, covariance, deviation, at(targets, 5));
    EXPECT_EQ(joint.covariance, joint.covariance.transpose());
    EXPECT_EQ(joint.covariance.llt().info(), Eigen::Success);
    const Points reversed = targets.colwise().reverse();
    const auto turned = joint_latent({.seed = 8}, covariance, deviation, at(reversed, 100));
    const auto straight = joint_latent({.seed = 9}, covariance, deviation, at(targets, 100));
    EXPECT_LT((turned.covariance.reverse() - straight.covariance).cwiseAbs().maxCoeff(), 1e-7) << "all neighbours: the order is immaterial";
}

// A dense line: neighbours differ by little compared with the spread, although q(u) and the nugget are white.
TEST_F(Joint, ASampledFieldIsSmooth) {
    Points line(200, 2);
    for (Index i = 0; i < 200; ++i) line.row(i) << 0.01 * i - 1.0, 0.3;
    const Points samples = sample_joint_latent({.seed = 10}, covariance, deviation, at(line, 20), 50);
    const Points steps = samples.bottomRows(199) - samples.topRows(199);
    const Points centered = samples.colwise() - Vector(samples.rowwise().mean());
    EXPECT_LT(steps.squaredNorm() / 199, 0.01 * centered.squaredNorm() / 200);
}

TEST_F(Joint, SamplesDependOnTheSeedAloneAndNotOnThreadsOrTheirNumber) {
    const auto draw = [&](int threads, std::uint64_t seed, Index count) {
        return sample_joint_latent({.threads = threads, .seed = seed}, covariance, deviation, at(targets, 6), count);
    };
    const Points one = draw(1, 3, 8);
    EXPECT_EQ(one, draw(2, 3, 8));
    EXPECT_EQ(Points(one.leftCols(3)), draw(1, 3, 3));
    EXPECT_NE(one, draw(1, 4, 8));
    EXPECT_NE(Vector(one.col(0)), Vector(one.col(1)));
}

TEST_F(Joint, RepeatedTargetsAgreeUpToTheJitter) {
    targets.row(5) = targets.row(2);
    targets.row(7) = targets.row(2);
    const Points samples = sample_joint_latent({}, covariance, deviation, at(targets, 8), 20);
    EXPECT_LT((samples.row(5) - samples.row(2)).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((samples.row(7) - samples.row(2)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_F(Joint, NeighboursAreThoseOfTheMetricPassedIn) {
    // In these coordinates all inducing points are at the origin, and each target is nearer to it than to another target.
    const Points origin = Points::Zero(30, 12), axes = Points::Identity(12, 12);
    const auto joint = joint_latent({}, covariance, deviation, {inducing, targets, origin, axes, 3});
    neighbors::NeighborGraph first_three(12, 3);
    for (Index i = 0; i < 12; ++i) first_three.set_row(i, std::vector<Index>{0, 1, 2});
    const auto expected = predict_latent({}, covariance, posterior, inducing, first_three, targets);
    EXPECT_LT((joint.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_F(Joint, TooManyPointsForADenseCovarianceAreRefused) {
    EXPECT_THROW(joint_latent({}, covariance, deviation, at(Points::Zero(kMostJointPoints + 1, 2), 3)), InputError);
}

TEST_F(Joint, NoPointsAreFine) {
    EXPECT_EQ(sample_joint_latent({}, covariance, deviation, at(Points(0, 2), 3), 4).size(), 0);
    EXPECT_EQ(joint_latent({}, covariance, deviation, at(Points(0, 2), 3)).mean.size(), 0);
}

}  // namespace
}  // namespace vnngp::inference
