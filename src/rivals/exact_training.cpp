#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rivals/observed_covariance.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/inference/stochastic.hpp"
#include "vnngp/optim/adam.hpp"
#include "vnngp/optim/quasi_newton.hpp"
#include "vnngp/rivals/exact.hpp"

namespace vnngp::rivals {

using inference::ElboGradient;
using inference::Hyperparameters;
using inference::ParameterVector;
using inference::Problem;
using linalg::Matrix;

namespace {

constexpr Index kSubsamples[] = {1000, 4000};   ///< that a fit to more data begins with
constexpr double kStarts[] = {1.0, 0.3, 0.03};  ///< times the first length-scales
constexpr double kTolerance = 1e-5;             ///< nats per observation: an iteration that gains less is the last
constexpr int kEvaluations = 100;
constexpr int kFullEvaluations = 40;      ///< of all data, when subsamples have been fitted before
constexpr Index kPublishedFactor = 2500;  ///< the most points that the published training factors in every step
constexpr Eigen::Index kProbes = 10;
constexpr IterativeOptions kTraining{.preconditioner_rank = 100, .tolerance = 1e-2, .iterations = 100, .single_precision = true};
// GPyTorch's: a relative residual of 1, but no fewer iterations than the steps of its Lanczos quadrature.
constexpr IterativeOptions kPublished{
    .preconditioner_rank = 100, .tolerance = 1.0, .iterations = 1000, .least_iterations = 20, .single_precision = true};
constexpr IterativeOptions kFinal{.preconditioner_rank = 100, .tolerance = 1e-4, .iterations = 1000};

Problem subsample(const Context& context, const Problem& problem, Index count) {
    RandomStream stream(context.seed, StreamPurpose::subsample, static_cast<std::uint32_t>(count));
    auto rows = random_permutation(problem.num_observations(), stream);
    rows.resize(count);
    Problem part;
    part.kernel = problem.kernel;
    part.likelihood = problem.likelihood;
    part.mean_columns = problem.mean_columns;
    part.jitter = problem.jitter;
    part.inducing.resize(count, problem.inducing.cols());
    part.targets.resize(count);
    for (Index i = 0; i < count; ++i) {
        part.inducing.row(i) = problem.inducing.row(problem.sites[rows[i]]);
        part.targets[i] = problem.targets[rows[i]];
    }
    part.sites.resize(count);
    std::iota(part.sites.begin(), part.sites.end(), 0);
    return part;
}

Matrix normal_probes(const Context& context, const Problem& problem, std::uint32_t number) {
    RandomStream stream(context.seed, StreamPurpose::probe, number);
    Matrix probes(kTraining.preconditioner_rank + problem.num_inducing(), kProbes);
    for (double& value : probes.reshaped()) value = stream.normal();
    return probes;
}

/// The likelihood of one problem and its gradient, by whichever solver its size allows.
class Objective {
public:
    Objective(const Context& context, const Problem& problem, bool factor, IterativeOptions options, std::size_t memory)
        : context_(context), problem_(problem), factor_(factor), options_(options), gradient_(problem, false, false) {
        options_.cache_bytes = memory;
    }

