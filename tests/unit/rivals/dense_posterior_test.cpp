#include "vnngp/rivals/dense_posterior.hpp"

#include <gtest/gtest.h>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::rivals {
namespace {

using linalg::Matrix;

struct Setting {
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern32", 2);
    conditional::Covariance covariance{kernel.get(), {0.9, 1.3}, 1.6, 0.2, 1e-8};
    Points x = testing::random_points(50, 2, 1), at = testing::random_points(30, 2, 2);
    Vector y = testing::random_vector(50, 3);

    Matrix k(const Points& a, const Points& b) const {
        return testing::covariance_matrix("matern32", a, b, covariance.shape, covariance.outputscale);
    }
    Matrix observed() const {
        Matrix c = k(x, x);
        c.diagonal().array() += covariance.nugget + covariance.jitter * covariance.outputscale;
        return c;
    }
};

TEST(DensePosterior, OfObservationsIsTextbookRegression) {
    const Setting s;
    const auto posterior = DensePosterior::of_observations({}, s.covariance, s.x, s.y);
    const Matrix cross = s.k(s.x, s.at), solved = s.observed().ldlt().solve(cross);
    const Matrix covariance = s.k(s.at, s.at) - cross.transpose() * solved;
    const auto marginals = posterior.predict({}, s.at);
    const auto joint = posterior.joint({}, s.at);
    const Vector mean = solved.transpose() * s.y;
    EXPECT_LT((marginals.mean - mean).norm(), 1e-9);
    EXPECT_LT((marginals.variance - covariance.diagonal()).norm(), 1e-9);
    EXPECT_LT((joint.mean - mean).norm(), 1e-9);
    EXPECT_LT((joint.covariance - covariance).norm(), 1e-8);
    EXPECT_LT((predict_mean({}, s.covariance, s.x, s.observed().ldlt().solve(s.y), s.at) - mean).norm(), 1e-9);
}

TEST(DensePosterior, VariancesOfLanczosFallToTheExactOnesWithTheSteps) {
    const Setting s;
    const auto variances = [&](Index steps) {
        return DensePosterior::of_observations({}, s.covariance, s.x, s.y, steps).predict({}, s.at);
    };
    const auto exact = variances(0);
    Vector before = Vector::Constant(30, s.covariance.outputscale);
    for (const Index steps : {1, 5, 20, 50}) {
        const auto now = variances(steps);
        EXPECT_LT((now.mean - exact.mean).norm(), 1e-9);
        EXPECT_LE((now.variance - before).maxCoeff(), 1e-12) << steps;
        EXPECT_GE((now.variance - exact.variance).minCoeff(), -1e-9) << steps;
        before = now.variance;
    }
    EXPECT_LT((before - exact.variance).norm(), 1e-8) << "as many steps as observations";
    EXPECT_LT((variances(500).variance - exact.variance).norm(), 1e-8);
}

TEST(DensePosterior, DiagonalFactorIsTheSameAsItsMatrix) {
    const Setting s;
    const Vector mean = testing::random_vector(50, 4), scale = testing::random_vector(50, 5);
    const DensePosterior column({}, s.covariance, s.x, mean, scale), matrix({}, s.covariance, s.x, mean, Matrix(scale.asDiagonal()));
    EXPECT_LT((column.predict({}, s.at).variance - matrix.predict({}, s.at).variance).norm(), 1e-10);
    EXPECT_LT((column.joint({}, s.at).covariance - matrix.joint({}, s.at).covariance).norm(), 1e-10);
    EXPECT_LT((column.joint({}, s.at).covariance.diagonal() - column.predict({}, s.at).variance).norm(), 1e-10);
}

TEST(DensePosterior, SamplesHaveTheJointLawAndDoNotDependOnTheirNumber) {
    const Setting s;
    const auto posterior = DensePosterior::of_observations({}, s.covariance, s.x, s.y);
    const Points few = posterior.sample({.seed = 3}, s.at, 2), many = posterior.sample({.seed = 3}, s.at, 20000);
    EXPECT_LT((few - many.leftCols(2)).norm(), 1e-12);
    const auto joint = posterior.joint({}, s.at);
    const Vector mean = many.rowwise().mean();
    const Matrix deviations = many.colwise() - mean;
    // Standard errors are about sd / 141.
    EXPECT_LT((mean - joint.mean).cwiseAbs().maxCoeff(), 0.05);
    EXPECT_LT((deviations * deviations.transpose() / 20000 - joint.covariance).cwiseAbs().maxCoeff(), 0.08);
}

TEST(DensePosterior, TooManyPointsTogetherAreRefused) {
    const Setting s;
    const auto posterior = DensePosterior::of_observations({}, s.covariance, s.x, s.y);
    EXPECT_THROW(posterior.joint({}, Points::Zero(inference::kMostJointPoints + 1, 2)), InputError);
}

}  // namespace
}  // namespace vnngp::rivals
