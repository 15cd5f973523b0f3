// A model in a few lines for people.
#pragma once

#include <string>

#include "vnngp/model/fitted_model.hpp"

namespace vnngp::app {

/// Data, model, hyperparameters in data units, and how the fit ended.
std::string model_summary(const FittedModel& model);

}  // namespace vnngp::app
