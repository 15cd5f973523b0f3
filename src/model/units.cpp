// Hyperparameters between the units of the data and the standardised scales.
#include <fmt/format.h>

#include "vnngp/base/error.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/model/fitted_model.hpp"

namespace vnngp {
namespace {

// What a standardised length-scale or period, a variance and a variance of the likelihood are multiplied by.
void scale_positive(const FittedModel& model, inference::Hyperparameters& hyper, bool to_data) {
    const auto by = [to_data](double& value, double factor) { to_data ? value *= factor : value /= factor; };
    const double variance = model.target_scaling.scale * model.target_scaling.scale;
    const auto inputs = kernel_inputs(model);
    const auto parameters = kernel::make_kernel(model.kernel, inputs)->parameters();
    for (std::size_t p = 0; p < hyper.shape.size(); ++p)
        if (parameters[p].input >= 0) by(hyper.shape[p], inputs[parameters[p].input].scale);
    by(hyper.outputscale, variance);
    by(hyper.nugget, variance);
    const auto likelihood = likelihood::make_likelihood(model.likelihood);
    for (std::size_t p = 0; p < hyper.likelihood.size(); ++p)
        if (likelihood->parameters()[p].is_variance) by(hyper.likelihood[p], variance);
}

}  // namespace

// mu = mean + sum_c slope_c (x_c - center_c) / scale_c
inference::Hyperparameters in_data_units(const FittedModel& model) {
    inference::Hyperparameters hyper = model.hyper;
    scale_positive(model, hyper, true);
    for (std::size_t c = 0; c < hyper.slopes.size(); ++c) {
        hyper.slopes[c] /= model.input_scaling.scale[model.mean_columns[c]];
        hyper.mean -= hyper.slopes[c] * model.input_scaling.center[model.mean_columns[c]];
        hyper.slopes[c] *= model.target_scaling.scale;
    }
    hyper.mean = hyper.mean * model.target_scaling.scale + model.target_scaling.center;
    return hyper;
}

inference::Hyperparameters in_standard_units(const FittedModel& model, inference::Hyperparameters hyper) {
    const auto require_size = [](std::size_t given, std::size_t wanted, std::string_view what) {
        if (given != wanted) throw InputError(fmt::format("{} known {}: expected {}", given, what, wanted));
    };
    require_size(hyper.shape.size(), kernel::make_kernel(model.kernel, kernel_inputs(model))->parameters().size(),
                 "parameters of the kernel");
    require_size(hyper.likelihood.size(), likelihood::make_likelihood(model.likelihood)->parameters().size(),
                 "parameters of the likelihood");
    require_size(hyper.slopes.size(), model.mean_columns.size(), "slopes of the mean");
    scale_positive(model, hyper, false);
    hyper.mean = (hyper.mean - model.target_scaling.center) / model.target_scaling.scale;
    for (std::size_t c = 0; c < hyper.slopes.size(); ++c) {
        hyper.slopes[c] /= model.target_scaling.scale;
        hyper.mean += hyper.slopes[c] * model.input_scaling.center[model.mean_columns[c]];
        hyper.slopes[c] *= model.input_scaling.scale[model.mean_columns[c]];
    }
    return hyper;
}

}  // namespace vnngp
