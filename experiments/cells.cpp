#include "experiments/cells.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "vnngp/metrics/accumulator.hpp"
#include "vnngp/model/fit.hpp"

namespace vnngp::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kExactRows = 30000;  // 7 GB of covariance
constexpr Index kBlockRows = 1 << 14;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number_of(const Json& json) { return json.is_null() ? kNaN : json.get<double>(); }

Json hyper_json(const inference::Hyperparameters& hyper) {
    return {{"shape", hyper.shape}, {"outputscale", hyper.outputscale}, {"nugget", hyper.nugget},
            {"mean", hyper.mean},   {"likelihood", hyper.likelihood},   {"slopes", hyper.slopes}};
}

inference::Hyperparameters hyper_of(const Json& json) {
    inference::Hyperparameters hyper;
    json.at("shape").get_to(hyper.shape);
    json.at("outputscale").get_to(hyper.outputscale);
    json.at("nugget").get_to(hyper.nugget);
    json.at("mean").get_to(hyper.mean);
    json.at("likelihood").get_to(hyper.likelihood);
    json.at("slopes").get_to(hyper.slopes);
    return hyper;
}

std::string_view status_name(Outcome::Status status) {
    return status == Outcome::Status::done ? "done" : status == Outcome::Status::failed ? "failed" : "refused";
}

std::span<const double> values(const Vector& vector) { return {vector.data(), static_cast<std::size_t>(vector.size())}; }

struct Scores {
    double nll, rmse, coverage;
};

// Standardised NLL and RMSE as `vnngp evaluate` has them.
Scores scores_of(const Predictor& predictor, const FittedModel& model, const DataSet& data, const Context& context) {
    const bool classes = model.likelihood.starts_with("bernoulli");
    metrics::ScoreAccumulator regression;
    metrics::ClassificationAccumulator classification;
    for (Index first = 0; first < data.targets.size(); first += kBlockRows) {
        context.check_stop();
        const Index count = std::min<Index>(kBlockRows, static_cast<Index>(data.targets.size()) - first);
        const Vector y = data.targets.segment(first, count);
        const Predictor::Scored scored = predictor.score(data.inputs.middleRows(first, count), y);
        if (classes)
            classification.add({values(y), values(scored.mean), values(scored.log_density)});
        else
            regression.add({values(y), values(scored.mean), values(scored.log_density), values(scored.crps), values(scored.lower),
                            values(scored.upper)});
    }
    if (classes) {
        const auto found = classification.scores();
        return {found.nll, found.error_rate, kNaN};
    }
    const auto found = regression.scores();
    const double scale = model.target_scaling.scale;
    return {found.nll - std::log(scale), found.rmse / scale, found.coverage};
}

// From the standardised scales to the units of the data, in which fit() wants them: the inverse of what fit() will do with the same data,
// for one length-scale per column and Gaussian noise. Constant columns have no length-scale.
inference::Hyperparameters in_data_units(const inference::Hyperparameters& hyper, const DataSet& train, data::Scale input_scale) {
    const data::Standardizer inputs = data::fit_standardizer(train.inputs, input_scale);
    const data::TargetStandardizer targets = data::fit_target_standardizer(train.targets);
    inference::Hyperparameters found = hyper;
    const auto constant = data::constant_columns(train.inputs);
    std::size_t next = 0;
    for (Index column = 0; column < train.inputs.cols(); ++column)
        if (std::find(constant.begin(), constant.end(), column) == constant.end()) found.shape.at(next++) *= inputs.scale[column];
    const double variance = targets.scale * targets.scale;
    found.outputscale *= variance;
    found.nugget *= variance;
    found.mean = targets.center + targets.scale * found.mean;
    for (double& noise : found.likelihood) noise *= variance;
    return found;
}

double total_noise(const FittedModel& model) {
    const auto likelihood = likelihood::make_likelihood(model.likelihood);
    double noise = kNaN;
    for (std::size_t p = 0; p < likelihood->parameters().size(); ++p)
        if (likelihood->parameters()[p].is_variance) noise = model.hyper.likelihood[p];
    return noise + model.hyper.nugget;
}

}  // namespace

std::string cell_name(const Cell& cell) {
    std::string name = cell.set + (cell.simulated ? "-simulated" : "");
    if (cell.rows > 0) name += fmt::format("-n{}", cell.rows);
    if (cell.input_scale == data::Scale::range) name += "-range";
    name += fmt::format("-{}-seed{}", cell.method, cell.seed);
    if (cell.setting.neighbors > 0) name += fmt::format("-k{}", cell.setting.neighbors);
    if (cell.setting.inducing > 0) name += fmt::format("-m{}", cell.setting.inducing);
    if (cell.setting.epochs > 0) name += fmt::format("-e{}-lr{:g}", cell.setting.epochs, cell.setting.learning_rate);
    if (cell.fixed) name += fmt::format("-noise{:.4g}", cell.fixed->likelihood.front());
    return name;
}

Json cell_json(const Cell& cell) {
    Json json{{"set", cell.set},
              {"simulated", cell.simulated},
              {"rows_at_most", cell.rows},
              {"method", cell.method},
              {"seed", cell.seed},
              {"neighbors", cell.setting.neighbors},
              {"inducing", cell.setting.inducing},
              {"epochs", cell.setting.epochs},
              {"learning_rate", cell.setting.learning_rate}};
    if (cell.input_scale == data::Scale::range) json["input_scale"] = "range";  // cells without are of earlier versions too
    if (cell.fixed) json["fixed"] = hyper_json(*cell.fixed);
    return json;
}

