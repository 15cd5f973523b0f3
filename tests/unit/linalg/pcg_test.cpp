#include "vnngp/linalg/pcg.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "support/dense_gp.hpp"

namespace vnngp::linalg {
namespace {

Eigen::MatrixXd spd(int n) {
    const Eigen::MatrixXd a = vnngp::testing::random_points(n, n, 41);
    Eigen::MatrixXd matrix = a * a.transpose() + Eigen::MatrixXd::Identity(n, n);
    for (int i = 0; i < n; ++i) {  // badly scaled: what the diagonal preconditioner is for
        matrix.row(i) *= std::pow(10.0, i % 4);
        matrix.col(i) *= std::pow(10.0, i % 4);
    }
    return matrix;
}

TEST(ConjugateGradients, SolveTheSystem) {
    const Eigen::MatrixXd a = spd(40);
    const Vector b = vnngp::testing::random_vector(40, 42);
    const auto result = conjugate_gradients([&](const Vector& x) { return Vector(a * x); }, a.diagonal(), b, 1e-10, 500);
    EXPECT_LT((a * result.solution - b).norm(), 1e-8 * b.norm());
    EXPECT_LT(result.iterations, 300);
    EXPECT_GT(result.iterations, 1);
}

TEST(ConjugateGradients, CutShortStillLowerTheEnergyAtEveryStep) {
    const Eigen::MatrixXd a = spd(40);
    const Vector b = vnngp::testing::random_vector(40, 43);
    double before = 0.0;
    for (int steps = 1; steps < 30; ++steps) {
        const Vector x = conjugate_gradients([&](const Vector& v) { return Vector(a * v); }, a.diagonal(), b, 0.0, steps).solution;
        const double energy = 0.5 * x.dot(a * x) - b.dot(x);
        EXPECT_LT(energy, before);
        before = energy;
    }
}

TEST(ConjugateGradients, OfAZeroRightSideAreZero) {
    const auto result = conjugate_gradients([](const Vector& x) { return x; }, Vector::Ones(3), Vector::Zero(3), 1e-8, 10);
    EXPECT_EQ(result.solution, Vector::Zero(3));
    EXPECT_EQ(result.iterations, 0);
}

}  // namespace
}  // namespace vnngp::linalg
