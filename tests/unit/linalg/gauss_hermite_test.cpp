#include "vnngp/linalg/gauss_hermite.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vnngp/base/error.hpp"

namespace vnngp::linalg {
namespace {

template <class Function>
double expectation(const Quadrature& rule, Function g) {
    double sum = 0.0;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) sum += rule.weights[k] * g(rule.nodes[k]);
    return sum;
}

TEST(GaussHermite, IsExactForPolynomialsUpToDegreeTwiceTheNodesMinusOne) {
    for (int n : {1, 2, 3, 7, 20, 41, 64}) {
        const Quadrature rule = gauss_hermite(n);
        double moment = 1.0;  // E Z^degree = (degree - 1)!!
        for (int degree = 0; degree < 2 * n; degree += 2) {
            if (degree > 0) moment *= degree - 1;
            EXPECT_NEAR(expectation(rule, [&](double z) { return std::pow(z, degree) / moment; }), 1.0, 1e-12)
                << n << " nodes, degree " << degree;
        }
        // Degree 2 n is beyond its reach: the error is n! / (2n-1)!! of the moment.
        const double missed = 1.0 - expectation(rule, [&](double z) { return std::pow(z, 2 * n) / (moment * (2 * n - 1)); });
        EXPECT_NEAR(missed, std::sqrt(std::numbers::pi) * std::exp(std::lgamma(n + 1.0) - std::lgamma(n + 0.5) - n * std::numbers::ln2),
                    1e-12);
    }
}

TEST(GaussHermite, ThreeNodesAreTheTextbookRule) {
    const Quadrature rule = gauss_hermite(3);
    EXPECT_NEAR(rule.nodes[2], std::sqrt(3.0), 1e-15);
    EXPECT_EQ(rule.nodes[1], 0.0);
    EXPECT_NEAR(rule.weights[0], 1.0 / 6.0, 1e-16);
    EXPECT_NEAR(rule.weights[1], 2.0 / 3.0, 1e-15);
}

TEST(GaussHermite, AgreesWithClosedForms) {
    const Quadrature rule = gauss_hermite(20);
    EXPECT_NEAR(expectation(rule, [](double z) { return std::exp(z); }), std::exp(0.5), 1e-13);
    EXPECT_NEAR(expectation(rule, [](double z) { return std::cos(z); }), std::exp(-0.5), 1e-13);
    EXPECT_NEAR(expectation(gauss_hermite(100), [](double z) { return 1.0 / (1.0 + z * z); }), 0.6556795424187985, 1e-7);
}

TEST(GaussHermite, IsSymmetricAscendingAndNormalized) {
    for (int n : {1, 4, 19, 100, 128}) {
        const Quadrature rule = gauss_hermite(n);
        ASSERT_EQ(int(rule.nodes.size()), n);
        for (int k = 0; k < n; ++k) {
            EXPECT_EQ(rule.nodes[k], -rule.nodes[n - 1 - k]);
            EXPECT_EQ(rule.weights[k], rule.weights[n - 1 - k]);
            EXPECT_GT(rule.weights[k], 0.0);
            if (k > 0) {
                EXPECT_GT(rule.nodes[k], rule.nodes[k - 1]);
            }
        }
        EXPECT_NEAR(expectation(rule, [](double) { return 1.0; }), 1.0, 1e-13);
    }
}

TEST(GaussHermite, RefusesImpossibleNumbersOfNodes) {
    EXPECT_THROW(gauss_hermite(0), InputError);
    EXPECT_THROW(gauss_hermite(-3), InputError);
    EXPECT_THROW(gauss_hermite(129), InputError);
}

}  // namespace
}  // namespace vnngp::linalg
