// Checks a gradient against central differences of fourth order. The checker is itself tested on gradients that are wrong
// (tests/unit/likelihood/finite_difference_test.cpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vnngp::testing {

/// df/dx by the five-point stencil: error O(step^4 f^(5)) + O(rounding of f / step).
template <class Function>
double derivative(const Function& f, double x, double step) {
    return (8.0 * (f(x + step) - f(x - step)) - (f(x + 2.0 * step) - f(x - 2.0 * step))) / (12.0 * step);
}

/// Empty when |claimed - difference| <= tolerance * max(1, |difference|); otherwise what disagrees.
template <class Function>
std::string derivative_disagreement(const Function& f, double x, double claimed, double tolerance, double step = 1e-3) {
    const double difference = derivative(f, x, step);
    if (std::abs(claimed - difference) <= tolerance * std::max(1.0, std::abs(difference))) return {};
    return "at " + std::to_string(x) + " the claimed derivative is " + std::to_string(claimed) + ", finite differences give " +
           std::to_string(difference) + " (off by " + std::to_string(std::abs(claimed - difference) / tolerance) + " tolerances)";
}

/// f takes a std::span<const double>; gradient[i] claims df/dx_i. The step of coordinate i is relative_step * max(1, |x_i|).
/// Empty when all agree; otherwise a line for each coordinate that does not.
template <class Function>
std::string gradient_disagreement(const Function& f, std::span<const double> x, std::span<const double> gradient, double tolerance,
                                  double relative_step = 1e-3) {
    if (x.size() != gradient.size())
        return "the gradient has " + std::to_string(gradient.size()) + " entries for " + std::to_string(x.size());
    std::string report;
    std::vector<double> at(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto along = [&](double value) {
            at[i] = value;
            return f(std::span<const double>(at));
        };
        const std::string line =
            derivative_disagreement(along, x[i], gradient[i], tolerance, relative_step * std::max(1.0, std::abs(x[i])));
        at[i] = x[i];
        if (!line.empty()) report += "coordinate " + std::to_string(i) + ": " + line + "\n";
    }
    return report;
}

template <class Function>
void expect_derivative_matches(const Function& f, double x, double claimed, double tolerance, double step = 1e-3) {
    EXPECT_EQ(derivative_disagreement(f, x, claimed, tolerance, step), "");
}

template <class Function>
void expect_gradient_matches(const Function& f, std::span<const double> x, std::span<const double> gradient, double tolerance,
                             double relative_step = 1e-3) {
    EXPECT_EQ(gradient_disagreement(f, x, gradient, tolerance, relative_step), "");
}

}  // namespace vnngp::testing
