// Reading on several threads: the bytes are cut behind line ends and every piece is read by itself, on the assumption that a row starts
// where the piece does. The assumption is wrong behind a line end inside quotes. So a piece counts only if the reader, which takes the
// pieces in order, arrives exactly at its first byte; what the piece could not read (scan_plain_record), the reader reads itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_scan.hpp"

namespace vnngp::data {

/// What a row is made of: columns of the file, by position.
struct RowShape {
    std::vector<std::size_t> selected = {};  ///< in the order of the table
    std::vector<std::uint8_t> wanted = {};   ///< by column of the file: is it among the selected?
    bool keep_raw_rows = false;
};

/// The rows from the start of a piece up to the first one that is not plain, each on a line of its own.
struct PlainRows {
    std::vector<std::vector<double>> columns = {};  ///< as selected
    std::vector<std::string> raw_rows = {};         ///< empty unless asked for
    std::int64_t count = 0;
    std::size_t bytes = 0;  ///< taken by these rows
};

/// Consecutive pieces of about `size` bytes, or one long line more; what follows the last line end belongs to none.
std::vector<std::string_view> cut_at_line_ends(std::string_view text, std::size_t size);

PlainRows plain_rows(std::string_view piece, const CsvDialect& dialect, const RowShape& shape);

}  // namespace vnngp::data
