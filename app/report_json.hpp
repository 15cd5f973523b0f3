// What `--json` says of a model and of a fit.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "vnngp/model/fitted_model.hpp"

namespace vnngp::app {

using Json = nlohmann::ordered_json;

/// JSON has no infinities and no NaN: null.
Json number(double value);

/// The names of the inputs that the model looks at, in the order of its length-scales; "lon,lat" for a place on the sphere.
std::vector<std::string> used_inputs(const FittedModel& model);

struct KernelParameter {
    std::string name;
    double value;
    bool is_lengthscale;
};
/// The kernel's parameters, in the scale of `hyper`.
std::vector<KernelParameter> kernel_parameters(const FittedModel& model, const inference::Hyperparameters& hyper);

/// The likelihood's parameters by name, in the scale of `hyper`.
std::vector<std::pair<std::string, double>> likelihood_parameters(const FittedModel& model, const inference::Hyperparameters& hyper);

/// Everything that the model itself knows: the fields that fit and inspect share.
Json model_json(const FittedModel& model);

double peak_memory_mib();

}  // namespace vnngp::app
