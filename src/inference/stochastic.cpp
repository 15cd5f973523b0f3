#include "vnngp/inference/stochastic.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "vnngp/base/clock.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/optimal_posterior.hpp"
#include "vnngp/inference/parameters.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kPrefetchAhead = 16;
constexpr std::int64_t kPointsPerChunk = 2048;
/// The bound per observation may still drift this much between the last two tenths of the epochs in a run called converged.
constexpr double kConvergedDrift = 0.01;

/// One epoch's minibatches: every observation once, every inducing point (about) once.
class EpochBatches {
public:
    EpochBatches(const Problem& problem, const StochasticOptions& options, std::uint64_t seed, std::int64_t epoch)
        : problem_(problem), count_(num_chunks(problem.num_observations(), options.batch)), size_(options.batch) {
        RandomStream data_stream(seed, StreamPurpose::minibatch, static_cast<std::uint32_t>(epoch));
        observations_ = random_permutation(problem.num_observations(), data_stream);
        // With one observation per inducing point both are drawn together, so that a step touches fewer points.
        paired_ = problem.at_sites() && problem.num_inducing() == problem.num_observations();
        RandomStream inducing_stream(seed, StreamPurpose::inducing_minibatch, static_cast<std::uint32_t>(epoch));
        if (!paired_) inducing_ = random_permutation(problem.num_inducing(), inducing_stream);
    }

    std::int64_t count() const { return count_; }

    Minibatch operator[](std::int64_t number) {
        const auto begin = static_cast<std::size_t>(number * size_);
        const auto observations = std::span(observations_).subspan(begin, std::min<std::size_t>(size_, observations_.size() - begin));
        if (paired_) {
            sites_.assign(observations.begin(), observations.end());
            for (Index& i : sites_) i = problem_.sites[i];
            return minibatch(problem_, observations, sites_);
        }
        // The permutation cut into count() nearly equal parts; single points in turn when there are fewer points than parts.
        const auto m = static_cast<std::int64_t>(inducing_.size());
        const std::int64_t first = m < count_ ? number % m : number * m / count_, last = m < count_ ? first + 1 : (number + 1) * m / count_;
        return minibatch(problem_, observations, std::span(inducing_).subspan(first, last - first));
    }

private:
    const Problem& problem_;
    std::int64_t count_;
    Index size_;
    bool paired_;
    std::vector<Index> observations_, inducing_, sites_;
};

/// Whether minibatches depend on so many of the points that a step had better visit all of them, one after another in memory.
bool steps_visit_all(const Problem& problem, const StochasticOptions& options) {
    const Index neighbors =
        options.learn_locations ? options.neighbors : std::max(problem.prior_graph.stride(), problem.data_graph.stride());
    const double points = problem.num_inducing(), drawn = static_cast<double>(options.batch) * (neighbors + 1);
    return 1.0 - std::exp(-drawn / points) >= options.visit_all_from;
}

/// The run: parameters with their optimisers, and one method per part of a step.
class Run {
public:
    Run(const Context& context, Problem& problem, Hyperparameters hyper, const StochasticOptions& options, StochasticState state)
        : context_(context),
          problem_(problem),
          options_(options),
          layout_(problem, options.learned),
          visits_all_(steps_visit_all(problem, options)),
          state_(std::move(state)),
          hyper_(std::move(hyper)),
          gradient_(problem, options.learn_locations),
          raw_adam_(1, state_.raw.size()),
          posterior_adam_(problem.num_inducing(), 2),
          inducing_adam_(options.learn_locations ? problem.num_inducing() : 0, problem.inducing.cols()) {
        if (state_.raw_adam.step > 0) {
            raw_adam_.restore(std::move(state_.raw_adam));
            posterior_adam_.restore(std::move(state_.posterior_adam));
            if (options.learn_locations) inducing_adam_.restore(std::move(state_.inducing_adam));
        }
        problem_.inducing = state_.inducing;
        posterior_.mean = state_.mean;
        posterior_.variance.resize(problem.num_inducing());
        for_each_chunk([this](const Chunk& chunk) { follow_deviations(chunk); });
        if (!options_.fixed_hyperparameters) layout_.assign(state_.raw, hyper_);
    }

