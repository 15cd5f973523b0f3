// Minimising a smooth function of a few numbers within bounds, by L-BFGS (NLopt).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vnngp::optim {

/// Returns the value at x and writes the derivatives.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct QuasiNewtonOptions {
    double tolerance = 1e-5;  ///< stops when an iteration changes the value by less
    int max_evaluations = 200;
};

struct QuasiNewtonResult {
    std::vector<double> x;  ///< the best point met
    double value = 0.0;
    int evaluations = 0;
    bool converged = false;
    std::string reason;  ///< why it stopped, for people
};

/// Exceptions thrown by the function are passed on.
QuasiNewtonResult minimize(const SmoothFunction& function, std::vector<double> start, std::span<const double> lower,
                           std::span<const double> upper, const QuasiNewtonOptions& options);

}  // namespace vnngp::optim
