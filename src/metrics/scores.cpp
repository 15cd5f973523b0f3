#include "vnngp/metrics/scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "vnngp/metrics/accumulator.hpp"

namespace vnngp::metrics {
namespace {

/// Mean of term(i), i < n; NaN for n = 0.
template <class Term>
double mean_of(std::size_t n, Term term) {
    if (n == 0) return std::numeric_limits<double>::quiet_NaN();
    CompensatedSum sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(term(i));
    return sum.value() / double(n);
}

}  // namespace

double mean_nll(std::span<const double> log_density) {
    return -mean_of(log_density.size(), [&](std::size_t i) { return log_density[i]; });
}

double rmse(std::span<const double> y, std::span<const double> prediction) {
    return std::sqrt(mean_of(y.size(), [&](std::size_t i) { return (y[i] - prediction[i]) * (y[i] - prediction[i]); }));
}

double mae(std::span<const double> y, std::span<const double> prediction) {
    return mean_of(y.size(), [&](std::size_t i) { return std::abs(y[i] - prediction[i]); });
}

double mean_crps(std::span<const double> crps) {
    return mean_of(crps.size(), [&](std::size_t i) { return crps[i]; });
}

double coverage(std::span<const double> y, std::span<const double> lower, std::span<const double> upper) {
    return mean_of(y.size(), [&](std::size_t i) { return lower[i] <= y[i] && y[i] <= upper[i] ? 1.0 : 0.0; });
}

double mean_width(std::span<const double> lower, std::span<const double> upper) {
    return mean_of(lower.size(), [&](std::size_t i) { return upper[i] - lower[i]; });
}

double gaussian_crps(double y, double mean, double sd) {
    if (!(sd > 0.0)) return std::abs(y - mean);
    const double z = (y - mean) / sd;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    return sd * (z * std::erf(z / std::numbers::sqrt2) + 2.0 * density - 1.0 / std::sqrt(std::numbers::pi));
}

double error_rate(std::span<const double> y, std::span<const double> probability) {
    return mean_of(y.size(), [&](std::size_t i) { return (probability[i] >= 0.5) != (y[i] > 0.5) ? 1.0 : 0.0; });
}

double brier(std::span<const double> y, std::span<const double> probability) {
    return mean_of(y.size(), [&](std::size_t i) { return (y[i] - probability[i]) * (y[i] - probability[i]); });
}

std::optional<double> auc(std::span<const double> y, std::span<const double> score) {
    std::vector<std::size_t> order(y.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
    // Twice the number of (0, 1) pairs in the right order, a tie counting 1: integers, so the result is exact.
    std::uint64_t zeros_below = 0, ones_below = 0, doubled = 0;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        std::uint64_t zeros = 0, ones = 0;
        for (; end < order.size() && score[order[end]] == score[order[begin]]; ++end) ++(y[order[end]] > 0.5 ? ones : zeros);
        doubled += ones * (2 * zeros_below + zeros);
        zeros_below += zeros;
        ones_below += ones;
    }
    if (zeros_below == 0 || ones_below == 0) return std::nullopt;
    return double(doubled) / (2.0 * double(zeros_below) * double(ones_below));
}

}  // namespace vnngp::metrics
