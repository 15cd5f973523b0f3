#include "model/train_rival.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/prepare.hpp"
#include "model/train.hpp"
#include "vnngp/base/clock.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/neighbors/search.hpp"
#include "vnngp/rivals/exact.hpp"
#include "vnngp/rivals/sggp.hpp"
#include "vnngp/rivals/svgp.hpp"
#include "vnngp/rivals/swsgp.hpp"

namespace vnngp::model {
namespace {

// Fills what every method that trains by minibatches reports.
void report_epochs(const FitOptions& options, std::int64_t steps, bool converged, std::vector<double> trace, FitReport& report) {
    report.converged = converged;
    report.stopped_because = fmt::format("all {} epochs done", options.epochs);
    report.iterations = steps;
    report.passes = options.epochs;
    report.trace = std::move(trace);
    if (!converged) report.warnings.push_back("training stopped before the objective settled: more --epochs may improve the fit");
}

constexpr Index kNeighborsOfVariances = 256;  ///< that predictive variances look at where the exact ones are out of reach

void train_exact(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    auto trained = rivals::fit_exact(context, problem, initial_hyperparameters(problem, options, model),
                                     {.learn_hyperparameters = !options.fixed,
                                      .learn_mean = learned(options).mean,
                                      .published = options.inference == Inference::stochastic,
                                      .epochs = options.epochs,
                                      .learning_rate = options.learning_rate,
                                      .memory_bytes = rivals::default_exact_memory()});
    FitReport& report = model.report;
    report.inference = options.inference == Inference::stochastic ? inference_name(options.inference) : std::string_view("likelihood");
    report.notes.push_back(fmt::format("exact predictions by {}", trained.solver));
    if (trained.weights.size() > 0) {
        report.notes.push_back(fmt::format("variances of predictions are those given the {} nearest observations", kNeighborsOfVariances));
        model.prediction_neighbors = std::min(kNeighborsOfVariances, problem.num_inducing());
    }
    report.elbo = trained.log_likelihood;
    report.converged = trained.converged;
    report.stopped_because = std::move(trained.stopped_because);
    report.iterations = static_cast<std::int64_t>(trained.trace.size());
    report.passes = report.iterations;
    report.trace = std::move(trained.trace);
    report.linear_iterations = trained.linear_iterations;
    model.hyper = std::move(trained.hyper);
    model.posterior = {inference::values_at_points(problem), Vector::Zero(problem.num_inducing())};
    model.weights = std::move(trained.weights);
    model.neighbors = 0;
}

void train_svgp(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    if (problem.at_sites()) {
        problem.inputs = data::gather_rows(problem.inducing, problem.sites);
        problem.sites.clear();
        model.report.duplicates_merged = 0;
    }
    auto trained = rivals::fit_svgp(context, problem, initial_hyperparameters(problem, options, model),
                                    {.epochs = options.epochs,
                                     .batch = options.batch,
                                     .learning_rate = options.learning_rate,
                                     .learn_hyperparameters = !options.fixed,
                                     .learn_mean = learned(options).mean,
                                     .learn_locations = problem.num_inducing() < problem.num_observations(),
                                     .diagonal = options.posterior == PosteriorForm::mean_field});
    FitReport& report = model.report;
    report.elbo = trained.elbo;
    report.jitter = trained.jitter;
    report_epochs(options, trained.steps, trained.converged, std::move(trained.trace), report);
    if (trained.steps == 0) {
        report.stopped_because = "hyperparameters were given, and the best q(u) has a closed form";
        report.passes = 1;
    }
    model.hyper = std::move(trained.hyper);
    const auto& factor = trained.posterior.factor;
    model.posterior = {std::move(trained.posterior.mean), factor.rowwise().squaredNorm()};
    model.posterior_factor = trained.posterior.is_diagonal() ? Points(factor) : Points(factor.triangularView<Eigen::Lower>());
    model.neighbors = 0;
}

void train_swsgp(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    FitReport& report = model.report;
    const auto start = Clock::now();
    if (problem.at_sites()) problem.data_graph = neighbors::nearest_graph(problem.inducing, problem.inducing, model.neighbors, context);
    report.seconds_neighbors = seconds_since(start);

    auto training = minibatch_training(problem, options, model);
    training.objective = rivals::local_bound();
    const auto hyper = initial_hyperparameters(problem, options, model);
    auto trained = inference::fit_stochastic(context, problem, hyper, training, inference::initial_state(problem, hyper, training.learned));
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
    model.posterior = {inference::values_at_points(problem), Vector::Zero(problem.num_inducing())};
}

}  // namespace

void train_rival(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    if (options.method == Method::exact || options.method == Method::svgp)
        if (std::string advice = linalg::dense_advice(); !advice.empty()) model.report.notes.push_back(std::move(advice));
    switch (options.method) {
        case Method::swsgp:
            return train_swsgp(context, problem, options, model);
        case Method::sggp:
            return train_sggp(context, problem, options, model);
        case Method::exact:
            return train_exact(context, problem, options, model);
        case Method::svgp:
            return train_svgp(context, problem, options, model);
        case Method::vnngp:
            break;
    }
    throw std::logic_error("train_rival: no rival");
}

}  // namespace vnngp::model
