// Fitting a model to data.
//
//     auto fitted = vnngp::fit(points, targets, {.neighbors = 32});
//     auto prediction = fitted.predict(grid);      // prediction.mean, prediction.variance
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp {

/// points: one row per observation; targets: as many values. Inputs and (for continuous likelihoods) targets are standardised internally.
/// Both are given up before training: who moves them here saves their memory.
/// Throws InputError for options or data that cannot be used, NumericalError when training fails, Interrupted on Context::stop.
FittedModel fit(Points points, Vector targets, const FitOptions& options = {}, const Context& context = {});

/// Removes the checkpoint of a finished run, if there is one: to be called once its model is safe.
void discard_checkpoint(const std::string& path);

}  // namespace vnngp