    double operator()(const Hyperparameters& hyper, const Matrix& probes) {
        gradient_.clear();
        if (factor_) return exact_log_likelihood(context_, problem_, hyper, &gradient_);
        const auto estimate = iterative_log_likelihood(context_, problem_, hyper, probes, options_, &gradient_, &memory_);
        linear_iterations_ = std::max<std::int64_t>(linear_iterations_, estimate.linear_iterations);
        return estimate.value;
    }
    const ElboGradient& gradient() const { return gradient_; }
    std::int64_t linear_iterations() const { return linear_iterations_; }

private:
    const Context& context_;
    const Problem& problem_;
    bool factor_;
    IterativeOptions options_;
    IterativeMemory memory_;
    ElboGradient gradient_;
    std::int64_t linear_iterations_ = 0;
};

double best_of(const std::vector<double>& trace) { return *std::max_element(trace.begin(), trace.end()); }

bool fits(const Problem& problem, std::size_t memory) {
    return sizeof(double) * static_cast<std::size_t>(problem.num_inducing()) * problem.num_inducing() <= memory;
}

void maximize(const Context& context, const Problem& problem, const ExactOptions& options, int evaluations, ExactResult& result) {
    const ParameterVector layout(problem, {.nugget = false, .mean = options.learn_mean});
    const bool factor = fits(problem, options.memory_bytes);
    const Matrix probes = factor ? Matrix() : normal_probes(context, problem, 0);
    Objective objective(context, problem, factor, kTraining, options.memory_bytes);
    const double n = problem.num_observations();
    const auto negative = [&](std::span<const double> raw, std::span<double> gradient) {
        layout.assign(raw, result.hyper);
        const double value = objective(result.hyper, probes) / n;
        const auto derivatives = layout.gradient(objective.gradient());
        for (std::size_t p = 0; p < gradient.size(); ++p) gradient[p] = -derivatives[p] / n;
        result.trace.push_back(value);
        context.report({"train", static_cast<std::int64_t>(result.trace.size()), 0,
                        fmt::format("{} points, log likelihood/point {:.4f}", problem.num_observations(), value)});
        return -value;
    };
    const auto found = optim::minimize(negative, layout.raw(result.hyper), layout.lower(), layout.upper(),
                                       {.tolerance = kTolerance, .max_evaluations = evaluations});
    layout.assign(found.x, result.hyper);
    result.converged = found.converged;
    result.stopped_because = found.reason;
    result.linear_iterations = objective.linear_iterations();
}

// The likelihood has more than one maximum: everything may be noise, or next to nothing.
void maximize_from_several(const Context& context, const Problem& problem, const ExactOptions& options, ExactResult& result) {
    ExactResult best;
    for (const double factor : kStarts) {
        ExactResult candidate = result;
        for (double& parameter : candidate.hyper.shape) parameter *= factor;
        maximize(context, problem, options, kEvaluations, candidate);
        if (best.trace.empty() || best_of(candidate.trace) > best_of(best.trace)) best = std::move(candidate);
    }
    result = std::move(best);
}

void maximize_in_stages(const Context& context, const Problem& problem, const ExactOptions& options, ExactResult& result) {
    std::vector<Index> sizes;
    for (const Index count : kSubsamples)
        if (2 * count <= problem.num_observations()) sizes.push_back(count);
    if (sizes.empty()) return maximize_from_several(context, problem, options, result);
    maximize_from_several(context, subsample(context, problem, sizes.front()), options, result);
    for (std::size_t stage = 1; stage < sizes.size(); ++stage)
        maximize(context, subsample(context, problem, sizes[stage]), options, kEvaluations, result);
    maximize(context, problem, options, kFullEvaluations, result);
}

double softplus(double raw) { return raw > 30.0 ? raw : std::log1p(std::exp(raw)); }
double inverse_softplus(double value) { return value > 30.0 ? value : std::log(std::expm1(value)); }

// The published training moves raw numbers r with positive parameters softplus(r), a fixed number of steps, probes drawn anew in each.
void climb_as_published(const Context& context, const Problem& problem, const ExactOptions& options, ExactResult& result) {
    const ParameterVector layout(problem, {.nugget = false, .mean = options.learn_mean});
    const bool factor = problem.num_inducing() <= kPublishedFactor && fits(problem, options.memory_bytes);
    Objective objective(context, problem, factor, kPublished, options.memory_bytes);
    std::vector<double> logs = layout.raw(result.hyper);
    const std::size_t positive = logs.size() - (options.learn_mean ? 1 + problem.mean_columns.size() : 0);
    std::vector<double> raw = logs;
    for (std::size_t p = 0; p < positive; ++p) raw[p] = inverse_softplus(std::exp(logs[p]));
    optim::LazyAdam adam(1, raw.size());
    const double n = problem.num_observations();
    for (int step = 0; step < options.epochs; ++step) {
        const double value =
            objective(result.hyper, factor ? Matrix() : normal_probes(context, problem, 1 + static_cast<std::uint32_t>(step)));
        if (!std::isfinite(value))
            throw NumericalError(fmt::format("training diverged in step {}: the likelihood is no longer finite", step + 1));
        auto gradient = layout.gradient(objective.gradient());
        for (std::size_t p = 0; p < positive; ++p) gradient[p] *= 1.0 / (1.0 + std::exp(-raw[p])) / softplus(raw[p]);
        adam.begin_step(optim::stepped_learning_rate(options.learning_rate, step, options.epochs));
        adam.update(0, raw, gradient);
        logs = raw;
        for (std::size_t p = 0; p < positive; ++p) logs[p] = std::log(softplus(raw[p]));
        layout.assign(logs, result.hyper);
        result.trace.push_back(value / n);
        context.report({"train", step + 1, options.epochs, fmt::format("log likelihood/point {:.4f}", value / n)});
    }
    result.linear_iterations = objective.linear_iterations();
    result.stopped_because = fmt::format("all {} steps done", options.epochs);
    result.converged = inference::has_settled(result.trace);
}

}  // namespace

std::size_t default_exact_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

ExactResult fit_exact(const Context& context, const Problem& problem, const Hyperparameters& start, const ExactOptions& options) {
    ExactResult result;
    result.hyper = start;
    result.converged = true;
    result.stopped_because = "hyperparameters were given";
    if (options.learn_hyperparameters && options.published) {
        climb_as_published(context, problem, options, result);
    } else if (options.learn_hyperparameters) {
        maximize_in_stages(context, problem, options, result);
    }
    if (fits(problem, options.memory_bytes)) {
        result.solver = "cholesky";
        result.log_likelihood = exact_log_likelihood(context, problem, result.hyper);
    } else {
        result.solver = "conjugate gradients";
        IterativeOptions final = kFinal;
        final.cache_bytes = options.memory_bytes;
        auto solved = iterative_log_likelihood(context, problem, result.hyper, normal_probes(context, problem, 0), final);
        result.log_likelihood = solved.value;
        result.weights = std::move(solved.weights);
        result.linear_iterations = std::max<std::int64_t>(result.linear_iterations, solved.linear_iterations);
    }
    return result;
}

}  // namespace vnngp::rivals
