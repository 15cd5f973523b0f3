// The stages before inference: from the user's numbers to a Problem on standardised scales.
#pragma once

#include "vnngp/inference/problem.hpp"
#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

/// Throws InputError for data that no model can be fitted to: sizes that differ, too few rows, values that are not finite, nothing that
/// varies.
void check_data(const Points& points, const Vector& targets, const FitOptions& options, const likelihood::Likelihood& likelihood);

/// Chooses the columns that vary and the scales of inputs and targets; records them in the model. Returns the standardised inputs.
Points standardize(const Points& points, const Vector& targets, const likelihood::Likelihood& likelihood, FittedModel& model);

/// Inducing points at every distinct input in the requested order, or options.inducing k-means centres, and their neighbours.
/// Clamps the numbers of neighbours. Notes and timings go to model.report.
inference::Problem build_problem(const Points& inputs, Vector targets, const kernel::Kernel& kernel,
                                 const likelihood::Likelihood& likelihood, const FitOptions& options, const Context& context,
                                 FittedModel& model);

/// Where every run starts: length-scales and variances at 0.6931, as published.
inference::Hyperparameters initial_hyperparameters(const inference::Problem& problem, const FitOptions& options, const FittedModel& model);

}  // namespace vnngp::model
