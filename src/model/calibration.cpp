#include "vnngp/model/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vnngp {
namespace {

constexpr double kFewestOutside = 10.0;                     ///< held-out observations that a tail is told from
constexpr double kTolerated = 0.01, kStandardErrors = 2.5;  ///< by which 95 % may be missed
constexpr double kSmallestHalf = 1e-15;                     ///< a probability that 1 can be told from its complement by

}  // namespace

Calibration calibrate(std::vector<double> tails) {
    const auto count = static_cast<double>(tails.size());
    if (0.05 * count < kFewestOutside || !std::all_of(tails.begin(), tails.end(), [](double tail) { return std::isfinite(tail); }))
        return {};
    std::sort(tails.begin(), tails.end());
    const auto outside = std::lower_bound(tails.begin(), tails.end(), 0.05) - tails.begin();
    if (std::abs(static_cast<double>(outside) / count - 0.05) <= std::max(kTolerated, kStandardErrors * std::sqrt(0.05 * 0.95 / count)))
        return {};
    Calibration calibration;
    for (const double tail : kCalibratedTails) {
        if (tail * count < kFewestOutside) break;
        // Of count + 1 observations, the next one among them, so many are outside.
        const auto place = static_cast<std::size_t>(tail * (count + 1.0)) - 1;
        calibration.model_tails.push_back(std::clamp(tails[place], std::numeric_limits<double>::min(), 1.0));
    }
    return calibration;
}

// Linear between the calibrated tails and 1 in their logarithms; beyond the last one in proportion to it.
double model_probability(const Calibration& calibration, double probability) {
    if (calibration.model_tails.empty() || probability == 0.5) return probability;
    const double tail = 2.0 * std::min(probability, 1.0 - probability);
    double from = 1.0, model_from = 1.0, share = -1.0;
    for (std::size_t i = 0; i < calibration.model_tails.size() && share < 0.0; ++i) {
        const double to = kCalibratedTails[i], model_to = calibration.model_tails[i];
        if (tail >= to) {
            share = std::log(tail / from) / std::log(to / from);
            model_from *= std::pow(model_to / model_from, share);
        } else {
            from = to;
            model_from = model_to;
        }
    }
    const double model_tail = share < 0.0 ? model_from * tail / from : model_from;
    const double half = std::max(0.5 * model_tail, kSmallestHalf);
    return probability < 0.5 ? half : 1.0 - half;
}

}  // namespace vnngp
