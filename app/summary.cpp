#include "app/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/output.hpp"
#include "app/report_json.hpp"

namespace vnngp::app {
namespace {

constexpr std::size_t kNameColumn = 18;  ///< wider where a name is longer

/// A name, and what is said of it.
using Line = std::pair<std::string, std::string>;

Line variance_line(std::string name, double variance) {
    return {std::move(name), fmt::format("{:<12.4g}(standard deviation {:.4g})", variance, std::sqrt(variance))};
}

Line value_line(std::string name, double value) { return {std::move(name), fmt::format("{:.4g}", value)}; }

std::string aligned(const std::vector<Line>& lines) {
    std::size_t width = kNameColumn;
    for (const auto& [name, value] : lines) width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, value] : lines) text += fmt::format("  {:<{}}  {}\n", name, width, value);
    return text;
}

// lengthscale_t -> length-scale t
std::string display_name(const std::string& parameter) {
    constexpr std::string_view prefix = "lengthscale_";
    return parameter.rfind(prefix, 0) == 0 ? "length-scale " + parameter.substr(prefix.size()) : parameter;
}

std::vector<std::string> input_of_coordinate(const std::vector<kernel::Input>& inputs) {
    constexpr std::string_view axes = "xyz";
    std::vector<std::string> names;
    for (const auto& input : inputs)
        for (int dim = 0; dim < input.num_dims; ++dim)
            names.push_back(input.num_dims == 1 ? input.name : fmt::format("{} {}", input.name, axes[static_cast<std::size_t>(dim)]));
    return names;
}

std::string tried_lines(const FitReport& report) {
    if (report.tried.empty()) return "";
    std::vector<Line> lines;
    for (const Tried& tried : report.tried)
        lines.emplace_back(tried.kernel,
                           fmt::format("K {:<5} predicting from {:<5} {:.4f}", tried.neighbors, tried.prediction_neighbors, tried.score));
    return "Tried, by log density of held-out rows\n" + aligned(lines);
}

std::string hyperparameter_lines(const FittedModel& model) {
    const auto hyper = in_data_units(model);
    const auto inputs = kernel_inputs(model);
    const auto parameters = kernel::make_kernel(model.kernel, inputs)->parameters();
    std::vector<Line> lines;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const auto& parameter = parameters[p];
        const bool sphere = parameter.input >= 0 && inputs[parameter.input].num_dims == 3;
        lines.emplace_back(display_name(parameter.name), fmt::format("{:.4g}{}", hyper.shape[p], sphere ? " km" : ""));
    }
    lines.push_back(variance_line("outputscale", hyper.outputscale));
    for (const auto& [name, value] : likelihood_parameters(model, hyper))
        lines.push_back(name == "degrees_of_freedom" ? value_line("degrees of freedom", value) : variance_line(name, value));
    if (hyper.nugget > 0.0) lines.push_back(variance_line("nugget", hyper.nugget));
    if (hyper.nugget > 0.0 && model.likelihood == "gaussian")
        lines.push_back(variance_line("noise + nugget", hyper.likelihood[0] + hyper.nugget));
    lines.push_back(value_line(hyper.slopes.empty() ? "mean" : "mean at zero", hyper.mean));
    const auto dims = input_of_coordinate(inputs);
    for (std::size_t c = 0; c < hyper.slopes.size(); ++c)
        lines.push_back(value_line(fmt::format("slope of {}", dims[static_cast<std::size_t>(model.mean_columns[c])]), hyper.slopes[c]));
    return "Learned, in the units of the data\n" + aligned(lines);
}

bool has_likelihood(const FittedModel& model) {
    return model.method == Method::exact || model.method == Method::sggp || model.report.inference == "response";
}

// Inducing points and neighbours, where the method has them.
std::string structure(const FittedModel& model) {
    const FitReport& report = model.report;
    if (model.method == Method::exact) return "";
    const std::string inducing = ", " + counted(report.num_inducing, "inducing point");
    if (model.method == Method::svgp) return inducing;
    return fmt::format(
        "{}, {} each{}", inducing, counted(report.num_neighbors, "neighbour"),
        model.prediction_neighbors != report.num_neighbors ? fmt::format(" ({} when predicting)", model.prediction_neighbors) : "");
}

}  // namespace

std::string model_summary(const FittedModel& model) {
    const FitReport& report = model.report;
    const auto inputs = used_inputs(model);
    constexpr std::size_t kNamesShown = 8;
    const auto shown = inputs.begin() + static_cast<std::ptrdiff_t>(std::min(inputs.size(), kNamesShown));
    std::string text = fmt::format("Data    {} of {} given {}{}\n", counted(report.num_observations, "observation"),
                                   model.target_name.empty() ? "a target" : model.target_name, fmt::join(inputs.begin(), shown, ", "),
                                   inputs.size() > kNamesShown ? fmt::format(", ... ({} inputs)", inputs.size()) : "");
    if (report.duplicates_merged > 0)
        text += fmt::format("        {} at the place of an earlier one{}\n", counted(report.duplicates_merged, "observation"),
                            model.shared_nugget ? "; a new one at a known place shares its nugget" : "");
    text += fmt::format("Model   {}: {} likelihood, {} kernel{}\n", method_name(model.method), model.likelihood, model.kernel,
                        structure(model));
    text += fmt::format("Fit     {}: {} after {} ({}); {} {:.4f} per observation (standardised)\n", report.inference,
                        report.converged ? "converged" : "not yet converged",
                        counted(report.iterations, report.inference == "stochastic" ? "step" : "evaluation"), report.stopped_because,
                        has_likelihood(model) ? "log likelihood" : "bound on the log evidence", report.elbo_per_point());
    return text + tried_lines(report) + hyperparameter_lines(model);
}

}  // namespace vnngp::app
