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
    for (const double lengthscale : hyper.shape) json["lengthscales"].push_back(number(lengthscale));
    json["outputscale"] = number(hyper.outputscale);
    json["noise"] = nullptr;
    json["nugget"] = number(hyper.nugget);
    json["mean"] = number(hyper.mean);
    for (const auto& [name, value] : likelihood_parameters(model, hyper)) {
        json[name] = number(value);
        if (name == "scale") json["noise"] = number(value);
    }
    return json;
}

}  // namespace

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::vector<std::string> used_inputs(const FittedModel& model) {
    std::vector<std::string> names;
    for (const kernel::Input& input : kernel_inputs(model)) names.push_back(input.name);
    return names;
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
    json["method"] = report.method;
    json["likelihood"] = model.likelihood;
    json["kernel"] = model.kernel;
    json["target"] = model.target_name;
    json["inputs"] = used_inputs(model);
    json["n"] = report.num_observations;
    json["d"] = report.num_inputs;
    json["m"] = report.num_inducing;
    json["k"] = report.num_neighbors;
    json["prediction_neighbors"] = model.prediction_neighbors;
    json["inference"] = report.inference;
    json["elbo"] = number(report.elbo);
    json["elbo_per_point"] = number(report.elbo_per_point());
    json["converged"] = report.converged;
    json["optimality_gap"] = number(report.optimality_gap);
    json["stopped_because"] = report.stopped_because;
    json["iterations"] = report.iterations;
    json["seconds"] = {{"neighbors", report.seconds_neighbors}, {"train", report.seconds_train}, {"total", report.seconds_total}};
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
