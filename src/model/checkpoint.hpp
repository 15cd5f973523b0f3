// The saved state of an unfinished run. Not a promised format: only the version that wrote a checkpoint reads it.
#pragma once

#include <string>

#include "vnngp/inference/stochastic.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

/// Identifies data and options of a run: a checkpoint of another run must not be continued.
std::string run_fingerprint(const FitOptions& options, std::uint64_t seed, const inference::Problem& problem);

void write_checkpoint(const std::string& path, const std::string& fingerprint, const inference::StochasticState& state);

/// `initial` supplies the expected sizes. Throws InputError when there is no checkpoint, or it belongs to another run.
inference::StochasticState read_checkpoint(const std::string& path, const std::string& fingerprint, inference::StochasticState initial);

}  // namespace vnngp::model
