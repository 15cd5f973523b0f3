#include "vnngp/optim/quasi_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace vnngp::optim {
namespace {

using Numbers = std::vector<double>;

const Numbers kNoLower(2, -1e3), kNoUpper(2, 1e3);

// Its valley is curved; the minimum 0 is at (1, 1).
double rosenbrock(std::span<const double> x, std::span<double> gradient) {
    const double across = x[1] - x[0] * x[0], along = 1.0 - x[0];
    gradient[0] = -400.0 * x[0] * across - 2.0 * along;
    gradient[1] = 200.0 * across;
    return 100.0 * across * across + along * along;
}

TEST(QuasiNewton, FindsTheMinimumAtTheEndOfACurvedValley) {
    const auto result = minimize(rosenbrock, {-1.2, 1.0}, kNoLower, kNoUpper, {.tolerance = 1e-16, .max_evaluations = 500});
    EXPECT_NEAR(result.x[0], 1.0, 1e-6);
    EXPECT_NEAR(result.x[1], 1.0, 1e-6);
    EXPECT_LT(result.value, 1e-12);
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_LT(result.evaluations, 100);
}

TEST(QuasiNewton, NeverLeavesTheBoundsAndReachesThem) {
    const Numbers lower{-2.0, -2.0}, upper{0.5, 2.0};
    const SmoothFunction watched = [&](std::span<const double> x, std::span<double> gradient) {
        for (std::size_t p = 0; p < 2; ++p) {
            EXPECT_GE(x[p], lower[p]);
            EXPECT_LE(x[p], upper[p]);
        }
        return rosenbrock(x, gradient);
    };
    // With x at most 0.5 the best is on the bound, and y = x^2 there.
    const auto result = minimize(watched, {-1.2, 1.0}, lower, upper, {.tolerance = 1e-14, .max_evaluations = 500});
    EXPECT_NEAR(result.x[0], 0.5, 1e-9);
    EXPECT_NEAR(result.x[1], 0.25, 1e-5);
    EXPECT_NEAR(result.value, 0.25, 1e-9);
    // A start beyond the bounds begins on them.
    minimize(watched, {7.0, -9.0}, lower, upper, {.tolerance = 1e-8, .max_evaluations = 500});
}

TEST(QuasiNewton, PassesExceptionsOn) {
    int calls = 0;
    const SmoothFunction failing = [&](std::span<const double> x, std::span<double> gradient) {
        if (++calls == 4) throw std::runtime_error("the fourth call");
        return rosenbrock(x, gradient);
    };
    EXPECT_THROW(minimize(failing, {-1.2, 1.0}, kNoLower, kNoUpper, {}), std::runtime_error);
    EXPECT_EQ(calls, 4) << "and asks no more";
}

TEST(QuasiNewton, HonoursTheLimitOfEvaluationsAndReturnsTheBestPointMet) {
    for (const int limit : {1, 2, 3, 7, 12}) {
        int calls = 0;
        double best = std::numeric_limits<double>::infinity();
        const SmoothFunction counted = [&](std::span<const double> x, std::span<double> gradient) {
            ++calls;
            const double value = rosenbrock(x, gradient);
            best = std::min(best, value);
            return value;
        };
        const auto result = minimize(counted, {-1.2, 1.0}, kNoLower, kNoUpper, {.tolerance = 1e-14, .max_evaluations = limit});
        EXPECT_EQ(calls, limit);
        EXPECT_EQ(result.evaluations, calls);
        EXPECT_EQ(result.value, best);
        Numbers unused(2);
        EXPECT_EQ(rosenbrock(result.x, unused), best) << "the value belongs to the point";
        EXPECT_FALSE(result.converged);
        EXPECT_EQ(result.reason, "the limit of evaluations was reached");
    }
}

TEST(QuasiNewton, StopsWhenAnIterationGainsLessThanTheTolerance) {
    const auto rough = minimize(rosenbrock, {-1.2, 1.0}, kNoLower, kNoUpper, {.tolerance = 1e-2, .max_evaluations = 500});
    const auto fine = minimize(rosenbrock, {-1.2, 1.0}, kNoLower, kNoUpper, {.tolerance = 1e-12, .max_evaluations = 500});
    EXPECT_LE(rough.evaluations, fine.evaluations);
    EXPECT_GE(rough.value, fine.value);
}

// As objectives per observation are: flat, known to a few digits, and a little better every time, since each evaluation goes on from what
// the last one has solved. Steps as short as such a gradient drown in that; what a bound stops at once makes them no longer.
TEST(QuasiNewton, AFlatAndRoughObjectiveIsNotMistakenForASettledOne) {
    for (const double slope_against_bound : {0.0, 1.0}) {
        int calls = 0;
        const SmoothFunction rough = [&](std::span<const double> x, std::span<double> gradient) {
            constexpr double kFlat = 1e-3, kUnsolved = 1e-4;
            gradient[0] = 2.0 * kFlat * (x[0] - 1.0);
            gradient[1] = 2.0 * kFlat * (x[1] + 1.0);
            gradient[2] = slope_against_bound;
            return kFlat * (std::pow(x[0] - 1.0, 2) + std::pow(x[1] + 1.0, 2)) + slope_against_bound * x[2] + kUnsolved / ++calls;
        };
        const Numbers lower{-9.0, -9.0, 0.0}, upper(3, 9.0);
        const auto result = minimize(rough, Numbers(3), lower, upper, {.tolerance = 1e-5, .max_evaluations = 100});
        EXPECT_NEAR(result.x[0], 1.0, 0.1) << slope_against_bound;
        EXPECT_NEAR(result.x[1], -1.0, 0.1) << slope_against_bound;
        EXPECT_TRUE(result.converged) << result.reason;
        EXPECT_LT(calls, 15);
    }
}

// The start is the minimum: nothing to do, and no failure.
TEST(QuasiNewton, StartedAtTheMinimumConvergesThere) {
    const auto result = minimize(rosenbrock, {1.0, 1.0}, kNoLower, kNoUpper, {});
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_EQ(result.value, 0.0);
    EXPECT_LE(result.evaluations, 3);
}

}  // namespace
}  // namespace vnngp::optim
