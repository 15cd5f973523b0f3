// From standardised data to a trained model, by whichever inference is asked for.
#pragma once

#include "vnngp/inference/stochastic.hpp"
#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

/// inputs and targets: standardised by the scales that `model` already has. options: nothing left to choose. `warm`: hyperparameters that
/// are already good, or null. Fills the model's hyperparameters, posterior, inducing points, and its report.
void train(const Context& context, Points inputs, Vector targets, const likelihood::Likelihood& likelihood, const FitOptions& options,
           const inference::Hyperparameters* warm, FittedModel& model);

/// Minibatches as the options have them.
inference::StochasticOptions minibatch_training(const inference::Problem& problem, const FitOptions& options, const FittedModel& model);

}  // namespace vnngp::model
