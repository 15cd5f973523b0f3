// What the user left open (kernel, K, neighbours of a prediction) decided by scores on data held out of a sample.
#pragma once

#include <optional>

#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

struct Choice {
    FitOptions options;                               ///< nothing left open
    std::optional<inference::Hyperparameters> hyper;  ///< learned on a sample that stands for all the data, where there was one
    std::vector<Tried> tried;
    Calibration calibration;
    std::vector<std::string> notes, warnings;
};

/// points and targets as the user gave them; inputs and scaled_targets standardised by `model`, which has its columns and scales.
Choice choose(const Context& context, const Points& points, const Vector& targets, const Points& inputs, const Vector& scaled_targets,
              const likelihood::Likelihood& likelihood, const FitOptions& options, const FittedModel& model);

}  // namespace vnngp::model
