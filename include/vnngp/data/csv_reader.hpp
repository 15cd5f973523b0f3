// Reads tables of numbers from CSV files, plain or gzip-compressed, whole or a block of rows at a time.
//
// The first line that is not blank names the columns. The separator (comma, semicolon or tab) is found in it. Quoting follows RFC 4180.
// Empty fields, NA and NaN (any case) are missing values. Infinite and overflowing numbers, text where a number is wanted, and rows with
// the wrong number of fields are refused by an InputError that names file, line and column.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/data/table.hpp"

namespace vnngp::data {

struct CsvReadOptions {
    /// The columns to read as numbers, in this order; the others may hold text. Empty = all columns of the file.
    std::vector<std::string> columns = {};
    /// Fill Table::raw_rows, for a caller that passes rows on as they came.
    bool keep_raw_rows = false;
};

/// Reads front to back in bounded memory, so it also reads from a pipe. Not thread-safe.
class CsvReader {
public:
    /// Opens the file and reads its header. Throws InputError when the file cannot be read, is empty or has no usable header.
    explicit CsvReader(const std::filesystem::path& path, const CsvReadOptions& options = {});
    ~CsvReader();
    CsvReader(CsvReader&&) noexcept;
    CsvReader& operator=(CsvReader&&) noexcept;

    /// Every column of the file, whether selected or not.
    const std::vector<std::string>& names() const;
    char separator() const;
    /// The header line as it stood in the file, without byte-order mark and line end.
    const std::string& raw_header() const;

    /// Replaces CsvReadOptions::columns for the rows still to come, so that the choice can depend on names().
    void select(const std::vector<std::string>& columns);

    /// The next rows, at most max_rows (>= 1) of them. No rows: the end of the file.
    Table next_block(std::int64_t max_rows);
    /// All rows still to come, read on several threads. Reports progress as stage "read" in bytes.
    Table rest(const Context& context = {});

    /// How far into the file the reader is, in bytes of the file, and its size (0 for a pipe).
    std::int64_t bytes_consumed() const;
    std::int64_t bytes_total() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The whole file. Reports progress as stage "read" in bytes.
Table read_csv(const std::filesystem::path& path, const CsvReadOptions& options = {}, const Context& context = {});

/// Only the names of the columns.
std::vector<std::string> read_csv_header(const std::filesystem::path& path);

/// The fields of one of Table::raw_rows (or of raw_header()) as text: without quotes, and unquoted ones without the blanks around them.
std::vector<std::string> raw_row_fields(const std::string& raw_row, char separator);

}  // namespace vnngp::data
