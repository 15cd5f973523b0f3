#include "experiments/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vnngp::experiments::chart {
namespace {

constexpr double kTolerance = 1e-9;  // of a step: ticks on the very ends count

std::string number_label(double value) {
    if (value == 0.0) return "0";
    const double size = std::abs(value);
    if (size >= 1e6 || size < 1e-4) {
        const auto exponent = static_cast<int>(std::floor(std::log10(size) + kTolerance));
        const double mantissa = value / std::pow(10.0, exponent);
        return std::abs(mantissa - 1.0) < 1e-6 ? fmt::format("1e{}", exponent) : fmt::format("{:.3g}e{}", mantissa, exponent);
    }
    if (size >= 1e4 && std::fmod(size, 1000.0) == 0.0) return fmt::format("{:g}k", value / 1000.0);
    return fmt::format("{:.6g}", value);
}

std::vector<Tick> linear_ticks(const Range& range, int wanted) {
    const double rough = (range.high - range.low) / wanted;
    const double decade = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * decade;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * decade >= rough * (1.0 - kTolerance)) {
            step = factor * decade;
            break;
        }
    std::vector<Tick> found;
    const double first = std::ceil(range.low / step - kTolerance), last = std::floor(range.high / step + kTolerance);
    for (double i = first; i <= last; ++i) {
        const double value = i * step;
        found.push_back({value, number_label(std::abs(value) < step * kTolerance ? 0.0 : std::round(value / step * 10.0) / 10.0 * step)});
    }
    return found;
}

std::vector<Tick> log_ticks(const Range& range, int wanted) {
    const double low = std::log10(range.low), high = std::log10(range.high);
    const auto labelled_every = std::max(1, static_cast<int>(std::ceil((high - low) / wanted)));
    const bool label_within = high - low < 1.7;
    std::vector<Tick> found;
    for (int exponent = static_cast<int>(std::floor(low)); exponent <= static_cast<int>(std::ceil(high)); ++exponent)
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * std::pow(10.0, exponent);
            if (std::log10(value) < low - kTolerance || std::log10(value) > high + kTolerance) continue;
            const bool labelled = digit == 1 ? exponent % labelled_every == 0 : label_within && (digit == 2 || digit == 5);
            if (labelled || high - low < 5.0) found.push_back({value, labelled ? number_label(value) : ""});
        }
    return found;
}

}  // namespace

std::vector<Tick> ticks(Scale scale, const Range& range, int wanted) {
    return scale == Scale::log ? log_ticks(range, wanted) : linear_ticks(range, wanted);
}

Range padded(Scale scale, const Range& range, double share) {
    if (scale == Scale::log) {
        const Range exponents = padded(Scale::linear, {std::log10(range.low), std::log10(range.high)}, share);
        return {std::pow(10.0, exponents.low), std::pow(10.0, exponents.high)};
    }
    double width = range.high - range.low;
    if (!(width > 0.0)) width = std::max(1e-3, 0.2 * std::abs(range.low));
    return {range.low - share * width, range.high + share * width};
}

double position(Scale scale, const Range& range, double value) {
    if (scale == Scale::log) return std::log(value / range.low) / std::log(range.high / range.low);
    return (value - range.low) / (range.high - range.low);
}

}  // namespace vnngp::experiments::chart
