#include "experiments/datasets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "experiments/python_shuffle.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/names.hpp"
#include "vnngp/data/csv_reader.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp::experiments {
namespace {

constexpr Index kSimulatedRows = 600;

// As Python's round: ties to even, which is the rounding mode of the machine.
Index rounded(double value) { return static_cast<Index>(std::nearbyint(value)); }

DataSet simulated(const SetInfo& set) {
    SimulateOptions options;
    options.points = kSimulatedRows;
    options.dims = set.dims;
    options.kernel = "matern52";
    options.lengthscales = {0.15 * std::pow(static_cast<double>(set.dims), 0.75)};
    options.likelihood = std::string(set.likelihood);
    options.noise = set.key == "elevators" ? 0.2 : 0.05;
    std::uint64_t seed = 0;
    for (const char letter : set.key) seed = 31 * seed + static_cast<unsigned char>(letter);
    Simulation drawn = simulate(options, {.seed = seed});
    return {std::move(drawn.inputs), std::move(drawn.targets)};
}

DataSet part(const DataSet& data, std::span<const Index> rows) {
    return {data::gather_rows(data.inputs, rows), data::gather_values(data.targets, rows)};
}

}  // namespace

const std::vector<SetInfo>& all_sets() {
    static const std::vector<SetInfo> sets{
        {.key = "pol", .label = "PoleTele", .target = "y", .dims = 4},
        {.key = "elevators", .label = "Elevators", .target = "y", .dims = 4},
        {.key = "bike", .label = "Bike", .target = "y", .dims = 4},
        {.key = "kin40k", .label = "Kin40K", .target = "y", .dims = 4},
        {.key = "protein", .label = "Protein", .target = "y", .dims = 4},
        {.key = "keggdirected", .label = "KEGG", .target = "y", .dims = 4},
        {.key = "keggundirected", .label = "KEGGU", .target = "y", .dims = 4},
        {.key = "precipitation", .label = "Precipitation", .target = "prcp", .likelihood = "student-t", .dims = 3, .spatial = true},
        {.key = "ukhousing", .label = "UKHousing", .spatial = true},
        {.key = "london_housing",
         .label = "London housing",
         .target = "log_price",
         .inputs = "lon,lat",
         .spatial = true,
         .stands_in_for = "ukhousing",
         .rows_at_most = 181250},
        {.key = "3droad", .label = "3DRoad", .dims = 3, .spatial = true},
        {.key = "etopo5_1m", .label = "ETOPO5", .target = "elev_m", .spatial = true, .stands_in_for = "3droad", .rows_at_most = 434375},
        {.key = "covtype",
         .label = "Covtype",
         .target = "pine",
         .dropped = "Cover_Type",
         .likelihood = "bernoulli",
         .dims = 3,
         .spatial = true},
    };
    return sets;
}

const SetInfo& set_info(std::string_view key) {
    std::vector<std::string> names;
    for (const SetInfo& set : all_sets()) {
        if (set.key == key) return set;
        names.emplace_back(set.key);
    }
    throw InputError(fmt::format("--sets: '{}' is not one of {}{}", key, fmt::join(names, ", "), suggestion(names, key)));
}

void check_source(const DataSource& source) {
    if (source.folder.empty()) return;
    std::error_code error;
    if (!std::filesystem::is_directory(source.folder, error))
        throw InputError(fmt::format("--data {}: there is no such directory", source.folder.string()));
}

std::optional<std::filesystem::path> file_of(const DataSource& source, std::string_view key) {
    if (source.folder.empty()) return std::nullopt;
    for (const std::string_view ending : {".csv.gz", ".csv"})
        if (auto path = source.folder / fmt::format("{}{}", key, ending); std::filesystem::exists(path)) return path;
    return std::nullopt;
}

bool available(const DataSource& source, const SetInfo& set) {
    // What stands in for a set is simulated; the set itself is the user's to supply.
    const bool has_stand_in =
        std::any_of(all_sets().begin(), all_sets().end(), [&](const SetInfo& other) { return other.stands_in_for == set.key; });
    return source.simulate ? !has_stand_in : file_of(source, set.key).has_value();
}

Index row_limit(const DataSource& source, const SetInfo& set) {
    if (source.rows_at_most == 0 || set.rows_at_most == 0) return std::max(source.rows_at_most, set.rows_at_most);
    return std::min(source.rows_at_most, set.rows_at_most);
}

DataSet load(const DataSource& source, const SetInfo& set, const Context& context) {
    if (source.simulate) return simulated(set);
    const auto file = file_of(source, set.key);
    if (!file) throw InputError(fmt::format("--data {}: there is no {}.csv.gz and no {}.csv", source.folder.string(), set.key, set.key));
    std::vector<std::string> inputs = data::read_csv_header(*file);
    const std::string target(set.target.empty() ? std::string_view(inputs.back()) : set.target);
    std::erase_if(inputs, [&](const std::string& name) { return name == target || name == set.dropped; });
    if (!set.inputs.empty()) inputs = data::raw_row_fields(std::string(set.inputs), ',');
    std::vector<std::string> columns = inputs;
    columns.push_back(target);
    data::Table table = data::read_csv(*file, {.columns = columns}, context);
    data::drop_rows_with_missing(table, columns);
    data::require_rows(table, 10);
    return {data::points_of(table, inputs), data::values_of(table, target)};
}

Parts split(const DataSet& data, std::uint64_t seed, Index rows) {
    const std::vector<Index> order = python_shuffle(static_cast<Index>(data.targets.size()), seed);
    const auto count = rows > 0 ? std::min(static_cast<std::size_t>(rows), order.size()) : order.size();
    const std::span<const Index> used(order.data(), count);
    const auto train = static_cast<std::size_t>(training_rows(static_cast<Index>(count)));
    const auto validation = static_cast<std::size_t>(rounded(0.16 * static_cast<double>(count)));
    return {part(data, used.first(train)), part(data, used.subspan(train, validation)), part(data, used.subspan(train + validation))};
}

Index training_rows(Index rows) { return rounded(0.64 * static_cast<double>(rows)); }

}  // namespace vnngp::experiments
