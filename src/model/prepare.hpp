// The stages before inference: from the user's numbers to a Problem on standardised scales.
#pragma once

#include "vnngp/inference/parameters.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

/// Throws InputError for data that no model can be fitted to: sizes that differ, too few rows, values that are not finite, nothing that
/// varies.
void check_data(const Points& points, const Vector& targets, const FitOptions& options, const likelihood::Likelihood& likelihood);

/// Chooses the columns that vary and the scales of inputs and targets; records them in the model. Returns the standardised inputs.
/// zero_mean: targets are scaled but not centred.
Points standardize(const Points& points, const Vector& targets, const likelihood::Likelihood& likelihood, const FitOptions& options,
                   FittedModel& model);

/// The coordinates in which the prior mean is linear.
std::vector<Index> mean_columns(const MeanOption& mean, const FittedModel& model);

/// Inducing points at every distinct input (at every observation for the response likelihood) in the requested order, or options.inducing
/// k-means centres. The graphs are left to inference. Clamps the numbers of neighbours; notes go to model.report.
inference::Problem build_problem(Points inputs, Vector targets, const kernel::Kernel& kernel, const likelihood::Likelihood& likelihood,
                                 const FitOptions& options, const Context& context, FittedModel& model);

/// Where every run starts: length-scales and variances at 0.6931, as published; or those that are known.
inference::Hyperparameters initial_hyperparameters(const inference::Problem& problem, const FitOptions& options, const FittedModel& model);

/// What is learned besides the parameters of kernel and likelihood.
inference::Learned learned(const FitOptions& options);

/// What a user should know before trusting the fit: parameters at a bound, raised jitter, training that did not settle.
void add_warnings(const likelihood::Likelihood& likelihood, FittedModel& model);

}  // namespace vnngp::model
