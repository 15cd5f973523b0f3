#include "model/train_rival.hpp"

#include <fmt/format.h>

#include <chrono>

#include "model/prepare.hpp"
#include "model/train.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/neighbors/search.hpp"
#include "vnngp/rivals/sggp.hpp"
#include "vnngp/rivals/swsgp.hpp"

namespace vnngp::model {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Fills what every method that trains by minibatches reports.
void report_epochs(const FitOptions& options, std::int64_t steps, bool converged, std::vector<double> trace, FitReport& report) {
    report.converged = converged;
    report.stopped_because = fmt::format("all {} epochs done", options.epochs);
    report.iterations = steps;
    report.passes = options.epochs;
    report.trace = std::move(trace);
    if (!converged) report.warnings.push_back("training stopped before the objective settled: more --epochs may improve the fit");
}

void train_swsgp(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    FitReport& report = model.report;
    const auto start = Clock::now();
    if (problem.at_sites()) {
        problem.prior_graph = neighbors::predecessor_graph(problem.inducing, model.neighbors, context);
        problem.data_graph = neighbors::nearest_graph(problem.inducing, problem.inducing, model.neighbors, context);
    }
    report.seconds_neighbors = seconds_since(start);

    auto training = minibatch_training(problem, options, model);
    training.objective = rivals::local_bound();
    const auto hyper = initial_hyperparameters(problem, options, model);
    auto state = inference::initial_state(context, problem, hyper, training);
    problem.prior_graph = {};  // it was there for the start of q(u)
    auto trained = inference::fit_stochastic(context, problem, hyper, training, std::move(state));
    report.elbo = rivals::full_local_elbo(context, problem, trained.hyper, trained.posterior, nullptr, &report.jitter);
    report_epochs(options, trained.steps, trained.converged, std::move(trained.trace), report);
    model.hyper = std::move(trained.hyper);
    model.posterior = std::move(trained.posterior);
}

void train_sggp(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    FitReport& report = model.report;
    const auto start = Clock::now();
    model.neighbors = std::min<Index>(rivals::kLikelihoodNeighbors, problem.num_inducing() - 1);
    problem.data_graph = neighbors::nearest_graph(problem.inducing, problem.inducing, model.neighbors + 1, context);
    report.seconds_neighbors = seconds_since(start);

    auto trained = rivals::fit_neighborhoods(context, problem, initial_hyperparameters(problem, options, model),
                                             minibatch_training(problem, options, model));
    // No bound: the mean log likelihood of an observation within its neighbourhoods, times their number.
    report.elbo = trained.likelihood * problem.num_observations();
    report.jitter = trained.jitter;
    report_epochs(options, trained.steps, trained.converged, std::move(trained.trace), report);
    if (options.fixed) {
        report.passes = 0;
        report.stopped_because = "the hyperparameters are known: nothing is left to learn";
    }
    model.hyper = std::move(trained.hyper);
    model.posterior = {rivals::values_at_points(problem), Vector::Zero(problem.num_inducing())};
}

}  // namespace

void train_rival(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    switch (options.method) {
        case Method::swsgp:
            return train_swsgp(context, problem, options, model);
        case Method::sggp:
            return train_sggp(context, problem, options, model);
        case Method::exact:
        case Method::svgp:
        case Method::vnngp:
            break;
    }
    throw InputError(fmt::format("--method {}: not there yet", method_name(options.method)));
}

}  // namespace vnngp::model
