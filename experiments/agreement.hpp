// How near each method's column comes to the paper's.
#pragma once

#include <string>
#include <string_view>

#include "experiments/results.hpp"

namespace vnngp::experiments {

/// Markdown: for each method the sets that are as in the paper, and by how much the others differ; and our default training beside the best
/// of the paper's columns. quantity: nll, rmse or noise. Empty where nothing can be compared.
std::string agreement_text(const Results& results, std::string_view quantity);

}  // namespace vnngp::experiments
