// The method, one line a stage.
#include "vnngp/model/fit.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "model/checkpoint.hpp"
#include "model/prepare.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/natural_step.hpp"
#include "vnngp/inference/stochastic.hpp"

namespace vnngp {
namespace {

constexpr double kConvergedGap = 0.05;  ///< nats per observation that a run called converged may leave in q(u)
constexpr double kGapTolerance = 1e-4;
constexpr int kGapIterations = 200;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

inference::StochasticOptions stochastic_options(const FitOptions& options, const inference::Problem& problem, const FittedModel& model) {
    return {.epochs = options.epochs,
            .batch = std::min(options.batch, problem.num_observations()),
            .learning_rate = options.learning_rate,
            .learn_nugget = options.nugget.mode == NuggetOption::Mode::learned,
            .learn_locations = !problem.at_sites(),
            .neighbors = model.neighbors,
            .checkpoint_seconds = options.checkpoint_seconds};
}

// Trains, saving the run's state beside the model as it goes, and continuing from it where the caller asks.
inference::StochasticResult train(const FitOptions& options, const Context& context, const FittedModel& model,
                                  inference::Problem& problem) {
    const auto hyper = model::initial_hyperparameters(problem, options, model);
    const auto training = stochastic_options(options, problem, model);
    auto state = inference::initial_state(context, problem, hyper, training);
    if (options.checkpoint.empty()) return inference::fit_stochastic(context, problem, hyper, training, std::move(state));

    const std::string fingerprint = model::run_fingerprint(options, context.seed, problem);
    if (options.resume) state = model::read_checkpoint(options.checkpoint, fingerprint, std::move(state));
    return inference::fit_stochastic(context, problem, hyper, training, std::move(state), [&](const inference::StochasticState& current) {
        model::write_checkpoint(options.checkpoint, fingerprint, current);
    });
}

// How far q(u) is below its optimum under the final hyperparameters, per observation: a bound that merely stopped moving may be stuck.
double optimality_gap(const Context& context, const inference::Problem& problem, const inference::StochasticResult& trained, double elbo) {
    const auto better = inference::natural_step(context, problem, trained.hyper, trained.posterior, kGapTolerance, kGapIterations);
    return std::max(0.0, inference::full_elbo(context, problem, trained.hyper, better.posterior) - elbo) / problem.num_observations();
}

void add_warnings(const inference::Problem& problem, FittedModel& model) {
    auto& warnings = model.report.warnings;
    if (model.report.optimality_gap >= kConvergedGap)
        warnings.push_back(
            fmt::format("the posterior is {:.2f} nats per point short of its optimum for the learned hyperparameters: minibatch training "
                        "struggles here; try --nugget learned or more --epochs",
                        model.report.optimality_gap));
    else if (!model.report.converged)
        warnings.push_back("training stopped before the bound settled: more --epochs may improve the fit");
    const auto parameters = problem.likelihood->parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const double value = model.hyper.likelihood[p];
        if (value < 1.01 * parameters[p].lower)
            warnings.push_back(fmt::format("{} is at its lower bound {:g}", parameters[p].name, parameters[p].lower));
        if (value > 0.99 * parameters[p].upper)
            warnings.push_back(fmt::format("{} is at its upper bound {:g}", parameters[p].name, parameters[p].upper));
    }
    if (model.report.jitter.raised > 0)
        warnings.push_back(fmt::format("the jitter was raised for {} neighbourhoods, to at most {:g} of the output scale",
                                       model.report.jitter.raised, model.report.jitter.largest));
}

}  // namespace

void discard_checkpoint(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

FittedModel fit(const Points& points, const Vector& targets, const FitOptions& options, const Context& context) {
    const auto start = Clock::now();
    validate(options);
    const auto likelihood = likelihood::make_likelihood(options.likelihood);
    model::check_data(points, targets, options, *likelihood);

    FittedModel model;
    model.input_names = options.input_names;
    model.target_name = options.target_name;
    model.likelihood = options.likelihood;
    model.kernel = options.kernel;
    model.jitter = options.jitter;
    model.lonlat = options.lonlat;
    const Points inputs = model::standardize(points, targets, *likelihood, model);
    const auto kernel = kernel::make_kernel(model.kernel, kernel_inputs(model));

    const auto neighbors_start = Clock::now();
    inference::Problem problem =
        model::build_problem(inputs, data::apply(model.target_scaling, targets), *kernel, *likelihood, options, context, model);
    model.report.seconds_neighbors = seconds_since(neighbors_start);

    const auto train_start = Clock::now();
    auto trained = train(options, context, model, problem);
    model.report.seconds_train = seconds_since(train_start);

    model.report.elbo = inference::full_elbo(context, problem, trained.hyper, trained.posterior, nullptr, &model.report.jitter);
    model.report.optimality_gap = optimality_gap(context, problem, trained, model.report.elbo);
    model.hyper = std::move(trained.hyper);
    model.posterior = std::move(trained.posterior);
    model.inducing = std::move(problem.inducing);

    FitReport& report = model.report;
    report.inference = "stochastic";
    report.num_observations = problem.num_observations();
    report.num_inputs = static_cast<std::int64_t>(model.used_columns.size());
    report.num_inducing = model.inducing.rows();
    report.num_neighbors = model.neighbors;
    report.converged = trained.converged && report.optimality_gap < kConvergedGap;
    report.stopped_because = fmt::format("all {} epochs done", options.epochs);
    report.iterations = trained.steps;
    report.trace = std::move(trained.trace);
    add_warnings(problem, model);
    report.seconds_total = seconds_since(start);
    return model;
}

}  // namespace vnngp
