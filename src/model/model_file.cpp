#include "vnngp/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "vnngp/base/error.hpp"
#include "vnngp/kernel/kernel.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/model/tensor_file.hpp"
#include "vnngp_version.hpp"

namespace vnngp {
namespace {

using nlohmann::json;

/// 2 added the metric of the neighbours, the slopes of the mean, places on the sphere. A file of version 1 has none of them.
/// 3 added methods other than vnngp; models of vnngp are still written as version 2.
constexpr int kFormatVersion = 3, kOldestVersion = 1, kVersionWithoutMethods = 2;

json tried_json(const std::vector<Tried>& all) {
    json list = json::array();
    for (const Tried& tried : all)
        list.push_back({{"kernel", tried.kernel},
                        {"k", tried.neighbors},
                        {"prediction_neighbors", tried.prediction_neighbors},
                        {"score", tried.score},
                        {"error", tried.error},
                        {"seconds", tried.seconds}});
    return list;
}

// JSON has no infinities: nlohmann writes null for what is not finite.
double number_of(const json& value) { return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(); }

std::vector<double> numbers_of(const json& list) {
    std::vector<double> numbers;
    for (const json& value : list) numbers.push_back(number_of(value));
    return numbers;
}

std::vector<Tried> tried_of(const json& list) {
    std::vector<Tried> all;
    for (const json& text : list)
        all.push_back({text.at("kernel"), text.at("k"), text.at("prediction_neighbors"), number_of(text.at("score")),
                       number_of(text.at("error")), text.at("seconds")});
    return all;
}

Method method_of(const std::string& name, const std::string& path) {
    for (const Method method : kMethods)
        if (method_name(method) == name) return method;
    throw InputError(fmt::format("'{}' is not a usable model: its method '{}' is not known", path, name));
}

json report_json(const FitReport& report) {
    return {{"inference", report.inference},
            {"n", report.num_observations},
            {"d", report.num_inputs},
            {"m", report.num_inducing},
            {"k", report.num_neighbors},
            {"duplicates_merged", report.duplicates_merged},
            {"elbo", report.elbo},
            {"converged", report.converged},
            {"optimality_gap", report.optimality_gap},
            {"stopped_because", report.stopped_because},
            {"iterations", report.iterations},
            {"trace", report.trace},
            {"passes", report.passes},
            {"linear_iterations", report.linear_iterations},
            {"neighbors_changed", report.neighbors_changed},
            {"tried", tried_json(report.tried)},
            {"seconds",
             {{"choose", report.seconds_choose},
              {"neighbors", report.seconds_neighbors},
              {"train", report.seconds_train},
              {"total", report.seconds_total}}},
            {"jitter", {{"raised", report.jitter.raised}, {"max", report.jitter.largest}}},
            {"warnings", report.warnings},
            {"notes", report.notes}};
}

FitReport report_of(const json& text) {
    FitReport report;
    report.inference = text.at("inference");
    report.num_observations = text.at("n");
    report.num_inputs = text.at("d");
    report.num_inducing = text.at("m");
    report.num_neighbors = text.at("k");
    report.duplicates_merged = text.at("duplicates_merged");
    report.elbo = number_of(text.at("elbo"));
    report.converged = text.at("converged");
    report.optimality_gap = number_of(text.at("optimality_gap"));
    report.stopped_because = text.at("stopped_because");
    report.iterations = text.at("iterations");
    report.trace = numbers_of(text.at("trace"));
    // Files of version 1 may lack what later versions of the program report.
    report.passes = text.value("passes", std::int64_t{0});
    report.linear_iterations = text.value("linear_iterations", std::int64_t{0});
    report.neighbors_changed = numbers_of(text.value("neighbors_changed", json::array()));
    report.tried = tried_of(text.value("tried", json::array()));
    report.seconds_choose = text.at("seconds").value("choose", 0.0);
    report.seconds_neighbors = text.at("seconds").at("neighbors");
    report.seconds_train = text.at("seconds").at("train");
    report.seconds_total = text.at("seconds").at("total");
    report.jitter = {text.at("jitter").at("raised"), number_of(text.at("jitter").at("max"))};
    report.warnings = text.at("warnings").get<std::vector<std::string>>();
    report.notes = text.at("notes").get<std::vector<std::string>>();
    return report;
}

Vector as_vector(const std::vector<double>& values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}
std::vector<double> as_list(const Vector& values) { return {values.begin(), values.end()}; }

// What the arrays must satisfy for a prediction to be possible: a file can be intact and still make no sense.
void check_consistency(const FittedModel& model, const std::string& path) {
    const auto require = [&](bool holds, std::string_view what) {
        if (!holds) throw InputError(fmt::format("'{}' is not a usable model: {}", path, what));
    };
    if (model.lonlat) {
        const auto [lon, lat] = *model.lonlat;
        const auto uses = [&](Index column) { return std::count(model.used_columns.begin(), model.used_columns.end(), column) == 1; };
        require(lon != lat && uses(lon) && uses(lat), "its longitude and latitude are not among its input columns");
    }
    const Eigen::Index dims = static_cast<Eigen::Index>(model.used_columns.size()) + (model.lonlat ? 1 : 0);
    require(dims > 0 && model.inducing.cols() == dims && model.inducing.rows() > 0, "its inducing points do not match its input columns");
    require(model.input_scaling.center.size() == dims && model.input_scaling.scale.size() == dims,
            "its input scales do not match its input columns");
    require(model.input_names.empty() || static_cast<Index>(model.input_names.size()) == model.num_columns,
            "its column names do not match its columns");
    for (const Index column : model.used_columns)
        require(column >= 0 && column < model.num_columns, "it uses a column that it does not have");
    require(model.posterior.mean.size() == model.inducing.rows() && model.posterior.variance.size() == model.inducing.rows(),
            "its posterior does not match its inducing points");
    const Eigen::Index inducing = model.inducing.rows();
    if (model.method == Method::svgp)
        require(
            model.posterior_factor.rows() == inducing && (model.posterior_factor.cols() == inducing || model.posterior_factor.cols() == 1),
            "the covariance of its posterior does not match its inducing points");
    require(model.weights.size() == 0 || model.weights.size() == inducing, "its weights do not match its points");
    require(model.prediction_neighbors >= 1, "it has no number of neighbours");
    const auto positive = [](double value) { return std::isfinite(value) && value > 0.0; };
    require(model.inducing.allFinite() && model.posterior.mean.allFinite() && model.posterior.variance.allFinite() &&
                (model.posterior.variance.array() >= 0.0).all(),
            "its points or its posterior hold values that cannot be");
    require(positive(model.hyper.outputscale) && std::isfinite(model.hyper.nugget) && model.hyper.nugget >= 0.0 &&
                std::isfinite(model.hyper.mean) && std::isfinite(model.jitter) && positive(model.target_scaling.scale) &&
                std::all_of(model.hyper.shape.begin(), model.hyper.shape.end(), positive) &&
                std::all_of(model.hyper.likelihood.begin(), model.hyper.likelihood.end(), positive),
            "its hyperparameters hold values that cannot be");
    require(model.gap_neighbors == 0 || (model.gap_neighbors > 0 && std::isnormal(model.gap_distance) && model.gap_distance > 0.0),
            "its gaps have no distance");
    const auto& tails = model.calibration.model_tails;
    require(tails.empty() || (tails.size() <= std::size(kCalibratedTails) && std::is_sorted(tails.rbegin(), tails.rend()) &&
                              tails.front() <= 1.0 && positive(tails.back())),
            "the calibration of its quantiles makes no sense");
    require(model.mean_columns.size() == model.hyper.slopes.size(), "the slopes of its mean do not match their columns");
    for (const Index column : model.mean_columns) require(column >= 0 && column < dims, "its mean uses a coordinate that it does not have");
    const auto kernel = kernel::make_kernel(model.kernel, kernel_inputs(model));
    require(static_cast<int>(model.hyper.shape.size()) == kernel->num_parameters(), "its kernel parameters do not match its kernel");
    require(model.hyper.likelihood.size() == likelihood::make_likelihood(model.likelihood)->parameters().size(),
            "its likelihood parameters do not match its likelihood");
}

}  // namespace

void save_model(const std::string& path, const FittedModel& model) {
    model::TensorFile file;
    file.metadata["format"] = "vnngp-model";
    file.metadata["format_version"] = std::to_string(model.method == Method::vnngp ? kVersionWithoutMethods : kFormatVersion);
    file.metadata["written_by"] = "vnngp " VNNGP_VERSION;
    json description{{"kernel", model.kernel},
                     {"likelihood", model.likelihood},
                     {"input_names", model.input_names},
                     {"target_name", model.target_name},
                     {"num_columns", model.num_columns},
                     {"neighbors", model.neighbors},
                     {"prediction_neighbors", model.prediction_neighbors},
                     {"metric", model.metric == Metric::kernel ? "kernel" : "euclidean"},
                     {"report", report_json(model.report)}};
    description["report"]["method"] = method_name(model.method);
    if (model.gap_neighbors > 0) description["gap"] = {{"distance", model.gap_distance}, {"neighbors", model.gap_neighbors}};
    if (model.shared_nugget) description["shared_nugget"] = true;
    if (!model.calibration.model_tails.empty()) description["calibrated_tails"] = model.calibration.model_tails;
    if (model.lonlat) description["lonlat"] = {model.lonlat->first, model.lonlat->second};
    file.metadata["model"] = description.dump();
    file.add("inducing", model.inducing);
    file.add("posterior.mean", model.posterior.mean);
    file.add("posterior.variance", model.posterior.variance);
    if (model.posterior_factor.size() > 0) file.add("posterior.factor", model.posterior_factor);
    if (model.weights.size() > 0) file.add("posterior.weights", model.weights);
    file.add("used_columns", model.used_columns);
    file.add("input.center", model.input_scaling.center);
    file.add("input.scale", model.input_scaling.scale);
    file.add("target.center_scale", Vector{{model.target_scaling.center, model.target_scaling.scale}});
    file.add("kernel.shape", as_vector(model.hyper.shape));
    file.add("outputscale_nugget_mean_jitter", Vector{{model.hyper.outputscale, model.hyper.nugget, model.hyper.mean, model.jitter}});
    file.add("likelihood.parameters", as_vector(model.hyper.likelihood));
    if (!model.mean_columns.empty()) {
        file.add("mean.slopes", as_vector(model.hyper.slopes));
        file.add("mean.columns", model.mean_columns);
    }
    model::write_tensor_file(path, file);
}

FittedModel load_model(const std::string& path) {
    model::TensorFile file = model::read_tensor_file(path);
    const auto format = file.metadata.find("format");
    if (format == file.metadata.end() || format->second != "vnngp-model")
        throw InputError(fmt::format("'{}' is not a vnngp model{}", path,
                                     format == file.metadata.end() ? "" : fmt::format(" but a {}", format->second)));
    const bool readable = [&] {
        for (int version = kOldestVersion; version <= kFormatVersion; ++version)
            if (file.text("format_version") == std::to_string(version)) return true;
        return false;
    }();
    if (!readable)
        throw InputError(fmt::format("'{}' has model format version {}, written by {}; this is vnngp {} and reads versions {} to {}", path,
                                     file.text("format_version"), file.text("written_by"), VNNGP_VERSION, kOldestVersion, kFormatVersion));
    FittedModel model;
    try {
        const json description = json::parse(file.text("model"));
        model.kernel = description.at("kernel");
        model.likelihood = description.at("likelihood");
        model.input_names = description.at("input_names").get<std::vector<std::string>>();
        model.target_name = description.at("target_name");
        model.num_columns = description.at("num_columns");
        model.neighbors = description.at("neighbors");
        model.prediction_neighbors = description.at("prediction_neighbors");
        model.metric = description.value("metric", "euclidean") == "kernel" ? Metric::kernel : Metric::euclidean;
        model.report = report_of(description.at("report"));
        model.method = method_of(description["report"].at("method"), path);
        if (description.contains("gap")) {
            model.gap_distance = description["gap"].at("distance");
            model.gap_neighbors = description["gap"].at("neighbors");
        }
        model.shared_nugget = description.value("shared_nugget", false);
        model.calibration.model_tails = description.value("calibrated_tails", std::vector<double>());
        if (description.contains("lonlat")) model.lonlat = description["lonlat"].get<std::pair<Index, Index>>();
    } catch (const json::exception& error) {
        throw InputError(fmt::format("'{}' is not a usable model: {}", path, error.what()));
    }
    model.inducing = file.take_points("inducing");
    model.posterior = {file.take_vector("posterior.mean"), file.take_vector("posterior.variance")};
    if (file.tensors.contains("posterior.factor")) model.posterior_factor = file.take_points("posterior.factor");
    if (file.tensors.contains("posterior.weights")) model.weights = file.take_vector("posterior.weights");
    model.used_columns = file.indices("used_columns");
    model.input_scaling = {file.vector("input.center"), file.vector("input.scale")};
    const Vector target = file.vector("target.center_scale"), scalars = file.vector("outputscale_nugget_mean_jitter");
    if (target.size() != 2 || scalars.size() != 4)
        throw InputError(fmt::format("'{}' is not a usable model: its scalars are incomplete", path));
    model.target_scaling = {target[0], target[1]};
    model.hyper = {as_list(file.vector("kernel.shape")), scalars[0], scalars[1], scalars[2], as_list(file.vector("likelihood.parameters"))};
    model.jitter = scalars[3];
    if (file.tensors.contains("mean.slopes")) {
        model.hyper.slopes = as_list(file.vector("mean.slopes"));
        model.mean_columns = file.indices("mean.columns");
    }
    check_consistency(model, path);
    return model;
}

}  // namespace vnngp
