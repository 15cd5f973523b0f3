#include "vnngp/optim/adam.hpp"

#include <cmath>

namespace vnngp::optim {

namespace {
constexpr std::int64_t kTabulatedGaps = 1024;
constexpr std::int64_t kBiasedSteps = 30000;  ///< 0.999^30000 = 1e-13: no bias is left
}  // namespace

LazyAdam::LazyAdam(std::size_t groups, std::size_t width, const AdamOptions& options) : options_(options), width_(width) {
    state_.moments.assign(2 * groups * width, 0.0);
    state_.last_step.assign(groups, 0);
    double first = 1.0, second = 1.0;
    for (std::int64_t step = 0; step < kBiasedSteps; ++step) {
        bias_.push_back(step == 0 ? 0.0 : std::sqrt(1.0 - second) / (1.0 - first));
        first *= options.first_decay;
        second *= options.second_decay;
    }
    for (std::int64_t missed = 0; missed < kTabulatedGaps; ++missed) short_gaps_.push_back(gap(missed));
}

double LazyAdam::bias(std::int64_t step) const { return step < kBiasedSteps ? bias_[step] : 1.0; }

// Step i of a gap moves a value by correction * beta_1^i m / sqrt(beta_2^i v): a geometric series.
LazyAdam::Gap LazyAdam::gap(std::int64_t missed) const {
    const double steps = static_cast<double>(missed), root_decay = std::sqrt(options_.second_decay),
                 ratio = options_.first_decay / root_decay;
    return {std::pow(options_.first_decay, steps), std::pow(root_decay, steps), ratio * (1.0 - std::pow(ratio, steps)) / (1.0 - ratio)};
}

void LazyAdam::begin_step(double learning_rate) {
    ++state_.step;
    state_.learning_rate = learning_rate;
    correction_ = learning_rate * bias(state_.step);
}

void LazyAdam::catch_up(std::size_t group, std::span<double> values) {
    const std::int64_t missed = state_.step - 1 - state_.last_step[group];
    if (missed <= 0) return;
    // The drift dies out within some twenty steps, so the bias correction is that of the gap's first step.
    const double correction = state_.learning_rate * bias(state_.last_step[group] + 1);
    state_.last_step[group] = state_.step - 1;
    const Gap effect = missed < kTabulatedGaps ? short_gaps_[missed] : gap(missed);
    for (std::size_t k = 0; k < width_; ++k) {
        double& first = state_.moments[2 * (group * width_ + k)];
        double& root = state_.moments[2 * (group * width_ + k) + 1];
        values[k] += correction * effect.series * first / (root + options_.epsilon);
        first *= effect.first_left;
        root *= effect.root_left;
    }
}

void LazyAdam::update(std::size_t group, std::span<double> values, std::span<const double> gradient) {
    state_.last_step[group] = state_.step;
    for (std::size_t k = 0; k < width_; ++k) {
        double& first = state_.moments[2 * (group * width_ + k)];
        double& root = state_.moments[2 * (group * width_ + k) + 1];
        first += (1.0 - options_.first_decay) * (gradient[k] - first);
        root = std::sqrt(options_.second_decay * root * root + (1.0 - options_.second_decay) * gradient[k] * gradient[k]);
        values[k] += correction_ * first / (root + options_.epsilon);
    }
}

void LazyAdam::restore(State state) { state_ = std::move(state); }

double stepped_learning_rate(double initial, std::int64_t step, std::int64_t total_steps) {
    if (10 * step >= 9 * total_steps) return initial / 100.0;
    if (4 * step >= 3 * total_steps) return initial / 10.0;
    return initial;
}

}  // namespace vnngp::optim
