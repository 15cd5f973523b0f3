// The gradient checker is a judge: it must acquit the right and convict the wrong.
#include "support/finite_difference.hpp"

#include <array>
#include <cmath>

namespace vnngp::testing {
namespace {

double bowl(std::span<const double> x) { return std::sin(x[0]) * std::exp(x[1]) + x[0] * x[1]; }
constexpr std::array<double, 2> kAt{0.7, -1.3};
std::array<double, 2> bowl_gradient() {
    return {std::cos(kAt[0]) * std::exp(kAt[1]) + kAt[1], std::sin(kAt[0]) * std::exp(kAt[1]) + kAt[0]};
}

TEST(GradientChecker, AcceptsARightGradient) { expect_gradient_matches(bowl, kAt, bowl_gradient(), 1e-9); }

TEST(GradientChecker, CatchesAWrongSign) {
    auto liar = bowl_gradient();
    liar[1] = -liar[1];
    EXPECT_NE(gradient_disagreement(bowl, kAt, liar, 1e-6).find("coordinate 1"), std::string::npos);
}

TEST(GradientChecker, CatchesAFactorAndASmallError) {
    auto liar = bowl_gradient();
    liar[0] *= 2.0;
    EXPECT_NE(gradient_disagreement(bowl, kAt, liar, 1e-6), "");
    liar = bowl_gradient();
    liar[0] += 1e-4;
    EXPECT_NE(gradient_disagreement(bowl, kAt, liar, 1e-6), "");
}

TEST(GradientChecker, CatchesNaNAndAMissingCoordinate) {
    auto liar = bowl_gradient();
    liar[0] = std::nan("");
    EXPECT_NE(gradient_disagreement(bowl, kAt, liar, 1e-6), "");
    EXPECT_NE(gradient_disagreement(bowl, kAt, std::span<const double>(liar).first(1), 1e-6), "");
}

TEST(GradientChecker, IsOfFourthOrder) {
    const auto f = [](double x) { return std::exp(x); };
    const double coarse = std::abs(derivative(f, 0.0, 0.1) - 1.0), fine = std::abs(derivative(f, 0.0, 0.05) - 1.0);
    EXPECT_NEAR(coarse / fine, 16.0, 0.5);
}

}  // namespace
}  // namespace vnngp::testing