Json outcome_json(const Outcome& outcome) {
    Json json{{"status", status_name(outcome.status)}, {"message", outcome.message}};
    if (!outcome.done()) return json;
    json["nll"] = number(outcome.nll);
    json["rmse"] = number(outcome.rmse);
    json["coverage95"] = number(outcome.coverage);
    json["validation_nll"] = number(outcome.validation_nll);
    json["noise"] = number(outcome.noise);
    json["elbo"] = number(outcome.elbo);
    json["seconds"] = outcome.seconds;
    json["training_rows"] = outcome.training_rows;
    json["iterations"] = outcome.iterations;
    json["trace"] = Json::array();
    for (const double value : outcome.trace) json["trace"].push_back(number(value));
    if (outcome.hyper) json["hyperparameters"] = hyper_json(*outcome.hyper);
    json["chosen"] = outcome.chosen;
    return json;
}

Outcome outcome_of(const Json& json) {
    Outcome outcome{.nll = kNaN, .rmse = kNaN, .coverage = kNaN, .validation_nll = kNaN, .noise = kNaN, .elbo = kNaN};
    const auto status = json.at("status").get<std::string>();
    outcome.status = status == "done" ? Outcome::Status::done : status == "refused" ? Outcome::Status::refused : Outcome::Status::failed;
    json.at("message").get_to(outcome.message);
    if (!outcome.done()) return outcome;
    outcome.nll = number_of(json.at("nll"));
    outcome.rmse = number_of(json.at("rmse"));
    outcome.coverage = number_of(json.at("coverage95"));
    outcome.validation_nll = number_of(json.at("validation_nll"));
    outcome.noise = number_of(json.at("noise"));
    outcome.elbo = number_of(json.at("elbo"));
    json.at("seconds").get_to(outcome.seconds);
    json.at("training_rows").get_to(outcome.training_rows);
    json.at("iterations").get_to(outcome.iterations);
    for (const Json& value : json.at("trace")) outcome.trace.push_back(number_of(value));
    if (json.contains("hyperparameters")) outcome.hyper = hyper_of(json.at("hyperparameters"));
    json.at("chosen").get_to(outcome.chosen);
    return outcome;
}

std::string refusal(const MethodInfo& method, const SetInfo& set, Index training_rows) {
    if (method.gaussian_only && set.likelihood != "gaussian")
        return fmt::format("{} has Gaussian noise only, {} has a {} likelihood", method.label, set.label, set.likelihood);
    if (method.method == Method::exact && training_rows > kExactRows)
        return fmt::format("{} training rows are more than the {} whose covariance is kept in memory", training_rows, kExactRows);
    return "";
}

Outcome run_cell(const Cell& cell, const Parts& parts, const Context& context) {
    const auto start = std::chrono::steady_clock::now();
    const SetInfo& set = set_info(cell.set);
    const MethodInfo& method = method_info(cell.method);
    FitOptions options = fit_options(method, cell.setting, std::string(set.likelihood));
    if (cell.input_scale != data::Scale::deviation) options.input_scale = cell.input_scale;  // some methods have their own
    if (cell.fixed) options.fixed = in_data_units(*cell.fixed, parts.train, options.input_scale);
    Context seeded = context;
    seeded.seed = cell.seed;
    const FittedModel model = fit(parts.train.inputs, parts.train.targets, options, seeded);

    const bool quick = method.quick_variances;
    Outcome outcome;
    {  // gone before another is made: that of the exact process holds all of its covariance
        const Predictor predictor(model, seeded, 0, quick ? kPublicLanczosSteps : 0);
        const Scores test = scores_of(predictor, model, parts.test, seeded);
        outcome = {.nll = test.nll, .rmse = test.rmse, .coverage = test.coverage};
        outcome.validation_nll = scores_of(predictor, model, parts.validation, seeded).nll;
    }
    outcome.noise = total_noise(model);
    outcome.elbo = model.report.elbo;
    outcome.training_rows = model.report.num_observations;
    outcome.iterations = model.report.iterations;
    outcome.trace = model.report.trace;
    outcome.hyper = model.hyper;
    if (options.neighbors == 0)
        outcome.chosen = fmt::format("{}, K = {}, predicting from {}", model.kernel, model.neighbors, model.prediction_neighbors);
    if (method.method == Method::exact && method.takes_epochs) {  // both readings of the paper's column say what the other has
        const Scores other = scores_of(Predictor(model, seeded, 0, quick ? 0 : kPublicLanczosSteps), model, parts.test, seeded);
        outcome.chosen = fmt::format("{} (NLL {:.3f}, coverage {:.3f} with {})", setting_text(cell.setting), other.nll, other.coverage,
                                     quick ? "exact variances" : fmt::format("the variances of {} Lanczos steps", kPublicLanczosSteps));
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return outcome;
}

const Outcome* best_by_validation(const std::vector<Outcome>& outcomes) {
    const Outcome* best = nullptr;
    for (const Outcome& outcome : outcomes)
        if (outcome.done() && !std::isnan(outcome.validation_nll) && (best == nullptr || outcome.validation_nll < best->validation_nll))
            best = &outcome;
    return best;
}

}  // namespace vnngp::experiments
