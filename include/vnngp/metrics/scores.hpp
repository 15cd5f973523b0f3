// Scores of predictions against what was observed. Pure functions of equally long spans; a mean over no points is NaN.
#pragma once

#include <optional>
#include <span>

namespace vnngp::metrics {

/// -mean of log p(y_i), in nats per point.
double mean_nll(std::span<const double> log_density);
double rmse(std::span<const double> y, std::span<const double> prediction);
double mae(std::span<const double> y, std::span<const double> prediction);
double mean_crps(std::span<const double> crps);

/// Share of y within [lower, upper], ends included.
double coverage(std::span<const double> y, std::span<const double> lower, std::span<const double> upper);
double mean_width(std::span<const double> lower, std::span<const double> upper);

/// Continuous ranked probability score of N(mean, sd^2) at y; |y - mean| for sd = 0. Gneiting & Raftery, JASA 102 (2007), eq. 21 with the
/// sign changed.
double gaussian_crps(double y, double mean, double sd);

/// Classes y in {0, 1} against the predicted probability of 1.
/// Share of points where the class with probability above 1/2 is not y; exactly 1/2 predicts 1.
double error_rate(std::span<const double> y, std::span<const double> probability);
/// Mean of (probability - y)^2.
double brier(std::span<const double> y, std::span<const double> probability);
/// Area under the ROC curve: the probability that a random 1 scores above a random 0, ties counting one half. Exact, O(n log n).
/// Empty when one of the classes is absent.
std::optional<double> auc(std::span<const double> y, std::span<const double> score);

}  // namespace vnngp::metrics
