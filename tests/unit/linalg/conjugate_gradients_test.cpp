#include "vnngp/linalg/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "support/dense_gp.hpp"

namespace vnngp::linalg {
namespace {

using Eigen::MatrixXd;

MatrixXd spd(int n) {
    const MatrixXd a = vnngp::testing::random_points(n, n, 41);
    return a * a.transpose() + MatrixXd::Identity(n, n);
}

Operator times(const MatrixXd& matrix) {
    return [&matrix](const Vector& x, Vector& image) { image = matrix * x; };
}

class ConjugateGradients : public ::testing::Test {
protected:
    MatrixXd a = spd(40);
    Vector b = vnngp::testing::random_vector(40, 42), start = vnngp::testing::random_vector(40, 43), solution = a.llt().solve(b);
};

TEST_F(ConjugateGradients, SolveTheSystemFromAnywhere) {
    for (const Vector& from : {Vector(Vector::Zero(40)), start}) {
        const auto result = conjugate_gradients({}, times(a), b, from, 1e-10, 500);
        EXPECT_LT((a * result.x - b).norm(), 1e-8 * b.norm());
        EXPECT_LE(result.relative_residual, 1e-10);
        EXPECT_LT(result.iterations, 300);
        EXPECT_GT(result.iterations, 1);
    }
}

TEST_F(ConjugateGradients, TakeOneIterationForAMultipleOfTheIdentity) {
    const MatrixXd multiple = 17.0 * MatrixXd::Identity(40, 40);
    EXPECT_EQ(conjugate_gradients({}, times(multiple), b, start, 1e-6, 500).iterations, 1);
}

TEST_F(ConjugateGradients, TakeNoMoreIterationsThanThereAreEigenvalues) {
    Vector eigenvalues(40);
    for (int i = 0; i < 40; ++i) eigenvalues[i] = 1 + i % 4;
    const MatrixXd few = eigenvalues.asDiagonal();
    EXPECT_EQ(conjugate_gradients({}, times(few), b, start, 1e-10, 500).iterations, 4);
}

TEST_F(ConjugateGradients, StartedAtTheSolutionStayThere) {
    const auto result = conjugate_gradients({}, times(a), b, solution, 1e-6, 500);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.x, solution);
    EXPECT_LT(result.relative_residual, 1e-6);
}

TEST_F(ConjugateGradients, CutShortStillLowerTheEnergyAtEveryStep) {
    const auto energy = [&](const Vector& x) { return 0.5 * x.dot(a * x) - b.dot(x); };
    for (const Vector& from : {Vector(Vector::Zero(40)), start}) {
        double before = energy(from);
        for (int steps = 1; steps < 30; ++steps) {
            const auto result = conjugate_gradients({}, times(a), b, from, 0.0, steps);
            EXPECT_EQ(result.iterations, steps);
            EXPECT_LT(energy(result.x), before);
            before = energy(result.x);
        }
    }
}

TEST_F(ConjugateGradients, OfAZeroRightSideAreZero) {
    const auto result = conjugate_gradients({}, times(a), Vector::Zero(40), start, 1e-8, 10);
    EXPECT_EQ(result.x, Vector::Zero(40));
    EXPECT_EQ(result.iterations, 0);
}

TEST(LargeConjugateGradients, GiveIdenticalResultsOnOneAndTwoThreads) {
    const Eigen::Index count = 50000;
    const Vector diagonal = vnngp::testing::random_vector(count, 44).cwiseAbs().array() + 0.1, b = vnngp::testing::random_vector(count, 45);
    const auto solve = [&](int threads) {
        return conjugate_gradients(
            {.threads = threads}, [&](const Vector& x, Vector& image) { image = diagonal.cwiseProduct(x); }, b, Vector::Zero(count), 1e-8,
            500);
    };
    const auto one = solve(1), two = solve(2);
    EXPECT_EQ(one.iterations, two.iterations);
    EXPECT_EQ(one.x, two.x);
    EXPECT_LT((diagonal.cwiseProduct(one.x) - b).norm(), 1e-7 * b.norm());
}

}  // namespace
}  // namespace vnngp::linalg
