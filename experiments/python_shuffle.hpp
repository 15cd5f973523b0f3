// The order in which Python's random.Random(seed).shuffle() puts 0 .. count-1, so that bench/datasets.py and the experiments split a data
// set into the same parts.
#pragma once

#include <cstdint>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::experiments {

std::vector<Index> python_shuffle(Index count, std::uint64_t seed);

}  // namespace vnngp::experiments
