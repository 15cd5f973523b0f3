#include "vnngp/data/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vnngp/base/error.hpp"
#include "vnngp/base/names.hpp"

namespace vnngp::data {
namespace {

constexpr std::size_t kNamesListed = 12;

std::vector<const std::vector<double>*> named_columns(const Table& table, const std::vector<std::string>& names) {
    std::vector<const std::vector<double>*> found;
    for (const std::string& name : names) found.push_back(&table.columns[column_index(table, name)]);
    return found;
}

}  // namespace

std::size_t column_index(std::string_view source, const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());

    std::string message = fmt::format("{}: there is no column '{}'", source, name);
    message += suggestion(names, name);
    const auto listed = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesListed));
    message += fmt::format("; the columns are: {}", fmt::join(names.begin(), listed, ", "));
    if (names.size() > kNamesListed) message += fmt::format(", ... ({} in all)", names.size());
    throw InputError(message);
}

std::size_t column_index(const Table& table, std::string_view name) { return column_index(table.source, table.names, name); }

void require_rows(const Table& table, std::int64_t minimum) {
    if (table.rows() >= minimum) return;
    if (table.rows() == 0) throw InputError(fmt::format("{}: there are no data rows (at least {} needed)", table.source, minimum));
    throw InputError(fmt::format("{}: too few data rows: {} (at least {} needed)", table.source, table.rows(), minimum));
}

void require_complete(const Table& table, const std::vector<std::string>& columns) {
    const auto wanted = named_columns(table, columns);
    for (std::size_t row = 0; row < table.line_numbers.size(); ++row)
        for (std::size_t c = 0; c < wanted.size(); ++c)
            if (is_missing((*wanted[c])[row]))
                throw InputError(fmt::format("{}, line {}, column '{}': the value is missing (--drop-missing leaves such rows out)",
                                             table.source, table.line_numbers[row], columns[c]));
}

std::int64_t drop_rows_with_missing(Table& table, const std::vector<std::string>& columns) {
    const auto wanted = named_columns(table, columns);
    const auto incomplete = [&](std::size_t row) {
        return std::any_of(wanted.begin(), wanted.end(), [row](const std::vector<double>* column) { return is_missing((*column)[row]); });
    };
    std::size_t kept = 0;
    for (std::size_t row = 0; row < table.line_numbers.size(); ++row) {
        if (incomplete(row)) continue;
        if (kept != row) {
            for (auto& column : table.columns) column[kept] = column[row];
            table.line_numbers[kept] = table.line_numbers[row];
            if (!table.raw_rows.empty()) table.raw_rows[kept] = std::move(table.raw_rows[row]);
        }
        ++kept;
    }
    const auto dropped = table.rows() - static_cast<std::int64_t>(kept);
    for (auto& column : table.columns) column.resize(kept);
    table.line_numbers.resize(kept);
    if (!table.raw_rows.empty()) table.raw_rows.resize(kept);
    return dropped;
}

Points points_of(const Table& table, const std::vector<std::string>& columns) {
    if (table.rows() > std::numeric_limits<Index>::max())
        throw InputError(fmt::format("{}: too many rows: {} (at most {})", table.source, table.rows(), std::numeric_limits<Index>::max()));
    const auto wanted = named_columns(table, columns);
    Points points(table.rows(), static_cast<Eigen::Index>(wanted.size()));
    for (Eigen::Index row = 0; row < points.rows(); ++row)
        for (Eigen::Index c = 0; c < points.cols(); ++c)
            points(row, c) = (*wanted[static_cast<std::size_t>(c)])[static_cast<std::size_t>(row)];
    return points;
}

Vector values_of(const Table& table, std::string_view column) {
    const std::vector<double>& values = table.columns[column_index(table, column)];
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace vnngp::data
