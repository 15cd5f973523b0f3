#include "model/train.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/checkpoint.hpp"
#include "model/closed_form.hpp"
#include "model/prepare.hpp"
#include "model/train_rival.hpp"
#include "vnngp/base/clock.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/optimal_posterior.hpp"
#include "vnngp/inference/stochastic.hpp"

namespace vnngp::model {
namespace {

constexpr double kConvergedGap = 0.05;  ///< nats per observation that a stochastic run called converged may leave in q(u)
constexpr double kGapTolerance = 1e-4;
constexpr int kGapIterations = 200;

void train_in_closed_form(const Context& context, inference::Problem& problem, const FitOptions& options,
                          const inference::Hyperparameters* warm, FittedModel& model) {
    auto trained = train_closed_form(context, problem, warm != nullptr ? *warm : initial_hyperparameters(problem, options, model),
                                     {.neighbors = model.neighbors,
                                      .groups = options.groups,
                                      .metric = options.metric,
                                      .learned = learned(options),
                                      .response_only = options.inference == Inference::response,
                                      .warm = warm != nullptr,
                                      .fixed = options.fixed.has_value(),
                                      .evaluations = options.evaluations});
    FitReport& report = model.report;
    report.elbo = trained.posterior.elbo;
    report.jitter = trained.posterior.jitter;
    report.converged = trained.converged;
    report.stopped_because = std::move(trained.stopped_because);
    report.iterations = static_cast<std::int64_t>(trained.trace.size());
    report.trace = std::move(trained.trace);
    report.passes = trained.passes;
    report.linear_iterations = trained.linear_iterations;
    report.neighbors_changed = std::move(trained.neighbors_changed);
    report.seconds_neighbors = trained.seconds_neighbors;
    model.hyper = std::move(trained.hyper);
    model.posterior = std::move(trained.posterior.q);
}

// Saves the run's state beside the model as it goes, and continues from it where the caller asks.
inference::StochasticResult run_minibatches(const Context& context, inference::Problem& problem, const FitOptions& options,
                                            const FittedModel& model) {
    const auto training = minibatch_training(problem, options, model);
    const auto hyper = initial_hyperparameters(problem, options, model);
    auto state = inference::initial_state(problem, hyper, training.learned);
    if (options.checkpoint.empty()) return inference::fit_stochastic(context, problem, hyper, training, std::move(state));

    const std::string fingerprint = run_fingerprint(options, context.seed, problem);
    if (options.resume) state = read_checkpoint(options.checkpoint, fingerprint, std::move(state));
    return inference::fit_stochastic(context, problem, hyper, training, std::move(state), [&](const inference::StochasticState& current) {
        write_checkpoint(options.checkpoint, fingerprint, current);
    });
}

// How far q(u) is below its optimum under the final hyperparameters, per observation: a bound that merely stopped moving may be stuck.
double optimality_gap(const Context& context, const inference::Problem& problem, const inference::StochasticResult& trained, double elbo) {
    const auto better = inference::optimal_posterior(context, problem, trained.hyper, trained.posterior,
                                                     {.linear_tolerance = kGapTolerance, .linear_iterations = kGapIterations, .steps = 1});
    return std::max(0.0, better.elbo - elbo) / problem.num_observations();
}

void train_by_minibatches(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    FitReport& report = model.report;
    const auto start = Clock::now();
    if (problem.at_sites()) problem.prior_graph = neighbors::predecessor_graph(problem.inducing, model.neighbors, context);
    report.seconds_neighbors = seconds_since(start);
    auto trained = run_minibatches(context, problem, options, model);
    problem.single_precision = false;  // it was for the minibatches
    report.elbo = inference::full_elbo(context, problem, trained.hyper, trained.posterior, nullptr, &report.jitter);
    report.optimality_gap = optimality_gap(context, problem, trained, report.elbo);
    report.converged = trained.converged && report.optimality_gap < kConvergedGap;
    report.stopped_because = fmt::format("all {} epochs done", options.epochs);
    report.iterations = trained.steps;
    report.passes = options.epochs;
    report.trace = std::move(trained.trace);
    model.hyper = std::move(trained.hyper);
    model.posterior = std::move(trained.posterior);
    if (report.optimality_gap >= kConvergedGap)
        report.warnings.push_back(
            fmt::format("the posterior is {:.2f} nats per point short of its optimum for the learned hyperparameters: minibatch training "
                        "struggles here; try --inference {} or more --epochs",
                        report.optimality_gap, problem.likelihood->is_gaussian() ? "collapsed" : "natural"));
    else if (!report.converged)
        report.warnings.push_back("training stopped before the bound settled: more --epochs may improve the fit");
}

}  // namespace

inference::StochasticOptions minibatch_training(const inference::Problem& problem, const FitOptions& options, const FittedModel& model) {
    return {.epochs = options.epochs,
            .batch = std::min(options.batch, problem.num_observations()),
            .learning_rate = options.learning_rate,
            .learned = learned(options),
            .learn_locations = !problem.at_sites(),
            .neighbors = model.neighbors,
            .checkpoint_seconds = options.checkpoint_seconds,
            .fixed_hyperparameters = options.fixed.has_value()};
}

void train(const Context& context, Points inputs, Vector targets, const likelihood::Likelihood& likelihood, const FitOptions& options,
           const inference::Hyperparameters* warm, FittedModel& model) {
    const auto start = Clock::now();
    model.kernel = options.kernel;
    model.metric = options.metric;
    const auto kernel = kernel::make_kernel(model.kernel, kernel_inputs(model));
    inference::Problem problem = build_problem(std::move(inputs), std::move(targets), *kernel, likelihood, options, context, model);
    if (options.method != Method::vnngp)
        train_rival(context, problem, options, model);
    else if (options.inference == Inference::stochastic)
        train_by_minibatches(context, problem, options, model);
    else
        train_in_closed_form(context, problem, options, warm, model);
    model.inducing = std::move(problem.inducing);

    FitReport& report = model.report;
    if (report.inference.empty()) report.inference = inference_name(options.inference);
    report.num_observations = problem.num_observations();
    report.num_inputs = static_cast<std::int64_t>(model.used_columns.size());
    report.num_inducing = model.inducing.rows();
    report.num_neighbors = model.neighbors;
    report.seconds_train = seconds_since(start) - report.seconds_neighbors;
}

}  // namespace vnngp::model
