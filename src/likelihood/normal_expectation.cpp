#include "likelihood/normal_expectation.hpp"

#include <array>

namespace vnngp::likelihood {
namespace {

constexpr double kGaussHermiteRatio = 0.35;
constexpr int kGaussHermiteNodes = 20;
/// Trapezoids of step 0.5 2^-j serve ratios up to 0.5 2^j: the error is exp(-2 pi / (ratio step) + 1 / (2 ratio^2)).
constexpr int kNumTrapezoids = 6;

linalg::Quadrature trapezoid(double step) {
    constexpr double kReach = 8.75;  // the normal density there is 1e-17
    const int half = int(kReach / step);
    linalg::Quadrature rule;
    for (int k = -half; k <= half; ++k) {
        rule.nodes.push_back(k * step);
        rule.weights.push_back(step * normal_density(k * step));
    }
    return rule;
}

std::array<linalg::Quadrature, 1 + kNumTrapezoids> make_rules() {
    std::array<linalg::Quadrature, 1 + kNumTrapezoids> rules;
    rules[0] = linalg::gauss_hermite(kGaussHermiteNodes);
    for (int j = 0; j < kNumTrapezoids; ++j) rules[1 + j] = trapezoid(std::ldexp(0.5, -j));
    for (linalg::Quadrature& rule : rules) {
        const std::size_t padded = (rule.nodes.size() + kNodesAtOnce - 1) / kNodesAtOnce * kNodesAtOnce;
        rule.nodes.resize(padded, 0.0);
        rule.weights.resize(padded, 0.0);
    }
    return rules;
}

}  // namespace

const linalg::Quadrature& normal_rule(double sd, double singularity) {
    static const auto rules = make_rules();
    const double ratio = sd / singularity;
    if (ratio <= kGaussHermiteRatio) return rules[0];
    int j = 0;
    while (j + 1 < kNumTrapezoids && ratio > std::ldexp(0.5, j)) ++j;
    return rules[1 + j];
}

}  // namespace vnngp::likelihood
