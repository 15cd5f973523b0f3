#include "vnngp/linalg/lanes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "vnngp/base/random.hpp"

namespace vnngp::linalg {
namespace {

Eigen::MatrixXd random_spd(int n, RandomStream& stream) {
    Eigen::MatrixXd a(n, n);
    for (int i = 0; i < n * n; ++i) a.data()[i] = stream.normal();
    return a * a.transpose() + 0.1 * n * Eigen::MatrixXd::Identity(n, n);
}

struct Batch {
    int n;
    std::vector<Eigen::MatrixXd> matrices;
    LaneBuffer packed, inverse_diagonal, pivot;

    Batch(int order, std::uint64_t seed) : n(order), packed(packed_row(order) * kLanes), inverse_diagonal(order * kLanes), pivot(kLanes) {
        RandomStream stream(seed, StreamPurpose::test);
        for (int lane = 0; lane < kLanes; ++lane) {
            matrices.push_back(random_spd(n, stream));
            for (int p = 0; p < n; ++p)
                for (int q = 0; q <= p; ++q) packed[(packed_row(p) + q) * kLanes + lane] = matrices[lane](p, q);
        }
    }
    void factor() { batch_cholesky(n, packed.data(), inverse_diagonal.data(), pivot.data()); }
};

class BatchCholesky : public testing::TestWithParam<int> {};

TEST_P(BatchCholesky, EqualsEigenInEveryLane) {
    Batch batch(GetParam(), 11);
    batch.factor();
    for (int lane = 0; lane < kLanes; ++lane) {
        const Eigen::MatrixXd expected = batch.matrices[lane].llt().matrixL();
        EXPECT_NEAR(batch.pivot[lane], expected.diagonal().array().square().minCoeff(), 1e-9);
        for (int p = 0; p < batch.n; ++p) {
            EXPECT_NEAR(batch.inverse_diagonal[p * kLanes + lane] * expected(p, p), 1.0, 1e-12);
            for (int q = 0; q <= p; ++q) EXPECT_NEAR(batch.packed[(packed_row(p) + q) * kLanes + lane], expected(p, q), 1e-10);
        }
    }
}

TEST_P(BatchCholesky, SeveralSolvesAtOnceAreThoseOneByOneAndLeaveTheRestAlone) {
    Batch batch(GetParam(), 13);
    batch.factor();
    const int stride = batch.n + 3;
    RandomStream stream(6, StreamPurpose::test);
    for (const int count : {1, 2, 3, 4, 7}) {
        LaneBuffer forward(static_cast<std::size_t>(count) * stride * kLanes);
        for (double& value : forward) value = stream.normal();
        LaneBuffer backward = forward, alone_forward = forward, alone_backward = forward;
        const double *l = batch.packed.data(), *inverse = batch.inverse_diagonal.data();
        batch_forward_solves(batch.n, l, inverse, count, stride, forward.data());
        batch_backward_solves(batch.n, l, inverse, count, stride, backward.data());
        for (int c = 0; c < count; ++c) {
            batch_forward_solve(batch.n, l, inverse, alone_forward.data() + c * stride * kLanes);
            batch_backward_solve(batch.n, l, inverse, alone_backward.data() + c * stride * kLanes);
        }
        for (std::size_t i = 0; i < forward.size(); ++i) {
            EXPECT_NEAR(forward[i], alone_forward[i], 1e-11 * (1.0 + std::abs(alone_forward[i])));
            EXPECT_NEAR(backward[i], alone_backward[i], 1e-11 * (1.0 + std::abs(alone_backward[i])));
        }
    }
}

TEST_P(BatchCholesky, SolvesInvertTheMatrix) {
    Batch batch(GetParam(), 12);
    batch.factor();
    RandomStream stream(5, StreamPurpose::test);
    LaneBuffer x(batch.n * kLanes);
    for (double& value : x) value = stream.normal();
    const LaneBuffer right = x;
    batch_forward_solve(batch.n, batch.packed.data(), batch.inverse_diagonal.data(), x.data());
    batch_backward_solve(batch.n, batch.packed.data(), batch.inverse_diagonal.data(), x.data());
    for (int lane = 0; lane < kLanes; ++lane) {
        Eigen::VectorXd solution(batch.n), rhs(batch.n);
        for (int p = 0; p < batch.n; ++p) {
            solution[p] = x[p * kLanes + lane];
            rhs[p] = right[p * kLanes + lane];
        }
        EXPECT_LT((batch.matrices[lane] * solution - rhs).norm(), 1e-9 * rhs.norm());
    }
}

Eigen::MatrixXd lane_of(const LaneBuffer& packed, int n, int lane) {
    Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(n, n);
    for (int p = 0; p < n; ++p)
        for (int q = 0; q <= p; ++q) lower(p, q) = packed[(packed_row(p) + q) * kLanes + lane];
    return lower;
}

TEST_P(BatchCholesky, InverseAndSandwichEqualEigenInEveryLane) {
    Batch batch(GetParam(), 14);
    const int n = batch.n;
    batch.factor();
    const LaneBuffer factor = batch.packed;
    RandomStream stream(6, StreamPurpose::test);
    LaneBuffer s(n * kLanes), full(static_cast<std::size_t>(n) * full_stride(n) * kLanes), packed(batch.packed.size());
    for (double& value : s) value = stream.normal();
    batch_invert_factor(n, batch.packed.data(), batch.inverse_diagonal.data());
    batch_gram(n, batch.packed.data(), full.data());
    batch_sandwich(n, full.data(), s.data(), packed.data());
    for (int lane = 0; lane < kLanes; ++lane) {
        const Eigen::MatrixXd inverse = batch.matrices[lane].inverse(), identity = Eigen::MatrixXd::Identity(n, n);
        EXPECT_LT((lane_of(factor, n, lane) * lane_of(batch.packed, n, lane) - identity).cwiseAbs().maxCoeff(), 1e-11);
        Eigen::MatrixXd found(n, n);
        Eigen::VectorXd weights(n);
        for (int p = 0; p < n; ++p) {
            weights[p] = s[p * kLanes + lane];
            for (int q = 0; q < n; ++q) found(p, q) = full[(static_cast<std::size_t>(p) * full_stride(n) + q) * kLanes + lane];
        }
        EXPECT_LT((found - inverse).cwiseAbs().maxCoeff(), 1e-11);
        const Eigen::MatrixXd sandwich = (inverse * weights.asDiagonal() * inverse).triangularView<Eigen::Lower>();
        EXPECT_LT((lane_of(packed, n, lane) - sandwich).cwiseAbs().maxCoeff(), 1e-11);
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, BatchCholesky, testing::Values(4, 8, 12, 32, 64, 100, 160), testing::PrintToStringParamName());

TEST(BatchCholesky, ReportsTheFailingLaneAndLeavesTheOthersAlone) {
    Batch batch(16, 13);
    Batch good = batch;
    batch.packed[(packed_row(9) + 9) * kLanes + 3] = -1.0;
    batch.packed[(packed_row(5) + 5) * kLanes + 6] = std::numeric_limits<double>::quiet_NaN();
    batch.factor();
    good.factor();
    for (int lane = 0; lane < kLanes; ++lane) {
        if (lane == 3 || lane == 6) {
            EXPECT_FALSE(batch.pivot[lane] > 0);
            continue;
        }
        EXPECT_EQ(batch.pivot[lane], good.pivot[lane]);
        for (std::size_t e = lane; e < batch.packed.size(); e += kLanes) EXPECT_EQ(batch.packed[e], good.packed[e]);
    }
}

TEST(PaddedOrder, IsTheNextMultipleOfTheTile) {
    EXPECT_EQ(padded_order(0), 0);
    EXPECT_EQ(padded_order(1), 4);
    EXPECT_EQ(padded_order(32), 32);
    EXPECT_EQ(padded_order(33), 36);
}

}  // namespace
}  // namespace vnngp::linalg
