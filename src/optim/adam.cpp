#include "vnngp/optim/adam.hpp"

#include <algorithm>
#include <cmath>

#include "optim/adam_lanes.hpp"

namespace vnngp::optim {

namespace {
constexpr std::int64_t kTabulatedGaps = 256;  ///< after as many steps a drift has died out
constexpr std::int64_t kBiasedSteps = 30000;  ///< 0.999^30000 = 1e-13: no bias is left
}  // namespace

LazyAdam::LazyAdam(std::size_t groups, std::size_t width, const AdamOptions& options)
    : options_(options), width_(width), ratio_(options.first_decay / std::sqrt(options.second_decay)), short_drifts_(kTabulatedGaps, 0.0) {
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

LazyAdam::Gap LazyAdam::gap(std::int64_t missed) const {
    const double steps = static_cast<double>(missed);
    return {std::pow(options_.first_decay, steps), std::pow(options_.second_decay, 0.5 * steps)};
}

void LazyAdam::begin_step(double learning_rate) {
    ++state_.step;
    state_.learning_rate = learning_rate;
    correction_ = learning_rate * bias(state_.step);
    // Step i of a gap moves a value by bias * beta_1^i m / sqrt(beta_2^i v). A gap longer by one begins with one more move.
    for (std::int64_t missed = 1; missed < std::min(kTabulatedGaps, state_.step); ++missed)
        short_drifts_[missed] = ratio_ * (bias(state_.step - missed) + short_drifts_[missed - 1]);
}

double LazyAdam::drift(std::int64_t missed) const {
    return missed < kTabulatedGaps ? short_drifts_[missed] : bias(state_.step - missed) * ratio_ / (1.0 - ratio_);
}

void LazyAdam::catch_up(std::size_t group, std::span<double> values) {
    const std::int64_t missed = state_.step - 1 - state_.last_step[group];
    if (missed <= 0) return;
    const double correction = state_.learning_rate * drift(missed);
    const Gap left = missed < kTabulatedGaps ? short_gaps_[missed] : gap(missed);
    state_.last_step[group] = state_.step - 1;
    for (std::size_t k = 0; k < width_; ++k) {
        double& first = state_.moments[2 * (group * width_ + k)];
        double& root = state_.moments[2 * (group * width_ + k) + 1];
        values[k] += correction * first / (root + options_.epsilon);
        first *= left.first_left;
        root *= left.root_left;
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

void LazyAdam::update_pairs(std::size_t begin, std::size_t end, const std::array<double*, 2>& values,
                            const std::array<const double*, 2>& gradient) {
    std::fill(state_.last_step.begin() + static_cast<std::ptrdiff_t>(begin), state_.last_step.begin() + static_cast<std::ptrdiff_t>(end),
              state_.step);
    adam_pairs({correction_, options_.first_decay, options_.second_decay, options_.epsilon}, end - begin, state_.moments.data() + 4 * begin,
               {values[0] + begin, values[1] + begin}, {gradient[0] + begin, gradient[1] + begin});
}

void LazyAdam::restore(State state) { state_ = std::move(state); }

double stepped_learning_rate(double initial, std::int64_t step, std::int64_t total_steps) {
    if (10 * step >= 9 * total_steps) return initial / 100.0;
    if (4 * step >= 3 * total_steps) return initial / 10.0;
    return initial;
}

}  // namespace vnngp::optim
