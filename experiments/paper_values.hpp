// The numbers of the paper's tables 1 to 3, as printed.
#pragma once

#include <optional>
#include <string_view>

namespace vnngp::experiments {

struct PaperValue {
    double mean;
    double error;  ///< one standard error over three seeds
    bool bold = false;
};

/// quantity: nll, rmse or noise. Empty where the paper has no number: stand-ins, our own columns, methods that cannot do it.
std::optional<PaperValue> paper_value(std::string_view quantity, std::string_view set, std::string_view method);

}  // namespace vnngp::experiments
