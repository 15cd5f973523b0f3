// What every likelihood must satisfy. Adding a likelihood: one line in kCases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "numerical_law.hpp"
#include "support/finite_difference.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::likelihood {
namespace {

using testing::derivative_disagreement;
using testing::NumericalLaw;

struct Case {
    std::string name;
    std::vector<std::vector<double>> parameters;
    std::vector<double> targets;
    std::vector<double> latent_variances;
    bool discrete;
};

void PrintTo(const Case& kase, std::ostream* out) { *out << kase.name; }

const std::vector<Case> kCases{
    {"gaussian", {{0.1}, {2.5}}, {-1.7, 0.0, 0.4, 8.0}, {0.0, 0.02, 0.7, 6.0}, false},
    {"student-t", {{0.1, 4.0}, {0.3, 1.3}, {0.02, 2.6}, {1.5, 60.0}}, {-1.7, 0.0, 0.4, 8.0}, {0.0, 0.02, 0.7, 6.0}, false},
    {"bernoulli", {{}}, {0.0, 1.0}, {0.0, 0.02, 0.95, 1.1, 30.0}, true},
    {"bernoulli-logit", {{}}, {0.0, 1.0}, {0.0, 0.02, 1.2, 1.3, 30.0}, true},
    {"poisson", {{}}, {0.0, 1.0, 3.0, 40.0}, {0.0, 1e-4, 0.05, 0.7}, true},
};

/// One point with everything that was asked of the likelihood there.
struct Setting {
    const Likelihood& likelihood;
    std::vector<double> parameters;
    double y, mean, variance;

    LatentMarginals latent() const { return {{&mean, 1}, {&variance, 1}}; }
    double expected_log_density() const {
        double value;
        likelihood.expected_log_density(parameters, {&y, 1}, latent(), {.value = {&value, 1}});
        return value;
    }
    double log_density() const {
        double value;
        likelihood.log_predictive_density(parameters, {&y, 1}, latent(), {&value, 1});
        return value;
    }
    double quantile(double p) const {
        double value;
        likelihood.predictive_quantile(parameters, p, latent(), {&value, 1});
        return value;
    }
    double cdf(double at) const {
        double value;
        likelihood.predictive_cdf(parameters, {&at, 1}, latent(), {&value, 1});
        return value;
    }
    double crps() const {
        double value;
        likelihood.crps(parameters, {&y, 1}, latent(), {&value, 1});
        return value;
    }
    NumericalLaw law(bool discrete) const { return {likelihood, parameters, mean, variance, discrete}; }
    std::string describe() const {
        std::string text = std::string(likelihood.name()) + " y=" + std::to_string(y) + " mean=" + std::to_string(mean) +
                           " variance=" + std::to_string(variance);
        for (double p : parameters) text += " parameter=" + std::to_string(p);
        return text;
    }
};

class LikelihoodContract : public ::testing::TestWithParam<Case> {
protected:
    const Case& kase = GetParam();
    std::unique_ptr<Likelihood> likelihood = make_likelihood(kase.name);

