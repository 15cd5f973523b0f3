#include "app/table_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "app/output.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/data/sphere.hpp"

namespace vnngp::app {
namespace {

constexpr std::int64_t kFewestRows = 3;
constexpr double kLargestMagnitude = 1e150;

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The model file stores names as JSON.
void require_utf8(const std::string& path, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) try {
            nlohmann::json(names[i]).dump();
        } catch (const nlohmann::json::exception&) {
            throw InputError(fmt::format("{}: the name of column {} is not UTF-8; save the file as UTF-8", path, i + 1));
        }
}

void choose_columns(const std::string& path, const std::vector<std::string>& names, const ColumnOptions& options, TrainingTable& training) {
    training.target = options.target;
    if (options.target.empty()) {
        training.target = contains(names, "y") ? "y" : names.back();
        training.notes.push_back(fmt::format("no --target was given: fitting the column '{}'", training.target));
    }
    data::column_index(path, names, training.target);
    for (const auto* list : {&options.inputs, &options.drop}) {
        const char* option = list == &options.inputs ? "--inputs" : "--drop";
        for (const std::string& name : *list) {
            data::column_index(path, names, name);
            if (name == training.target) throw InputError(fmt::format("{} names the target '{}'", option, name));
        }
        if (std::set<std::string>(list->begin(), list->end()).size() != list->size())
            throw InputError(fmt::format("{} names a column twice", option));
    }
    training.inputs = options.inputs;
    if (options.inputs.empty())
        for (const std::string& name : names)
            if (name != training.target && !contains(options.drop, name)) training.inputs.push_back(name);
    if (training.inputs.empty())
        throw InputError(fmt::format("{}: there is no input column besides the target '{}'", path, training.target));
}

// Makes longitude and latitude inputs, and finds their positions.
void choose_lonlat(const std::string& path, const std::vector<std::string>& names, const ColumnOptions& options, TrainingTable& training) {
    if (options.lonlat.empty()) return;
    if (options.lonlat.size() != 2 || options.lonlat[0] == options.lonlat[1])
        throw InputError(fmt::format("--lonlat {}: expected the names of two columns, longitude and latitude, as in lon,lat",
                                     fmt::join(options.lonlat, ",")));
    const auto position = [&](const std::string& name) {
        data::column_index(path, names, name);
        if (name == training.target) throw InputError(fmt::format("--lonlat names the target '{}'", name));
        if (contains(options.drop, name)) throw InputError(fmt::format("--lonlat and --drop both name '{}'", name));
        if (!contains(training.inputs, name)) training.inputs.push_back(name);
        return static_cast<Index>(std::find(training.inputs.begin(), training.inputs.end(), name) - training.inputs.begin());
    };
    const Index lon = position(options.lonlat[0]), lat = position(options.lonlat[1]);
    training.lonlat = {lon, lat};
}

// The library would count rows of the block; a user looks for lines of the file.
void check_degrees(const data::Table& block, const std::string& lon, const std::string& lat) {
    const auto check = [&](const std::string& name, double limit, const std::string& noun) {
        data::require_degrees(block.columns[data::column_index(block, name)], limit, noun, [&](std::size_t row) {
            return fmt::format("{}, line {}, column '{}'", block.source, block.line_numbers[row], name);
        });
    };
    check(lon, data::kLargestLongitude, "longitude");
    check(lat, data::kLargestLatitude, "latitude");
}

// Adds the way out where the reader complains about a column that was made an input without being asked for.
[[noreturn]] void rethrow_with_advice(const InputError& error, const std::vector<std::string>& inputs) {
    const std::string message = error.what();
    for (const std::string& name : inputs)
        if (message.find(fmt::format("column '{}': ", name)) != std::string::npos)
            throw InputError(fmt::format("{}; to leave the column out: --drop {}", message, shell_word(name)));
    throw error;
}

}  // namespace

TrainingTable read_training_table(const std::string& path, const ColumnOptions& options, const Context& context) {
    data::CsvReader reader(path);
    require_utf8(path, reader.names());
    TrainingTable training;
    choose_columns(path, reader.names(), options, training);
    choose_lonlat(path, reader.names(), options, training);
    std::vector<std::string> columns = training.inputs;
    columns.push_back(training.target);
    reader.select(columns);
    try {
        training.table = reader.rest(context);
    } catch (const InputError& error) {
        if (options.inputs.empty()) rethrow_with_advice(error, training.inputs);
        throw;
    }
    if (const auto skipped = data::drop_rows_with_missing(training.table, {training.target}); skipped > 0) {
        training.notes.push_back(fmt::format("{} without a value of the target '{}' skipped", counted(skipped, "row"), training.target));
        training.skipped_rows += skipped;
    }
    if (const auto skipped = check_values(training.table, training.inputs, options.drop_missing); skipped > 0) {
        training.notes.push_back(fmt::format("{} with a missing input skipped", counted(skipped, "row")));
        training.skipped_rows += skipped;
    }
    check_values(training.table, {training.target}, false);
    if (training.lonlat) check_degrees(training.table, options.lonlat[0], options.lonlat[1]);
    data::require_rows(training.table, kFewestRows);
    return training;
}

void check_targets(const likelihood::Likelihood& likelihood, const data::Table& table, const Vector& targets) {
    likelihood.check_targets({targets.data(), static_cast<std::size_t>(targets.size())},
                             [&](std::size_t row) { return fmt::format("{}, line {}", table.source, table.line_numbers[row]); });
}

std::vector<std::string> model_columns(const FittedModel& model, const std::string& path, const std::vector<std::string>& file_names) {
    const bool named = !model.input_names.empty();
    if (!named && file_names.size() != static_cast<std::size_t>(model.num_columns))
        throw InputError(fmt::format("{}: the model was fitted to {} columns without names, so the file must have just these; it has {}",
                                     path, model.num_columns, file_names.size()));
    const auto& names = named ? model.input_names : file_names;
    std::vector<std::string> columns;
    for (const Index column : model.used_columns) {
        columns.push_back(names[static_cast<std::size_t>(column)]);
        data::column_index(path, file_names, columns.back());
    }
    return columns;
}

Points model_points(const FittedModel& model, const data::Table& block, const std::vector<std::string>& columns) {
    if (model.lonlat) {
        const auto name = [&](Index column) {
            return columns[std::find(model.used_columns.begin(), model.used_columns.end(), column) - model.used_columns.begin()];
        };
        check_degrees(block, name(model.lonlat->first), name(model.lonlat->second));
    }
    const Points used = data::points_of(block, columns);
    Points points = Points::Zero(used.rows(), model.num_columns);
    for (std::size_t c = 0; c < columns.size(); ++c) points.col(model.used_columns[c]) = used.col(static_cast<Eigen::Index>(c));
    return points;
}

std::int64_t check_values(data::Table& block, const std::vector<std::string>& columns, bool drop_missing) {
    std::int64_t dropped = 0;
    if (drop_missing)
        dropped = data::drop_rows_with_missing(block, columns);
    else
        data::require_complete(block, columns);
    for (const std::string& name : columns) {
        const auto& values = block.columns[data::column_index(block, name)];
        const auto large = std::find_if(values.begin(), values.end(), [](double value) { return std::abs(value) > kLargestMagnitude; });
        if (large != values.end())
            throw InputError(fmt::format("{}, line {}, column '{}': {} is too large a number (at most {:g})", block.source,
                                         block.line_numbers[static_cast<std::size_t>(large - values.begin())], name, *large,
                                         kLargestMagnitude));
    }
    return dropped;
}

}  // namespace vnngp::app
