#include "vnngp/linalg/pcg.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "support/dense_gp.hpp"

namespace vnngp::linalg {
namespace {

using Eigen::MatrixXd;

MatrixXd spd(int n) {
    const MatrixXd a = vnngp::testing::random_points(n, n, 41);
    MatrixXd matrix = a * a.transpose() + MatrixXd::Identity(n, n);
    for (int i = 0; i < n; ++i) {  // badly scaled: what a preconditioner is for
        matrix.row(i) *= std::pow(10.0, i % 4);
        matrix.col(i) *= std::pow(10.0, i % 4);
    }
    return matrix;
}

Operator times(const MatrixXd& matrix) {
    return [&matrix](const Vector& x) { return Vector(matrix * x); };
}

class ConjugateGradients : public ::testing::Test {
protected:
    MatrixXd a = spd(40);
    MatrixXd inverse_diagonal = a.diagonal().cwiseInverse().asDiagonal();
    Vector b = vnngp::testing::random_vector(40, 42), start = vnngp::testing::random_vector(40, 43), solution = a.llt().solve(b);
};

TEST_F(ConjugateGradients, SolveTheSystemFromAnywhere) {
    for (const Vector& from : {Vector(Vector::Zero(40)), start}) {
        const auto result = conjugate_gradients(times(a), times(inverse_diagonal), b, from, 1e-10, 500);
        EXPECT_LT((a * result.solution - b).norm(), 1e-8 * b.norm());
        EXPECT_LE(result.relative_residual, 1e-10);
        EXPECT_LT(result.iterations, 300);
        EXPECT_GT(result.iterations, 1);
    }
}

TEST_F(ConjugateGradients, WithTheExactInverseTakeOneIteration) {
    const MatrixXd inverse = a.inverse();
    EXPECT_EQ(conjugate_gradients(times(a), times(inverse), b, start, 1e-6, 500).iterations, 1);
    // A multiple of it is as good: the length of the step is found.
    const MatrixXd multiple = 17.0 * inverse;
    EXPECT_EQ(conjugate_gradients(times(a), times(multiple), b, start, 1e-6, 500).iterations, 1);
}

TEST_F(ConjugateGradients, StartedAtTheSolutionStayThere) {
    const auto result = conjugate_gradients(times(a), times(inverse_diagonal), b, solution, 1e-6, 500);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.solution, solution);
    EXPECT_LT(result.relative_residual, 1e-6);
}

TEST_F(ConjugateGradients, CutShortStillLowerTheEnergyAtEveryStep) {
    const auto energy = [&](const Vector& x) { return 0.5 * x.dot(a * x) - b.dot(x); };
    for (const Vector& from : {Vector(Vector::Zero(40)), start}) {
        double before = energy(from);
        for (int steps = 1; steps < 30; ++steps) {
            const auto result = conjugate_gradients(times(a), times(inverse_diagonal), b, from, 0.0, steps);
            EXPECT_EQ(result.iterations, steps);
            EXPECT_LT(energy(result.solution), before);
            before = energy(result.solution);
        }
    }
}

TEST_F(ConjugateGradients, OfAZeroRightSideAreZero) {
    const auto result = conjugate_gradients(times(a), times(inverse_diagonal), Vector::Zero(40), start, 1e-8, 10);
    EXPECT_EQ(result.solution, Vector::Zero(40));
    EXPECT_EQ(result.iterations, 0);
}

}  // namespace
}  // namespace vnngp::linalg
