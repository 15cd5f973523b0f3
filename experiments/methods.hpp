// The methods that are compared: their names, their colours, and how vnngp::fit is asked for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/chart.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::experiments {

/// What the paper tunes on the validation part. 0: does not apply.
struct Setting {
    Index neighbors = 0;  ///< K
    Index inducing = 0;   ///< M
    int epochs = 0;
    double learning_rate = 0.0;

    bool operator==(const Setting&) const = default;
};

/// "K = 32, M = 1,024, 300 epochs at 0.01"
std::string setting_text(const Setting& setting);

struct MethodInfo {
    std::string_view key;    ///< exact, exact-quick, exact-ml, sggp, svgp, swsgp-m, swsgp-n, vnngp, vnngp-m, vnngp-closed
    std::string_view label;  ///< as the paper writes it
    std::string_view text;   ///< what it is, in less than a line
    chart::Color color;
    Method method;
    bool in_tables = true;
    bool takes_neighbors = false;
    bool takes_inducing = false;
    bool takes_epochs = false;
    bool gaussian_only = false;
    /// Of Lanczos' method; with inputs between -1 and 1 and prior mean 0: a second reading of the paper's column.
    bool quick_variances = false;
};

const std::vector<MethodInfo>& all_methods();
/// Throws InputError with a suggestion for a name that is not there.
const MethodInfo& method_info(std::string_view key);

/// Options of the fit: the paper's training, or our own defaults for vnngp-closed. What the setting leaves at 0 stays at its default.
FitOptions fit_options(const MethodInfo& method, const Setting& setting, const std::string& likelihood);

/// Which settings compete on the validation part.
enum class Grid {
    single,     ///< one: K = 32, M = 1,024
    wide,       ///< K in {32, 256} and all M, with one way of training
    published,  ///< the paper's: also two numbers of epochs and two learning rates
};

/// The settings to choose from for a data set of so many training rows. quick: a few epochs and neighbours, for trying out.
std::vector<Setting> settings_of(const MethodInfo& method, Index training_rows, Grid grid, bool quick);

}  // namespace vnngp::experiments
