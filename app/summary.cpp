#include "app/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/output.hpp"
#include "app/report_json.hpp"

namespace vnngp::app {
namespace {

std::string variance_line(std::string_view name, double variance) {
    return fmt::format("  {:<20}{:<12.4g}(standard deviation {:.4g})\n", name, variance, std::sqrt(variance));
}

std::string value_line(std::string_view name, double value) { return fmt::format("  {:<20}{:.4g}\n", name, value); }

std::string hyperparameter_lines(const FittedModel& model) {
    const auto hyper = in_data_units(model);
    const auto inputs = kernel_inputs(model);
    std::string text = "Learned, in the units of the data\n";
    std::size_t width = 0;
    for (const auto& input : inputs) width = std::max(width, input.name.size());
    for (std::size_t d = 0; d < hyper.shape.size(); ++d)
        text += fmt::format("  {:<20}{:<{}}  {:.4g}{}\n", d == 0 ? "length-scale of" : "", inputs[d].name, width, hyper.shape[d],
                            inputs[d].num_dims == 3 ? " km" : "");
    text += variance_line("outputscale", hyper.outputscale);
    for (const auto& [name, value] : likelihood_parameters(model, hyper))
        text += name == "degrees_of_freedom" ? value_line("degrees of freedom", value) : variance_line(name, value);
    if (hyper.nugget > 0.0) text += variance_line("nugget", hyper.nugget);
    return text + value_line("mean", hyper.mean);
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
        text += fmt::format("        {} at the place of an earlier one\n", counted(report.duplicates_merged, "observation"));
    text += fmt::format(
        "Model   {}: {} likelihood, {} kernel, {}, {} each{}\n", report.method, model.likelihood, model.kernel,
        counted(report.num_inducing, "inducing point"), counted(report.num_neighbors, "neighbour"),
        model.prediction_neighbors != report.num_neighbors ? fmt::format(" ({} when predicting)", model.prediction_neighbors) : "");
    text += fmt::format("Fit     {}, {}; {}; bound on the log evidence {:.4f} per observation (standardised)\n", report.stopped_because,
                        counted(report.iterations, "step"), report.converged ? "converged" : "not yet converged", report.elbo_per_point());
    return text + hyperparameter_lines(model);
}

}  // namespace vnngp::app
