// Numbers by named columns, as read from a file, and the questions a caller asks before using them. Every complaint names file, line and
// column.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::data {

struct Table {
    std::string source = {};                        ///< the file, for messages
    std::vector<std::string> names = {};            ///< one per column, distinct
    std::vector<std::vector<double>> columns = {};  ///< columns[c][row]; NaN = missing, everything else is finite
    std::vector<std::int64_t> line_numbers = {};    ///< per row: the physical line of the file it starts on, from 1
    std::vector<std::string> raw_rows = {};  ///< per row: the record as it stood in the file, without its line end; empty unless asked for

    std::int64_t rows() const { return static_cast<std::int64_t>(line_numbers.size()); }
};

/// Readers refuse infinities and text, so a NaN in a Table always means a missing value.
inline bool is_missing(double value) { return std::isnan(value); }

/// Position of `name` among `names`. Throws InputError naming `source` and `name`, suggesting the nearest name and listing what there is.
std::size_t column_index(std::string_view source, const std::vector<std::string>& names, std::string_view name);
std::size_t column_index(const Table& table, std::string_view name);

/// Throws InputError unless the table has at least `minimum` rows.
void require_rows(const Table& table, std::int64_t minimum = 1);

/// Throws InputError at the first missing value (by row, then in the order of `columns`); mentions --drop-missing as the way out.
void require_complete(const Table& table, const std::vector<std::string>& columns);

/// Removes every row with a missing value in one of `columns`, keeping the order of the others. Returns how many were removed.
std::int64_t drop_rows_with_missing(Table& table, const std::vector<std::string>& columns);

/// The named columns side by side, one row per row of the table. Throws InputError when there are more rows than an Index can count.
Points points_of(const Table& table, const std::vector<std::string>& columns);

/// One column.
Vector values_of(const Table& table, std::string_view column);

}  // namespace vnngp::data
