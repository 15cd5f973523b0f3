#include "vnngp/inference/parameters.hpp"

#include <gtest/gtest.h>

#include "small_problem.hpp"
#include "support/finite_difference.hpp"

namespace vnngp::inference {
namespace {

// Numbers of every size; the inverse of a logarithm is exact to rounding only.
Hyperparameters sizes() { return {{0.3, 40.0}, 1e-3, 0.02, -0.4, {5e-4, 3.5}, {0.2, -7.0}}; }

void expect_close(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13 * std::abs(b[i]));
}

class ParameterVectors : public ::testing::TestWithParam<std::pair<bool, bool>> {
protected:
    SmallProblem f = with_linear_mean(small_problem("student-t", Layout::one_per_site));
    Learned learned{.nugget = GetParam().first, .mean = GetParam().second};
    ParameterVector layout{f.problem, learned};
};

TEST_P(ParameterVectors, RoundTripAndLeaveAloneWhatIsNotLearned) {
    const Hyperparameters hyper = sizes();
    const auto raw = layout.raw(hyper);
    ASSERT_EQ(raw.size(), layout.size());
    EXPECT_EQ(raw.size(), 2u + 1u + 2u + (learned.nugget ? 1u : 0u) + (learned.mean ? 3u : 0u));
    Hyperparameters back{{}, 9.0, 8.0, 7.0, {}, {6.0, 5.0}};
    layout.assign(raw, back);
    expect_close(back.shape, hyper.shape);
    expect_close(back.likelihood, hyper.likelihood);
    EXPECT_DOUBLE_EQ(back.outputscale, hyper.outputscale);
    if (learned.nugget)
        EXPECT_DOUBLE_EQ(back.nugget, hyper.nugget);
    else
        EXPECT_EQ(back.nugget, 8.0);
    EXPECT_EQ(back.mean, learned.mean ? hyper.mean : 7.0);
    EXPECT_EQ(back.slopes, learned.mean ? hyper.slopes : (std::vector<double>{6.0, 5.0}));
}

TEST_P(ParameterVectors, DifferentiateTheBound) {
    ElboGradient derivatives(f.problem, false);
    full_elbo({}, f.problem, f.hyper, f.posterior, &derivatives);
    const auto bound = [&](std::span<const double> raw) {
        Hyperparameters hyper = f.hyper;
        layout.assign(raw, hyper);
        return full_elbo({}, f.problem, hyper, f.posterior);
    };
    testing::expect_gradient_matches(bound, layout.raw(f.hyper), layout.gradient(derivatives), 1e-7);
}

TEST_P(ParameterVectors, StayWithinTheirBounds) {
    for (const double wild : {-1e9, 1e9}) {
        std::vector<double> raw(layout.size(), wild), clamped = raw;
        layout.clamp(clamped);
        for (std::size_t p = 0; p < raw.size(); ++p) EXPECT_EQ(clamped[p], wild < 0 ? layout.lower()[p] : layout.upper()[p]);
        Hyperparameters from_wild = sizes(), from_clamped = sizes();
        layout.assign(raw, from_wild);
        layout.assign(clamped, from_clamped);
        EXPECT_EQ(from_wild.shape, from_clamped.shape);
        EXPECT_EQ(from_wild.nugget, from_clamped.nugget);
        EXPECT_GT(from_wild.outputscale, 0.0);
    }
    Hyperparameters none = sizes();
    none.nugget = 0.0;
    for (const double value : layout.raw(none)) EXPECT_TRUE(std::isfinite(value)) << "a learned nugget starts above zero";
}

INSTANTIATE_TEST_SUITE_P(NuggetAndMean, ParameterVectors,
                         ::testing::Values(std::pair{true, true}, std::pair{false, true}, std::pair{true, false}, std::pair{false, false}));

}  // namespace
}  // namespace vnngp::inference
