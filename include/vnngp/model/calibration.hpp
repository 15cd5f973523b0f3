// Intervals that hold what they promise. Where the law of a model is too wide or too narrow for observations that were held out (a few
// misfits that widen it everywhere, noise of more than one scale), its central intervals are taken at other levels: those that the held-out
// observations ask for. Densities, moments and draws stay the model's own.
#pragma once

#include <vector>

namespace vnngp {

/// Probabilities of lying outside a central interval at which a calibration is kept.
inline constexpr double kCalibratedTails[] = {0.5, 0.2, 0.1, 0.05, 0.01};

struct Calibration {
    /// For the first of kCalibratedTails, as many as the held-out observations could tell, what the model has to be asked for instead;
    /// empty: the same.
    std::vector<double> model_tails;
};

/// tails: 2 min(F(y), 1 - F(y)) of held-out observations y, F the model's distribution function. Empty where the 95 % intervals already
/// hold close to 95 % of them, as far as so many can tell, and where there are too few.
Calibration calibrate(std::vector<double> tails);

/// The probability whose quantile of the model is the calibrated quantile at `probability`, in (0, 1). Never decreasing.
double model_probability(const Calibration& calibration, double probability);

}  // namespace vnngp
