// Where the data leave gaps, predictions look further.
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/model/fitted_model.hpp"

namespace vnngp::model {

/// Sets model.gap_distance and gap_neighbors from the spacing of the inducing points. In a gap the nearest points lie on its rim, all about
/// as far away, and those behind them still have much to say.
void find_gaps(const Context& context, FittedModel& model);

}  // namespace vnngp::model
