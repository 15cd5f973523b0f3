// Expected log densities against values of an independent implementation (adaptive quadrature), stated accurate to 1e-10, derivatives to
// 1e-6.
#include <gtest/gtest.h>

#include <map>

#include "support/oracle.hpp"
#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::likelihood {
namespace {

struct Named {
    std::string name;
    std::vector<double> parameters;
};

const std::map<std::string, Named> kNames{
    {"bernoulli-probit", {"bernoulli", {}}},     {"bernoulli-logit", {"bernoulli-logit", {}}},
    {"poisson-log-link", {"poisson", {}}},       {"student-t nu=4 scale2=0.3", {"student-t", {0.3, 4.0}}},
    {"gaussian noise=0.3", {"gaussian", {0.3}}},
};

TEST(ExpectedLogDensity, AgreesWithTheOracle) {
    const auto& cases = testing::oracle().at("expected_log_likelihood").at("cases");
    EXPECT_EQ(cases.size(), 15u);
    for (const auto& kase : cases) {
        SCOPED_TRACE(kase.dump());
        const Named& named = kNames.at(kase.at("likelihood"));
        const double y = kase.at("y"), mean = kase.at("mean"), variance = kase.at("variance");
        double value, d_mean, d_variance;
        make_likelihood(named.name)
            ->expected_log_density(named.parameters, {&y, 1}, {{&mean, 1}, {&variance, 1}}, {{&value, 1}, {&d_mean, 1}, {&d_variance, 1}});
        EXPECT_NEAR(value, kase.at("ell").get<double>(), 2e-9);
        EXPECT_NEAR(d_mean, kase.at("d_mean").get<double>(), 1e-6);
        EXPECT_NEAR(d_variance, kase.at("d_variance").get<double>(), 1e-6);
    }
}

}  // namespace
}  // namespace vnngp::likelihood
