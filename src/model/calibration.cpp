#include "vnngp/model/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace vnngp {
namespace {

constexpr std::size_t kFewest = 200;                        ///< observations: the 1 % tail then has two
constexpr double kTolerated = 0.01, kStandardErrors = 2.5;  ///< by which 95 % may be missed
constexpr double kSmallestTail = 1e-12;

}  // namespace

Calibration calibrate(std::vector<double> tails) {
    const auto count = static_cast<double>(tails.size());
    if (tails.size() < kFewest) return {};
    std::sort(tails.begin(), tails.end());
    const auto outside = std::lower_bound(tails.begin(), tails.end(), 0.05) - tails.begin();
    if (std::abs(static_cast<double>(outside) / count - 0.05) <= std::max(kTolerated, kStandardErrors * std::sqrt(0.05 * 0.95 / count)))
        return {};
    // As many held-out observations are outside as of count + 1 would be, the next one among them.
    Calibration calibration;
    for (const double tail : kCalibratedTails) {
        const auto place = static_cast<std::size_t>(tail * (count + 1.0)) - 1;
        calibration.model_tails.push_back(std::clamp(tails[place], kSmallestTail, 1.0));
    }
    return calibration;
}

// Linear between the calibrated tails and 1 in their logarithms; beyond the last one in proportion to it.
double model_probability(const Calibration& calibration, double probability) {
    if (calibration.model_tails.empty() || probability == 0.5) return probability;
    const double tail = 2.0 * std::min(probability, 1.0 - probability);
    double from = 1.0, model_from = 1.0, model_tail = 0.0;
    for (std::size_t i = 0; i < std::size(kCalibratedTails) && model_tail == 0.0; ++i) {
        const double to = kCalibratedTails[i], model_to = calibration.model_tails[i];
        if (tail >= to) {
            const double share = std::log(tail / from) / std::log(to / from);
            model_tail = model_from * std::pow(model_to / model_from, share);
        }
        from = to;
        model_from = model_to;
    }
    if (model_tail == 0.0) model_tail = model_from * tail / from;
    const double half = 0.5 * std::max(model_tail, kSmallestTail);
    return probability < 0.5 ? half : 1.0 - half;
}

}  // namespace vnngp
