// Scores of predictions that arrive in blocks. Sums are compensated: how the points were cut into blocks does not show in the results.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vnngp::metrics {

/// A sum of doubles whose rounding error does not grow with their number (Neumaier).
class CompensatedSum {
public:
    void add(double term);
    double value() const { return sum_ + correction_; }

private:
    double sum_ = 0.0;
    double correction_ = 0.0;
};

/// Predictions of a block of points and what was observed there; equally long spans.
struct RegressionBlock {
    std::span<const double> y;
    std::span<const double> mean;
    std::span<const double> log_density;  ///< of y_i under its predictive law
    std::span<const double> crps;
    std::span<const double> lower;  ///< ends of the interval whose coverage is reported
    std::span<const double> upper;
};

/// As in scores.hpp; NaN when there are no points.
struct RegressionScores {
    std::int64_t n = 0;
    double nll;
    double rmse;
    double mae;
    double crps;
    double coverage;
    double interval_width;
};

/// Constant memory.
class ScoreAccumulator {
public:
    void add(const RegressionBlock& block);
    RegressionScores scores() const;

private:
    std::int64_t n_ = 0;
    std::int64_t covered_ = 0;
    CompensatedSum log_density_, squared_error_, absolute_error_, crps_, width_;
};

struct ClassificationBlock {
    std::span<const double> y;            ///< 0 or 1
    std::span<const double> probability;  ///< of 1
    std::span<const double> log_density;  ///< log probability of y_i
};

struct ClassificationScores {
    std::int64_t n = 0;
    double nll;
    double error_rate;
    double brier;
    std::optional<double> auc;  ///< empty when a class is absent
};

/// Keeps 16 bytes a point: the AUC compares every point with every other.
class ClassificationAccumulator {
public:
    void add(const ClassificationBlock& block);
    ClassificationScores scores() const;

private:
    CompensatedSum log_density_;
    std::vector<double> y_, probability_;
};

}  // namespace vnngp::metrics