    void step(const Minibatch& batch, double learning_rate) {
        if (learning_rate != raw_adam_.state().learning_rate) catch_up_all();
        raw_adam_.begin_step(learning_rate);
        posterior_adam_.begin_step(learning_rate);
        inducing_adam_.begin_step(learning_rate);
        gradient_.clear();
        if (!visits_all_) {
            options_.objective.touch(problem_, batch, gradient_);
            for_each_touched([this](Index j) { catch_up(j); });
        }
        try {
            state_.epoch_sum += options_.objective.value(context_, problem_, hyper_, posterior_, batch, &gradient_, &jitter_);
        } catch (const Interrupted&) {
            raw_adam_.abandon_step();
            posterior_adam_.abandon_step();
            inducing_adam_.abandon_step();
            throw;
        }
        if (visits_all_)
            for_each_chunk([this](const Chunk& chunk) { update_all(chunk); });
        else
            for_each_touched([this](Index j) { update(j); });
        if (!options_.fixed_hyperparameters) {
            raw_adam_.update(0, state_.raw, layout_.gradient(gradient_));
            layout_.clamp(state_.raw);
            layout_.assign(state_.raw, hyper_);
        }
        if (!std::isfinite(state_.epoch_sum))
            throw NumericalError(
                fmt::format("training diverged in epoch {}: the bound is no longer finite; try a smaller --learning-rate (now {})",
                            state_.epoch + 1, options_.learning_rate));
    }

    /// The state for a checkpoint.
    const StochasticState& snapshot() {
        state_.mean = posterior_.mean;
        state_.inducing = problem_.inducing;
        state_.raw_adam = raw_adam_.state();
        state_.posterior_adam = posterior_adam_.state();
        state_.inducing_adam = inducing_adam_.state();
        return state_;
    }

    void finish_epoch(std::int64_t batches) {
        state_.trace.push_back(state_.epoch_sum / static_cast<double>(batches) / problem_.num_observations());
        state_.epoch_sum = 0.0;
        state_.batch = 0;
        ++state_.epoch;
    }

    StochasticResult result() {
        catch_up_all();
        return {hyper_, posterior_, state_.trace, raw_adam_.state().step, has_settled(state_.trace), jitter_};
    }

    StochasticState& state() { return state_; }

private:
    Context uninterrupted() const { return {.threads = context_.threads}; }  ///< a step is taken whole or not at all

    void for_each_chunk(const std::function<void(const Chunk&)>& body) {
        parallel_chunks(uninterrupted(), problem_.num_inducing(), kPointsPerChunk, body);
    }

    template <class Body>
    void for_each_touched(const Body& body) {
        const auto touched = gradient_.touched();
        parallel_chunks(uninterrupted(), static_cast<std::int64_t>(touched.size()), kPointsPerChunk, [&](const Chunk& chunk) {
            for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
                if (i + kPrefetchAhead < chunk.end) prefetch(touched[i + kPrefetchAhead]);
                body(touched[i]);
            }
        });
    }

    std::span<double> location(Index j) {
        return {problem_.inducing.data() + j * problem_.inducing.cols(), static_cast<std::size_t>(problem_.inducing.cols())};
    }

    void catch_up(Index j) {
        std::array<double, 2> q{posterior_.mean[j], state_.deviation[j]};
        posterior_adam_.catch_up(j, q);
        posterior_.mean[j] = q[0];
        state_.deviation[j] = q[1];
        posterior_.variance[j] = q[1] * q[1];
        if (options_.learn_locations) inducing_adam_.catch_up(j, location(j));
    }

    // With the learning rate that the missed steps had.
    void catch_up_all() {
        if (visits_all_) return;
        const double learning_rate = raw_adam_.state().learning_rate;
        posterior_adam_.begin_step(learning_rate);
        inducing_adam_.begin_step(learning_rate);
        for (Index j = 0; j < problem_.num_inducing(); ++j) catch_up(j);
        posterior_adam_.abandon_step();
        inducing_adam_.abandon_step();
    }

    // The variance follows when the point is next caught up with, before anyone reads it.
    void update(Index j) {
        std::array<double, 2> q{posterior_.mean[j], state_.deviation[j]};
        const std::array<double, 2> on_q{gradient_.mean[j], 2.0 * q[1] * gradient_.variance[j]};
        posterior_adam_.update(j, q, on_q);
        posterior_.mean[j] = q[0];
        state_.deviation[j] = q[1];
        if (options_.learn_locations) update_location(j);
    }

    void update_location(Index j) {
        inducing_adam_.update(
            j, location(j),
            {gradient_.locations.data() + j * problem_.inducing.cols(), static_cast<std::size_t>(problem_.inducing.cols())});
    }

    // All are up to date, those of whom a minibatch knows nothing with a gradient of zero; the gradient is left at zero for the next step.
    void update_all(const Chunk& chunk) {
        const Eigen::Index count = chunk.end - chunk.begin;
        auto on_mean = gradient_.mean.segment(chunk.begin, count), on_deviation = gradient_.variance.segment(chunk.begin, count);
        on_deviation.array() *= 2.0 * state_.deviation.segment(chunk.begin, count).array();
        posterior_adam_.update_pairs(chunk.begin, chunk.end, {posterior_.mean.data(), state_.deviation.data()},
                                     {gradient_.mean.data(), gradient_.variance.data()});
        on_mean.setZero();
        on_deviation.setZero();
        follow_deviations(chunk);
        if (!options_.learn_locations) return;
        for (auto j = static_cast<Index>(chunk.begin); j < chunk.end; ++j) update_location(j);
        gradient_.locations.middleRows(chunk.begin, count).setZero();
    }

    // The same chunks everywhere, so that a run that goes on computes what it would have.
    void follow_deviations(const Chunk& chunk) {
        const Eigen::Index count = chunk.end - chunk.begin;
        posterior_.variance.segment(chunk.begin, count) = state_.deviation.segment(chunk.begin, count).array().square();
    }

    void prefetch(Index j) const {
        posterior_adam_.prefetch(j);
        __builtin_prefetch(&posterior_.mean[j], 1);
        __builtin_prefetch(&posterior_.variance[j], 1);
        __builtin_prefetch(&state_.deviation[j], 1);
        __builtin_prefetch(&gradient_.mean[j]);
        __builtin_prefetch(&gradient_.variance[j]);
    }

    const Context& context_;
    Problem& problem_;
    const StochasticOptions& options_;
    ParameterVector layout_;
    const bool visits_all_;
    StochasticState state_;
    Hyperparameters hyper_;
    MeanField posterior_;
    ElboGradient gradient_;
    optim::LazyAdam raw_adam_, posterior_adam_, inducing_adam_;
    conditional::JitterReport jitter_;
};

