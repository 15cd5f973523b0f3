// Training by the methods that vnngp is compared with.
#pragma once

#include "vnngp/inference/problem.hpp"
#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

/// As train(), for every method but vnngp. Leaves the inducing points in `problem`.
void train_rival(const Context& context, inference::Problem& problem, const FitOptions& options, FittedModel& model);

}  // namespace vnngp::model
