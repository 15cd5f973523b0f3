// Adam (Kingma & Ba 2015) for parameters of which each step sees only a few.
//
// A minibatch touches a handful of the millions of variational parameters; the gradient of the others is exactly zero. Dense Adam would
// still visit them all: their moments decay and their values drift on with the momentum. Both effects of a run of zero gradients have a
// closed form, so they are applied when an entry is next touched. The trajectory is that of dense Adam (up to epsilon, and the learning
// rate changing during the gap), at a cost per step that does not grow with the number of parameters.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vnngp::optim {

struct AdamOptions {
    double first_decay = 0.9;     ///< beta_1
    double second_decay = 0.999;  ///< beta_2
    double epsilon = 1e-8;
};

/// An array of parameters with its moments. Maximises: values move along the gradient.
/// Entries are addressed in groups of `width` consecutive values (1 for a scalar per point, D for a location per point).
class LazyAdam {
public:
    LazyAdam(std::size_t groups, std::size_t width = 1, const AdamOptions& options = {});

    /// Opens a step with its learning rate. Every group a step reads must be brought up to date first, then given its gradient once.
    void begin_step(double learning_rate);
    /// Applies the steps that `group` has missed to its values.
    void catch_up(std::size_t group, std::span<double> values);
    /// Takes this step. `group` must be up to date.
    void update(std::size_t group, std::span<double> values, std::span<const double> gradient);
    /// The same for the groups begin .. end - 1 of width 2, all up to date: values[0] and values[1] have an entry for each group of all.
    void update_pairs(std::size_t begin, std::size_t end, const std::array<double*, 2>& values,
                      const std::array<const double*, 2>& gradient);

    /// Asks for a group's memory ahead of its use: entries are visited in random order.
    void prefetch(std::size_t group) const {
        __builtin_prefetch(&state_.moments[2 * group * width_], 1);
        __builtin_prefetch(&state_.last_step[group], 1);
    }
    /// Takes back begin_step() of a step that was given no gradient.
    void abandon_step() { --state_.step; }

    /// Everything needed to continue a run.
    struct State {
        std::vector<double> moments;          ///< [group][width][first, root of the second]: what a group needs shares a cache line
        std::vector<std::int64_t> last_step;  ///< per group
        std::int64_t step = 0;
        double learning_rate = 0.0;
    };
    const State& state() const { return state_; }
    void restore(State state);

private:
    AdamOptions options_;
    std::size_t width_;
    State state_;
    double correction_ = 1.0;  ///< learning rate times the bias corrections of this step

    /// What a gap of a given number of steps leaves of the moments: powers of the decays.
    struct Gap {
        double first_left, root_left;
    };
    Gap gap(std::int64_t missed) const;
    /// sqrt(1 - beta_2^t) / (1 - beta_1^t)
    double bias(std::int64_t step) const;
    /// The sum of all moves of a gap that ends before this step, in units of learning rate times first moment over root.
    double drift(std::int64_t missed) const;
    double ratio_;  ///< of a move to the one before: beta_1 / sqrt(beta_2)
    std::vector<Gap> short_gaps_;
    std::vector<double> short_drifts_;  ///< of this step
    std::vector<double> bias_;
};

/// The paper's schedule: the learning rate, divided by 10 from 75 % and again from 90 % of the steps.
double stepped_learning_rate(double initial, std::int64_t step, std::int64_t total_steps);

}  // namespace vnngp::optim
