// Where quadrature could fail: broad latent laws, far tails, large counts, limits with a closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likelihood/link_expectation.hpp"
#include "likelihood/normal_expectation.hpp"
#include "likelihood/poisson_lognormal.hpp"
#include "likelihood/scale_mixture.hpp"
#include "likelihood/special_functions.hpp"
#include "support/finite_difference.hpp"
#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::likelihood {
namespace {

double expected(const std::string& name, std::span<const double> parameters, double y, double mean, double variance) {
    double value;
    make_likelihood(name)->expected_log_density(parameters, {&y, 1}, {{&mean, 1}, {&variance, 1}}, {.value = {&value, 1}});
    return value;
}

double log_predictive(const std::string& name, std::span<const double> parameters, double y, double mean, double variance) {
    double value;
    make_likelihood(name)->log_predictive_density(parameters, {&y, 1}, {{&mean, 1}, {&variance, 1}}, {&value, 1});
    return value;
}

/// E g(N(mean, variance)) by 200,000 trapezoids.
template <class Function>
double brute_force(Function g, double mean, double variance) {
    constexpr double kStep = 1e-4;
    double sum = 0.0;
    for (int k = -100000; k <= 100000; ++k) sum += kStep * normal_density(k * kStep) * g(mean + std::sqrt(variance) * k * kStep);
    return sum;
}

double log_student_t(double residual, double scale, double nu) {
    return std::lgamma(0.5 * (nu + 1.0)) - std::lgamma(0.5 * nu) - 0.5 * std::log(std::numbers::pi * nu * scale) -
           0.5 * (nu + 1.0) * std::log1p(residual * residual / (nu * scale));
}

TEST(StudentT, ExpectedLogDensityIsAccurateAtAnyRatioOfLatentVarianceToScale) {
    for (double variance : {1e-6, 0.1, 1.0, 30.0, 1e3})
        for (double nu : {1.1, 4.0, 50.0})
            for (double y : {0.0, 1.0, 25.0}) {
                const std::vector<double> parameters{0.3, nu};
                const double brute = brute_force([&](double f) { return log_student_t(y - f, 0.3, nu); }, 0.2, variance);
                EXPECT_NEAR(expected("student-t", parameters, y, 0.2, variance), brute, 1e-10 * (1.0 + std::abs(brute)))
                    << "variance " << variance << " nu " << nu << " y " << y;
            }
}

TEST(StudentT, BecomesGaussianWithManyDegreesOfFreedom) {
    const std::vector<double> many{0.5, 1e4}, noise{0.5};
    EXPECT_NEAR(expected("student-t", many, 0.9, 0.1, 0.4), expected("gaussian", noise, 0.9, 0.1, 0.4), 1e-3);
    EXPECT_NEAR(log_predictive("student-t", many, 0.9, 0.1, 0.4), log_predictive("gaussian", noise, 0.9, 0.1, 0.4), 1e-3);
}

TEST(StudentT, PredictiveDensityIsTheTDensityWithoutLatentVarianceAlsoFarOut) {
    for (double nu : {1.01, 3.0, 40.0, 1e4})
        for (double y : {0.0, 0.5, 30.0, 1e5}) {
            const double exact = log_student_t(y, 0.2, nu);
            EXPECT_NEAR(log_predictive("student-t", std::vector<double>{0.2, nu}, y, 0.0, 0.0), exact, 1e-10 * (1.0 + std::abs(exact)))
                << "nu " << nu << " y " << y;
        }
}

TEST(StudentT, PredictiveDensityIsAConvolution) {
    for (double variance : {0.01, 1.0, 100.0})
        for (double y : {0.0, 3.0, 80.0}) {
            const double brute = std::log(brute_force([&](double f) { return std::exp(log_student_t(y - f, 0.2, 3.0)); }, 0.0, variance));
            EXPECT_NEAR(log_predictive("student-t", std::vector<double>{0.2, 3.0}, y, 0.0, variance), brute, 1e-9)
                << "variance " << variance << " y " << y;
        }
}

TEST(StudentT, CauchyQuantilesAreTangents) {
    const ScaleMixture cauchy(4.0, 1.0);
    EXPECT_EQ(cauchy.quantile(0.5, 0.0), 0.0);
    for (double p : {1e-5, 0.01, 0.25, 0.9, 0.9999})
        EXPECT_NEAR(cauchy.quantile(p, 0.0) / (2.0 * std::tan(std::numbers::pi * (p - 0.5))), 1.0, 1e-9) << p;
}

TEST(Bernoulli, ExpectedLogDensityIsAccurateForBroadLatentLaws) {
    for (double variance : {0.5, 0.97, 1.2, 5.0, 80.0, 900.0})
        for (double mean : {-3.0, 0.0, 2.0}) {
            const double probit = brute_force([](double f) { return log_normal_cdf(f).value; }, mean, variance);
            EXPECT_NEAR(expected("bernoulli", {}, 1.0, mean, variance), probit, 1e-9 * (1.0 + std::abs(probit))) << variance << " " << mean;
            const double logit = brute_force([](double f) { return log_logistic(f).value; }, mean, variance);
            EXPECT_NEAR(expected("bernoulli-logit", {}, 1.0, mean, variance), logit, 1e-9 * (1.0 + std::abs(logit)))
                << variance << " " << mean;
        }
}

TEST(Bernoulli, LinksSideBySideAreThoseOneByOne) {
    // A rule whose k-th node alone weighs anything gives the function there, whatever its lane.
    double x[] = {-1e8, -3e3, -50.001, -49.999, -38.0, -9.0, -5.0, -1.0, -1e-9, 0.0, 1e-9, 0.5, 4.0, 9.0, 26.0, 37.0, 1e4};
    std::size_t k = 0;
    for (const double at : x) {
        linalg::Quadrature rule{std::vector<double>(kNodesAtOnce, 3.0), std::vector<double>(kNodesAtOnce, 0.0)};
        rule.nodes[k] = at / 2.0 - 1.0;
        rule.weights[k] = 1.0;
        k = (k + 1) % kNodesAtOnce;
        const ValueAndDerivatives links[][2] = {{expected_log_normal_cdf(rule, 2.0, 2.0), log_normal_cdf(at)},
                                                {expected_log_logistic(rule, 2.0, 2.0), log_logistic(at)}};
        for (const auto& [lanes, scalar] : links) {
            // What x loses when it is put together from mean and node, times the slope, is no error of the function.
            const double rounding = 1e-15 * (1.0 + std::abs(at));
            EXPECT_NEAR(lanes.value, scalar.value, 2e-15 * std::abs(scalar.value) + rounding * scalar.first) << at;
            EXPECT_NEAR(lanes.first, scalar.first, (2e-15 + rounding * (1.0 + std::abs(at))) * scalar.first) << at;
            EXPECT_NEAR(lanes.second, scalar.second, (1e-12 + rounding * (1.0 + std::abs(at))) * std::abs(scalar.second)) << at;
        }
    }
}

TEST(Bernoulli, PredictiveLogitKeepsRelativeAccuracyInTheTail) {
    // For very negative f the logistic function is e^f, whose expectation is exp(mean + variance/2).
    EXPECT_NEAR(log_predictive("bernoulli-logit", {}, 1.0, -60.0, 9.0), -60.0 + 4.5, 1e-10);
    EXPECT_NEAR(std::exp(log_predictive("bernoulli-logit", {}, 1.0, 0.0, 25.0)), 0.5, 1e-13);
    const double brute = brute_force([](double f) { return 1.0 / (1.0 + std::exp(-f)); }, -1.5, 6.0);
    EXPECT_NEAR(std::exp(log_predictive("bernoulli-logit", {}, 1.0, -1.5, 6.0)), brute, 1e-12);
}

TEST(Poisson, AnOverlongStepMeetsFiniteValuesAndSlopesThatLeadBack) {
    const double y = 3.0, variance = 2.0, mean = 500.0;
    double d_mean, d_variance;
    make_likelihood("poisson")->expected_log_density({}, {&y, 1}, {{&mean, 1}, {&variance, 1}},
                                                     {.d_mean = {&d_mean, 1}, .d_variance = {&d_variance, 1}});
    EXPECT_LT(d_mean, 0.0);
    const auto along_mean = [&](double x) { return expected("poisson", {}, y, x, variance); };
    const auto along_variance = [&](double x) { return expected("poisson", {}, y, mean, x); };
    testing::expect_derivative_matches(along_mean, mean, d_mean, 1e-9, 1.0);
    testing::expect_derivative_matches(along_variance, variance, d_variance, 1e-9, 0.5);
    EXPECT_NEAR(along_mean(59.0 + 1e-9) / along_mean(59.0 - 1e-9), 1.0, 1e-8) << "the tangent takes over continuously";
}

TEST(PoissonLogNormal, ProbabilitiesMatchBruteForce) {
    for (double variance : {1e-3, 0.3, 4.0})
        for (double count : {0.0, 2.0, 30.0, 3000.0})
            for (double mean : {-3.0, 1.0, 5.0, 8.0}) {
                const auto poisson = [&](double f) { return std::exp(count * f - std::exp(f) - std::lgamma(count + 1.0)); };
                const double brute = brute_force(poisson, mean, variance);
                if (brute < 1e-18) continue;  // beyond the reach of +-10 standard deviations
                EXPECT_NEAR(PoissonLogNormal(mean, variance).log_probability(count), std::log(brute), 1e-9)
                    << mean << " " << variance << " " << count;
            }
}

TEST(PoissonLogNormal, DistributionFunctionAddsUpTheProbabilities) {
    for (double variance : {0.0, 1e-5, 1e-3, 0.09, 1.0})
        for (double mean : {-1.0, 2.5, 6.5, 7.5}) {
            const PoissonLogNormal law(mean, variance);
            double sum = 0.0;
            for (double k = 0.0; k < 2500.0; k += 1.0) {
                sum += std::exp(law.log_probability(k));
                if (std::fmod(k, 97.0) == 0.0 || k < 3.0) {
                    EXPECT_NEAR(law.cdf(k), sum, 1e-8) << mean << " " << variance << " " << k;
                }
            }
        }
}

TEST(PoissonLogNormal, CrpsOfLargeCountsMatchesTheFullSum) {
    for (double mean : {4.0, 6.5, 8.5})
        for (double variance : {1e-4, 0.01, 0.2}) {
            const PoissonLogNormal law(mean, variance);
            const double last = law.quantile(1.0 - 1e-9);
            for (double z : {-2.0, 0.3, 3.0}) {
                const double count = std::floor(std::exp(mean + z * std::sqrt(variance + std::exp(-mean))));
                double sum = 0.0;
                for (double k = 0.0; k <= last || k <= count; k += 1.0) sum += std::pow(law.cdf(k) - (k >= count ? 1.0 : 0.0), 2);
                EXPECT_NEAR(law.crps(count) / sum, 1.0, 1e-6) << mean << " " << variance << " " << count;
            }
        }
}

TEST(SpecialFunctions, AgreeWithTheStandardLibraryAndWithKnownValues) {
    for (double x : {1e-3, 0.3, 1.0, 2.0, 7.7, 11.9, 12.1, 400.0, 1e7}) {
        EXPECT_NEAR(log_gamma(x), std::lgamma(x), 3e-15 * (1.0 + std::abs(std::lgamma(x)) + x)) << x;
        const double h = 1e-3 * x;
        EXPECT_NEAR(digamma(x),
                    (8 * (std::lgamma(x + h) - std::lgamma(x - h)) - (std::lgamma(x + 2 * h) - std::lgamma(x - 2 * h))) / (12 * h),
                    1e-8 * (1.0 + std::abs(digamma(x))))
            << x;
    }
    EXPECT_NEAR(digamma(1.0), -std::numbers::egamma, 1e-14);
    EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
    EXPECT_EQ(normal_quantile(0.5), 0.0);
    for (double p : {1e-300, 1e-12, 0.02, 0.4, 0.77, 1.0 - 1e-12}) EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1.0, 1e-12) << p;
}

TEST(SpecialFunctions, LogNormalCdfIsSmoothAcrossItsFormulas) {
    // log Phi(-40) = log(7.3e-351...) lies below the smallest double; the value is from the asymptotic series.
    EXPECT_NEAR(log_normal_cdf(-40.0).value, -804.6084420137538, 1e-10);
    EXPECT_NEAR(log_normal_cdf(9.0).value, -1.1285884059538408e-19, 1e-30);
    for (double x : {-1e8, -40.0, -5.0, -4.999999, -1.0, 0.0, 3.0, 30.0}) {
        const ValueAndDerivatives at = log_normal_cdf(x);
        EXPECT_LE(at.second, 0.0);
        EXPECT_GE(at.second, -1.0 - 1e-12);
        EXPECT_GE(at.first, 0.0);
    }
    const ValueAndDerivatives left = log_normal_cdf(std::nextafter(-5.0, -6.0)), right = log_normal_cdf(std::nextafter(-5.0, 0.0));
    EXPECT_NEAR(left.value, right.value, 1e-13);
    EXPECT_NEAR(left.first, right.first, 1e-12);
    EXPECT_NEAR(left.second, right.second, 1e-11);
}

}  // namespace
}  // namespace vnngp::likelihood
