#include "app/report_json.hpp"

#include <sys/resource.h>

#include <cmath>

#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::app {
namespace {

// Every likelihood has the key `noise`: null where observations have no noise variance. For Student-t it is the squared scale.
Json hyperparameters_json(const FittedModel& model, const inference::Hyperparameters& hyper) {
    Json json;
    json["lengthscales"] = Json::array();
    json["kernel"] = Json::object();
    for (const auto& [name, value, is_lengthscale] : kernel_parameters(model, hyper)) {
        json["kernel"][name] = number(value);
        if (is_lengthscale) json["lengthscales"].push_back(number(value));
    }
    json["outputscale"] = number(hyper.outputscale);
    json["noise"] = nullptr;
    json["nugget"] = number(hyper.nugget);
    json["mean"] = number(hyper.mean);
    json["mean_slopes"] = Json::array();
    for (const double slope : hyper.slopes) json["mean_slopes"].push_back(number(slope));
    for (const auto& [name, value] : likelihood_parameters(model, hyper)) {
        json[name] = number(value);
        if (name == "scale") json["noise"] = number(value);
    }
    json["total_noise"] = json["noise"].is_null() ? number(hyper.nugget) : Json(json["noise"].get<double>() + hyper.nugget);
    return json;
}

}  // namespace

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::vector<std::string> used_inputs(const FittedModel& model) {
    std::vector<std::string> names;
    for (const kernel::Input& input : kernel_inputs(model)) names.push_back(input.name);
    return names;
}

std::vector<KernelParameter> kernel_parameters(const FittedModel& model, const inference::Hyperparameters& hyper) {
    std::vector<KernelParameter> named;
    const auto parameters = kernel::make_kernel(model.kernel, kernel_inputs(model))->parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p) named.push_back({parameters[p].name, hyper.shape[p], parameters[p].is_lengthscale});
    return named;
}

std::vector<std::pair<std::string, double>> likelihood_parameters(const FittedModel& model, const inference::Hyperparameters& hyper) {
    std::vector<std::pair<std::string, double>> named;
    const auto likelihood = likelihood::make_likelihood(model.likelihood);
    for (std::size_t p = 0; p < hyper.likelihood.size(); ++p) named.emplace_back(likelihood->parameters()[p].name, hyper.likelihood[p]);
    return named;
}

Json model_json(const FittedModel& model) {
    const FitReport& report = model.report;
    Json json;
    json["method"] = method_name(model.method);
    json["likelihood"] = model.likelihood;
    json["kernel"] = model.kernel;
    json["target"] = model.target_name;
    json["inputs"] = used_inputs(model);
    json["n"] = report.num_observations;
    json["d"] = report.num_inputs;
    json["m"] = report.num_inducing;
    json["k"] = report.num_neighbors;
    json["prediction_neighbors"] = model.prediction_neighbors;
    json["intervals"] = model.calibration.model_tails.empty() ? "model" : "calibrated";
    json["metric"] = model.metric == Metric::kernel ? "kernel" : "euclidean";
    json["inference"] = report.inference;
    json["elbo"] = number(report.elbo);
    json["elbo_per_point"] = number(report.elbo_per_point());
    json["converged"] = report.converged;
    json["optimality_gap"] = number(report.optimality_gap);
    json["stopped_because"] = report.stopped_because;
    json["iterations"] = report.iterations;
    json["trace"] = Json::array();
    for (const double value : report.trace) json["trace"].push_back(number(value));
    json["passes"] = report.passes;
    json["linear_iterations"] = report.linear_iterations;
    json["neighbors_changed"] = report.neighbors_changed;
    json["tried"] = Json::array();
    for (const Tried& tried : report.tried)
        json["tried"].push_back({{"kernel", tried.kernel},
                                 {"k", tried.neighbors},
                                 {"prediction_neighbors", tried.prediction_neighbors},
                                 {"log_density", number(tried.score)},
                                 {"error", number(tried.error)},
                                 {"seconds", tried.seconds}});
    json["seconds"] = {{"choose", report.seconds_choose},
                       {"neighbors", report.seconds_neighbors},
                       {"train", report.seconds_train},
                       {"total", report.seconds_total}};
    json["hyperparameters"] = hyperparameters_json(model, in_data_units(model));
    json["hyperparameters"]["standardized"] = hyperparameters_json(model, model.hyper);
    json["duplicates_merged"] = report.duplicates_merged;
    json["jitter"] = {{"raised", report.jitter.raised}, {"max", number(report.jitter.largest)}};
    json["warnings"] = report.warnings;
    json["notes"] = report.notes;
    return json;
}

double peak_memory_mib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace vnngp::app
