// From a CSV file to the numbers a command works on: which columns are meant, and what becomes of rows with missing values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/data/csv_reader.hpp"
#include "vnngp/data/table.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/model/fitted_model.hpp"

namespace vnngp::app {

/// What the user says about the columns of a table to fit to.
struct ColumnOptions {
    std::string target;               ///< empty = "y", or the last column
    std::vector<std::string> inputs;  ///< empty = every column that is neither target nor dropped
    std::vector<std::string> drop;
    std::vector<std::string> lonlat;  ///< empty, or longitude and latitude: inputs also when `inputs` does not name them
    bool drop_missing = false;
};

struct TrainingTable {
    data::Table table;  ///< rows without missing values
    std::string target;
    std::vector<std::string> inputs;
    std::optional<std::pair<Index, Index>> lonlat;  ///< positions among the inputs
    std::int64_t skipped_rows = 0;
    std::vector<std::string> notes;  ///< what was decided for the user
};

/// Reads the whole file. Throws InputError naming file, line and column.
TrainingTable read_training_table(const std::string& path, const ColumnOptions& options, const Context& context);

/// Throws InputError, naming the line, at the first target that the likelihood cannot produce.
void check_targets(const likelihood::Likelihood& likelihood, const data::Table& table, const Vector& targets);

/// The columns a prediction needs, as the file names them; a model without names takes the file's columns as they come.
/// Throws InputError when one is not in the file.
std::vector<std::string> model_columns(const FittedModel& model, const std::string& path, const std::vector<std::string>& file_names);

/// Those columns of a block where the model wants them. Columns that the model does not look at are left at zero.
/// Throws InputError, naming the line, at degrees that are out of range.
Points model_points(const FittedModel& model, const data::Table& block, const std::vector<std::string>& columns);

/// Refuses rows that lack a value in one of the columns, or removes them and returns how many; refuses values too large to be squared.
std::int64_t check_values(data::Table& block, const std::vector<std::string>& columns, bool drop_missing);

}  // namespace vnngp::app
