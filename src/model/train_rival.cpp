#include "model/train_rival.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/prepare.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/rivals/exact.hpp"
#include "vnngp/rivals/svgp.hpp"

namespace vnngp::model {
namespace {

constexpr Index kNeighborsOfVariances = 256;  ///< that predictive variances look at where the exact ones are out of reach

bool learns_mean(const FitOptions& options) { return options.mean.kind != MeanOption::Kind::zero; }

// Observations, in the order of the inducing points, known as they are.
inference::MeanField observations(const inference::Problem& problem) {
    inference::MeanField values{Vector(problem.num_inducing()), Vector::Zero(problem.num_inducing())};
    for (Index i = 0; i < problem.num_observations(); ++i) values.mean[problem.sites[i]] = problem.targets[i];
    return values;
}

void train_exact(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    auto trained = rivals::fit_exact(context, problem, first_hyperparameters(problem, options, model),
                                     {.learn_hyperparameters = !options.fixed,
                                      .learn_mean = learns_mean(options),
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
    model.posterior = observations(problem);
    model.weights = std::move(trained.weights);
    model.neighbors = 0;
}

void train_svgp(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    if (problem.at_sites()) {
        problem.inputs = data::gather_rows(problem.inducing, problem.sites);
        problem.sites.clear();
        model.report.duplicates_merged = 0;
    }
    auto trained = rivals::fit_svgp(context, problem, first_hyperparameters(problem, options, model),
                                    {.epochs = options.epochs,
                                     .batch = options.batch,
                                     .learning_rate = options.learning_rate,
                                     .learn_hyperparameters = !options.fixed,
                                     .learn_mean = learns_mean(options),
                                     .learn_locations = problem.num_inducing() < problem.num_observations(),
                                     .diagonal = options.posterior == PosteriorForm::mean_field});
    FitReport& report = model.report;
    report.elbo = trained.elbo;
    report.jitter = trained.jitter;
    report.converged = trained.converged;
    report.stopped_because = fmt::format("all {} epochs done", options.epochs);
    report.iterations = trained.steps;
    report.passes = options.epochs;
    report.trace = std::move(trained.trace);
    model.hyper = std::move(trained.hyper);
    const auto& factor = trained.posterior.factor;
    model.posterior = {std::move(trained.posterior.mean), factor.rowwise().squaredNorm()};
    model.posterior_factor = trained.posterior.is_diagonal() ? Points(factor) : Points(factor.triangularView<Eigen::Lower>());
    model.neighbors = 0;
}

}  // namespace

void train_rival(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model) {
    switch (options.method) {
        case Method::exact:
            return train_exact(context, problem, options, model);
        case Method::svgp:
            return train_svgp(context, problem, options, model);
        case Method::swsgp:
        case Method::sggp:
        case Method::vnngp:
            break;
    }
    throw InputError(fmt::format("--method {}: not there yet", method_name(options.method)));
}

}  // namespace vnngp::model