// The graphs of learned locations, where neighbours change from epoch to epoch.
void search_neighbors(const Context& context, Problem& problem, const Points& inducing, Index neighbors, bool with_prior_rows) {
    Context quiet = context;
    quiet.progress = {};
    problem.prior_graph = with_prior_rows ? neighbors::predecessor_graph(inducing, neighbors, quiet) : neighbors::NeighborGraph();
    problem.data_graph = neighbors::nearest_graph(inducing, problem.inputs, neighbors, quiet);
}

}  // namespace

Objective variational_bound() { return {.value = elbo, .touch = touch_terms}; }

bool has_settled(std::span<const double> trace) {
    const std::size_t tenth = trace.size() / 10;
    if (tenth == 0) return false;
    const auto mean = [&](std::span<const double> part) { return std::accumulate(part.begin(), part.end(), 0.0) / tenth; };
    return std::abs(mean(trace.last(tenth)) - mean(trace.last(2 * tenth).first(tenth))) < kConvergedDrift;
}

StochasticState initial_state(const Problem& problem, const Hyperparameters& hyper, const Learned& learned) {
    const MeanField q = prior_marginals(problem, hyper);
    StochasticState state;
    state.raw = ParameterVector(problem, learned).raw(hyper);
    state.mean = q.mean;
    state.deviation = q.variance.cwiseSqrt();
    state.inducing = problem.inducing;
    return state;
}

StochasticResult fit_stochastic(const Context& context, Problem& problem, Hyperparameters hyper, const StochasticOptions& options,
                                StochasticState state, const Checkpoint& checkpoint) {
    Run run(context, problem, std::move(hyper), options, std::move(state));
    const std::int64_t batches_per_epoch = num_chunks(problem.num_observations(), options.batch);
    const std::int64_t total = options.epochs * batches_per_epoch;
    auto last_checkpoint = Clock::now();
    auto last_report = Clock::now() - std::chrono::hours(1);
    try {
        while (run.state().epoch < options.epochs) {
            const std::int64_t epoch = run.state().epoch;
            if (options.learn_locations) {
                if (run.state().batch == 0) run.state().searched = problem.inducing;
                search_neighbors(context, problem, run.state().searched, options.neighbors, options.objective.uses_prior_rows);
            }
            EpochBatches batches(problem, options, context.seed, epoch);
            while (run.state().batch < batches.count()) {
                const std::int64_t done = epoch * batches_per_epoch + run.state().batch;
                run.step(batches[run.state().batch], optim::stepped_learning_rate(options.learning_rate, done, total));
                ++run.state().batch;
                const auto now = Clock::now();
                if (now - last_report > std::chrono::milliseconds(200)) {
                    last_report = now;
                    const auto& trace = run.state().trace;
                    const std::string detail = trace.empty() ? "" : fmt::format("ELBO/point {:.4f}", trace.back());
                    context.report({"train", done + 1, total, detail});
                }
                if (checkpoint && now - last_checkpoint > std::chrono::duration<double>(options.checkpoint_seconds)) {
                    checkpoint(run.snapshot());
                    last_checkpoint = now;
                }
            }
            run.finish_epoch(batches.count());
        }
    } catch (const Interrupted&) {
        if (checkpoint) checkpoint(run.snapshot());
        throw;
    }
    context.report({"train", total, total, ""});
    return run.result();
}

}  // namespace vnngp::inference
