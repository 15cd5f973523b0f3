#include "vnngp/metrics/accumulator.hpp"

#include <cmath>
#include <limits>

#include "vnngp/metrics/scores.hpp"

namespace vnngp::metrics {

void CompensatedSum::add(double term) {
    const double next = sum_ + term;
    // An infinite term makes the sum infinite; its "rounding error" would turn that into NaN.
    if (std::isfinite(next)) correction_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
}

void ScoreAccumulator::add(const RegressionBlock& block) {
    for (std::size_t i = 0; i < block.y.size(); ++i) {
        const double error = block.y[i] - block.mean[i];
        log_density_.add(block.log_density[i]);
        squared_error_.add(error * error);
        absolute_error_.add(std::abs(error));
        crps_.add(block.crps[i]);
        width_.add(block.upper[i] - block.lower[i]);
        covered_ += block.lower[i] <= block.y[i] && block.y[i] <= block.upper[i];
    }
    n_ += std::int64_t(block.y.size());
}

RegressionScores ScoreAccumulator::scores() const {
    const double share = n_ > 0 ? 1.0 / double(n_) : std::numeric_limits<double>::quiet_NaN();
    return {.n = n_,
            .nll = -log_density_.value() * share,
            .rmse = std::sqrt(squared_error_.value() * share),
            .mae = absolute_error_.value() * share,
            .crps = crps_.value() * share,
            .coverage = double(covered_) * share,
            .interval_width = width_.value() * share};
}

void ClassificationAccumulator::add(const ClassificationBlock& block) {
    for (const double term : block.log_density) log_density_.add(term);
    y_.insert(y_.end(), block.y.begin(), block.y.end());
    probability_.insert(probability_.end(), block.probability.begin(), block.probability.end());
}

ClassificationScores ClassificationAccumulator::scores() const {
    const double share = y_.empty() ? std::numeric_limits<double>::quiet_NaN() : 1.0 / double(y_.size());
    return {.n = std::int64_t(y_.size()),
            .nll = -log_density_.value() * share,
            .error_rate = error_rate(y_, probability_),
            .brier = brier(y_, probability_),
            .auc = auc(y_, probability_)};
}

}  // namespace vnngp::metrics