    template <class Check>
    void for_each_law(Check check) const {
        for (const auto& parameters : kase.parameters)
            for (double mean : {-2.0, 1.3})
                for (double variance : kase.latent_variances) {
                    const Setting at{*likelihood, parameters, kase.targets[0], mean, variance};
                    SCOPED_TRACE(at.describe());
                    check(at);
                }
    }
    template <class Check>
    void for_each_setting(Check check) const {
        for_each_law([&](Setting at) {
            for (double y : kase.targets) {
                at.y = y;
                SCOPED_TRACE(at.describe());
                check(at);
            }
        });
    }
};

INSTANTIATE_TEST_SUITE_P(All, LikelihoodContract, ::testing::ValuesIn(kCases), [](const auto& instance) {
    std::string name = instance.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(LikelihoodContractSuite, CoversEveryRegisteredLikelihood) {
    std::vector<std::string> covered;
    for (const Case& c : kCases) covered.push_back(c.name);
    EXPECT_EQ(covered, likelihood_names());
}

// P(Y < q_p) <= p <= P(Y <= q_p) for the quantiles of the law given f, within five standard errors.
TEST_P(LikelihoodContract, DrawsFollowTheLawTheyAreDrawnFrom) {
    constexpr int kDraws = 20000;
    const double f = 0.7, none = 0.0;
    RandomStream stream(9, StreamPurpose::test);
    std::vector<double> draws(kDraws);
    for (double& y : draws) y = likelihood->draw(kase.parameters[0], f, stream);
    for (const double p : {0.1, 0.5, 0.95}) {
        double quantile = 0.0;
        likelihood->predictive_quantile(kase.parameters[0], p, {{&f, 1}, {&none, 1}}, {&quantile, 1});
        const double error = 5.0 * std::sqrt(p * (1.0 - p) / kDraws);
        const auto below = std::count_if(draws.begin(), draws.end(), [&](double y) { return y < quantile; });
        const auto up_to = std::count_if(draws.begin(), draws.end(), [&](double y) { return y <= quantile; });
        EXPECT_LE(static_cast<double>(below) / kDraws, p + error);
        EXPECT_GE(static_cast<double>(up_to) / kDraws, p - error);
    }
}

TEST_P(LikelihoodContract, KnowsItsNameAndItsParameters) {
    EXPECT_EQ(likelihood->name(), kase.name);
    for (const auto& parameters : kase.parameters) EXPECT_EQ(parameters.size(), likelihood->parameters().size());
    for (const ParameterInfo& info : likelihood->parameters()) {
        EXPECT_FALSE(info.name.empty());
        EXPECT_GT(info.lower, 0.0);
        EXPECT_LT(info.lower, info.initial);
        EXPECT_LT(info.initial, info.upper);
    }
}

// Rounding in the differences allows 1e-8; quadrature and its derivative by E[second derivative]/2 agree better than that.
constexpr double kDerivativeTolerance = 1e-7;

TEST_P(LikelihoodContract, DerivativesMatchFiniteDifferences) {
    for_each_setting([&](const Setting& at) {
        double d_mean, d_variance;
        std::vector<double> d_parameters(at.parameters.size());
        at.likelihood.expected_log_density(at.parameters, {&at.y, 1}, at.latent(),
                                           {.d_mean = {&d_mean, 1}, .d_variance = {&d_variance, 1}, .d_log_parameters = d_parameters});
        const auto moved = [&](auto change) {
            Setting elsewhere = at;
            change(elsewhere);
            return elsewhere.expected_log_density();
        };
        const auto along_mean = [&](double x) { return moved([&](Setting& to) { to.mean = x; }); };
        EXPECT_EQ(derivative_disagreement(along_mean, at.mean, d_mean, kDerivativeTolerance), "") << "in the mean";
        if (at.variance > 0.0) {
            const auto along_variance = [&](double x) { return moved([&](Setting& to) { to.variance = x; }); };
            EXPECT_EQ(derivative_disagreement(along_variance, at.variance, d_variance, kDerivativeTolerance, 2e-3 * at.variance), "")
                << "in the variance";
        }
        for (std::size_t p = 0; p < at.parameters.size(); ++p) {
            const auto along_log = [&](double x) { return moved([&](Setting& to) { to.parameters[p] = std::exp(x); }); };
            EXPECT_EQ(derivative_disagreement(along_log, std::log(at.parameters[p]), d_parameters[p], kDerivativeTolerance), "")
                << "in log " << at.likelihood.parameters()[p].name;
        }
    });
}

TEST_P(LikelihoodContract, ABatchIsItsPointsAndUnwantedOutputsChangeNothing) {
    const auto& parameters = kase.parameters.back();
    std::vector<double> y, mean, variance;
    for (double m : {-1.0, 0.3, 2.0})
        for (double v : kase.latent_variances)
            for (double target : kase.targets) {
                y.push_back(target);
                mean.push_back(m);
                variance.push_back(v);
            }
    const std::size_t n = y.size(), num_parameters = parameters.size();
    std::vector<double> value(n), d_mean(n), d_variance(n), precision(n), d_parameters(n * num_parameters);
    const LatentMarginals f{mean, variance};
    likelihood->expected_log_density(parameters, y, f, {value, d_mean, d_variance, precision, d_parameters});
    std::vector<double> alone(n), alone_parameters(n * num_parameters);
    likelihood->expected_log_density(parameters, y, f, {.value = alone});
    EXPECT_EQ(alone, value);
    likelihood->expected_log_density(parameters, y, f, {.d_mean = alone});
    EXPECT_EQ(alone, d_mean);
    likelihood->expected_log_density(parameters, y, f, {.d_variance = alone});
    EXPECT_EQ(alone, d_variance);
    likelihood->expected_log_density(parameters, y, f, {.site_precision = alone});
    EXPECT_EQ(alone, precision);
    likelihood->expected_log_density(parameters, y, f, {.d_log_parameters = alone_parameters});
    EXPECT_EQ(alone_parameters, d_parameters);
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_EQ((Setting{*likelihood, parameters, y[i], mean[i], variance[i]}).expected_log_density(), value[i]);
}

TEST_P(LikelihoodContract, AnEmptyBatchIsFine) {
    const auto& parameters = kase.parameters[0];
    EXPECT_NO_THROW({
        likelihood->expected_log_density(parameters, {}, {}, {});
        likelihood->log_predictive_density(parameters, {}, {}, {});
        likelihood->predictive_moments(parameters, {}, {}, {});
        likelihood->predictive_quantile(parameters, 0.5, {}, {});
        likelihood->crps(parameters, {}, {}, {});
        likelihood->check_targets({}, [](std::size_t) { return std::string(); });
    });
    EXPECT_NEAR(likelihood->initial_mean({}), 0.0, 1e-15);
}

TEST_P(LikelihoodContract, PredictiveDensityDominatesItsJensenBoundAndMeetsItWithoutLatentVariance) {
    for_each_setting([&](const Setting& at) {
        if (at.variance == 0.0) {
            EXPECT_NEAR(at.log_density(), at.expected_log_density(), 1e-11 * (1.0 + std::abs(at.log_density())));
        } else {
            EXPECT_GT(at.log_density(), at.expected_log_density());
        }
    });
}

TEST_P(LikelihoodContract, PredictiveDensityHasMassOneAndTheStatedMoments) {
    for_each_law([&](const Setting& at) {
        const NumericalLaw law = at.law(kase.discrete);
        EXPECT_NEAR(law.mass(), 1.0, 1e-9);
        double mean, variance;
        at.likelihood.predictive_moments(at.parameters, at.latent(), {&mean, 1}, {&variance, 1});
        // Powers of a heavy tail converge slowly: the numerical side is cut where 2 - nu (and 1 - nu) have to bring it down.
        if (std::isfinite(variance)) {
            EXPECT_NEAR(law.mean(), mean, 1e-7 * (1.0 + std::abs(mean)));
            EXPECT_NEAR(law.variance(), variance, 1e-7 * (1.0 + variance));
        } else {
            EXPECT_EQ(variance, std::numeric_limits<double>::infinity());
            EXPECT_LE(at.parameters[1], 2.0) << "only Student-t with few degrees of freedom lacks a variance";
        }
    });
}

TEST_P(LikelihoodContract, QuantileInvertsTheDistributionFunction) {
    for_each_law([&](const Setting& at) {
        const NumericalLaw law = at.law(kase.discrete);
        for (double p : {0.001, 0.05, 0.37, 0.5, 0.8, 0.975}) {
            const double q = at.quantile(p);
            if (kase.discrete) {
                EXPECT_EQ(q, std::trunc(q));
                EXPECT_GE(law.cdf(q), p - 1e-8);
                EXPECT_LT(law.cdf(q - 1.0), p + 1e-8);
            } else {
                EXPECT_NEAR(law.cdf(q), p, 1e-9);
            }
        }
    });
    double q;
    for (double p : {0.0, 1.0, -0.1, std::nan("")})
        EXPECT_THROW(likelihood->predictive_quantile(kase.parameters[0], p, Setting{*likelihood, {}, 0, 0, 1}.latent(), {&q, 1}),
                     InputError);
}

TEST_P(LikelihoodContract, DistributionFunctionIsTheIntegratedDensity) {
    for_each_law([&](const Setting& at) {
        const NumericalLaw law = at.law(kase.discrete);
        for (double p : {0.01, 0.3, 0.5, 0.9}) {
            const double q = at.quantile(p);
            EXPECT_NEAR(at.cdf(q), law.cdf(q), 1e-8) << "at " << q;
            if (kase.discrete) {
                EXPECT_DOUBLE_EQ(at.cdf(q + 0.5), at.cdf(q)) << "at " << q;
            }
        }
        EXPECT_EQ(at.cdf(-1e9) < 1e-6, true);
        EXPECT_NEAR(at.cdf(1e9), 1.0, 1e-6);
    });
}

TEST_P(LikelihoodContract, CrpsIsTheIntegratedSquaredDistance) {
    for_each_law([&](Setting at) {
        const std::vector<double> numerical = at.law(kase.discrete).crps(kase.targets);
        for (std::size_t i = 0; i < kase.targets.size(); ++i) {
            at.y = kase.targets[i];
            EXPECT_NEAR(at.crps(), numerical[i], 3e-5 * (1e-3 + numerical[i])) << "y " << at.y;
        }
    });
}

TEST_P(LikelihoodContract, SitePrecisionIsACurvature) {
    for_each_setting([&](const Setting& at) {
        double d_variance, precision;
        at.likelihood.expected_log_density(at.parameters, {&at.y, 1}, at.latent(),
                                           {.d_variance = {&d_variance, 1}, .site_precision = {&precision, 1}});
        EXPECT_GT(precision, 0.0);
        if (kase.name != "student-t") {
            EXPECT_DOUBLE_EQ(precision, -2.0 * d_variance);
        }
    });
}

TEST_P(LikelihoodContract, StaysFiniteFarFromTheData) {
    std::vector<double> wild = kase.targets;
    if (!kase.discrete) wild.push_back(1e6);
    for (const auto& parameters : kase.parameters)
        for (double y : wild)
            for (double mean : {-1e3, -40.0, 0.0, 40.0, 1e3})
                for (double variance : {0.0, 1e-14, 1e-6, 1.0, 1e4}) {
                    const Setting at{*likelihood, parameters, y, mean, variance};
                    SCOPED_TRACE(at.describe());
                    double value, d_mean, d_variance, precision;
                    std::vector<double> d_parameters(parameters.size());
                    likelihood->expected_log_density(parameters, {&y, 1}, at.latent(),
                                                     {{&value, 1}, {&d_mean, 1}, {&d_variance, 1}, {&precision, 1}, d_parameters});
                    for (double result : {value, d_mean, d_variance, precision, at.log_density(), at.quantile(0.3)})
                        EXPECT_TRUE(std::isfinite(result)) << result;
                    for (double result : d_parameters) EXPECT_TRUE(std::isfinite(result));
                }
}

TEST_P(LikelihoodContract, NamesTheFirstUnusableTarget) {
    const auto row = [](std::size_t i) { return "line " + std::to_string(i + 2); };
    EXPECT_NO_THROW(likelihood->check_targets(kase.targets, row));
    std::vector<double> y = kase.targets;
    y.insert(y.begin() + 1, std::nan(""));
    try {
        likelihood->check_targets(y, row);
        FAIL() << "NaN was accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(kase.name), std::string::npos) << error.what();
    }
    y[1] = 0.5;
    if (kase.discrete) {
        EXPECT_THROW(likelihood->check_targets(y, row), InputError);
        y[1] = -1.0;
        EXPECT_THROW(likelihood->check_targets(y, row), InputError);
    } else {
        EXPECT_NO_THROW(likelihood->check_targets(y, row));
        y[1] = std::numeric_limits<double>::infinity();
        EXPECT_THROW(likelihood->check_targets(y, row), InputError);
    }
}

TEST_P(LikelihoodContract, ConstantTargetsGiveAFiniteStart) {
    for (double y : kase.targets) {
        const std::vector<double> constant(5, y);
        EXPECT_NO_THROW(likelihood->check_targets(constant, [](std::size_t) { return std::string(); }));
        EXPECT_TRUE(std::isfinite(likelihood->initial_mean(constant)));
    }
}

// What a Gaussian model is fitted to for a first guess must be usable as data and say as much as the targets do about their order.
TEST_P(LikelihoodContract, RoughLatentValuesAreFiniteAndOrderedLikeTheTargets) {
    std::vector<double> y = kase.targets;
    for (int copies = 0; copies < 3; ++copies) y.insert(y.end(), kase.targets.rbegin(), kase.targets.rend());
    const std::vector<double> latent = likelihood->rough_latent(y);
    ASSERT_EQ(latent.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_TRUE(std::isfinite(latent[i]));
        for (std::size_t j = 0; j < i; ++j) {
            if (y[i] == y[j]) {
                EXPECT_EQ(latent[i], latent[j]);
            } else {
                EXPECT_LE(y[i] < y[j] ? latent[i] : latent[j], y[i] < y[j] ? latent[j] : latent[i]);
            }
        }
    }
    EXPECT_LT(*std::min_element(latent.begin(), latent.end()), *std::max_element(latent.begin(), latent.end()));
    EXPECT_TRUE(likelihood->rough_latent({}).empty());
    for (double target : kase.targets)
        for (double value : likelihood->rough_latent(std::vector<double>(5, target))) EXPECT_TRUE(std::isfinite(value));
}

TEST(StudentT, RoughLatentValuesOfMostlyEqualTargetsFollowTheOthers) {
    std::vector<double> y(100, 0.0);
    for (int i = 0; i < 30; ++i) y[i] = 1.0 + 0.1 * i;
    y[40] = 1e9;
    const auto latent = make_likelihood("student-t")->rough_latent(y);
    EXPECT_LT(*std::max_element(latent.begin(), latent.end()), 50.0);
    EXPECT_EQ(latent[29], y[29]);
}

TEST(StudentT, RoughLatentValuesBoundTheInfluenceOfOutliers) {
    std::vector<double> y;
    for (int i = -40; i <= 40; ++i) y.push_back(0.05 * i);
    const auto likelihood = make_likelihood("student-t");
    const auto clean = likelihood->rough_latent(y);
    EXPECT_EQ(clean, y) << "the bulk stays as it is";
    std::vector<double> spoiled = y;
    spoiled.front() = -1e12;
    spoiled.back() = 1e9;
    const auto latent = likelihood->rough_latent(spoiled);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LE(std::abs(latent[i] - y[i]), 8.0);
    spoiled.back() = 1e15;
    EXPECT_EQ(likelihood->rough_latent(spoiled), latent) << "how far out makes no difference";
}

TEST(LikelihoodRegistry, OnlyGaussianNoiseIsGaussian) {
    for (const std::string& name : likelihood_names()) EXPECT_EQ(make_likelihood(name)->is_gaussian(), name == "gaussian");
}

TEST(LikelihoodRegistry, RefusesAnUnknownNameAndListsTheKnownOnes) {
    try {
        make_likelihood("gausian");
        FAIL() << "accepted";
    } catch (const InputError& error) {
        for (const std::string& name : likelihood_names())
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("gausian"), std::string::npos);
    }
}

}  // namespace
}  // namespace vnngp::likelihood
