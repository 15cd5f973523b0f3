// The published training: Adam on minibatches over data and inducing points, for q(u), all hyperparameters and, where M < N, the inducing
// locations. A step touches only what its minibatch depends on, unless that is much of everything, so its cost grows neither with N nor
// with M.
#pragma once

#include <functional>

#include "vnngp/inference/parameters.hpp"
#include "vnngp/optim/adam.hpp"

namespace vnngp::inference {

/// What a run maximises: as elbo() and touch_terms() are called, and what they look at.
struct Objective {
    std::function<double(const Context&, const Problem&, const Hyperparameters&, const MeanField&, const Minibatch&, ElboGradient*,
                         conditional::JitterReport*)>
        value;
    std::function<void(const Problem&, const Minibatch&, ElboGradient&)> touch;
    bool uses_prior_rows = true;  ///< looks at Problem::prior_graph
};

/// elbo() with touch_terms().
Objective variational_bound();

struct StochasticOptions {
    int epochs = 300;             ///< passes over the observations
    Index batch = 1024;           ///< observations per step
    double learning_rate = 0.01;  ///< divided by 10 at 75 % and at 90 % of the steps
    Learned learned = {.nugget = false};
    bool learn_locations = false;  ///< M < N: move the inducing points and search neighbours anew every epoch
    Index neighbors = 32;          ///< for that search
    double checkpoint_seconds = 120.0;
    /// A step whose minibatch depends on at least this share of the points visits all of them in turn, which is then faster.
    double visit_all_from = 0.1;
    bool fixed_hyperparameters = false;  ///< train q(u) and the locations alone
    Objective objective = variational_bound();
};

/// Where a run stands: enough to go on as if it had not been interrupted.
struct StochasticState {
    std::int64_t epoch = 0;
    std::int64_t batch = 0;   ///< next minibatch of the epoch
    std::vector<double> raw;  ///< hyperparameters, see ParameterVector
    Vector mean;              ///< m
    Vector deviation;         ///< sqrt(s), of either sign
    Points inducing;          ///< Z
    Points searched;          ///< Z when its neighbours were last searched, at the start of the epoch; empty unless Z is learned
    optim::LazyAdam::State raw_adam, posterior_adam, inducing_adam;
    std::vector<double> trace;  ///< the bound per observation, averaged over each finished epoch's minibatches
    double epoch_sum = 0.0;     ///< of the unfinished epoch
};

/// Receives the state every checkpoint_seconds and when the run is interrupted; may be empty.
using Checkpoint = std::function<void(const StochasticState&)>;

/// Whether the last tenth of the epochs no longer moved what `trace` follows.
bool has_settled(std::span<const double> trace);

/// The start of a run: q(u) with the marginals of the prior.
StochasticState initial_state(const Problem& problem, const Hyperparameters& hyper, const Learned& learned);

struct StochasticResult {
    Hyperparameters hyper;
    MeanField posterior;
    std::vector<double> trace;
    std::int64_t steps = 0;
    bool converged = false;  ///< has_settled(trace)
    conditional::JitterReport jitter;
};

/// Runs from `state` to the end. problem.inducing and the graphs follow the learned locations. `hyper` supplies what is not learned.
/// On Context::stop the state is handed to `checkpoint` and Interrupted is thrown.
StochasticResult fit_stochastic(const Context& context, Problem& problem, Hyperparameters hyper, const StochasticOptions& options,
                                StochasticState state, const Checkpoint& checkpoint = {});

}  // namespace vnngp::inference
