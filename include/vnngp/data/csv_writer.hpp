// Writes CSV, gzip-compressed when the path ends in .gz. Nothing appears at the destination before commit(); see atomic_file.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/data/table.hpp"

namespace vnngp::data {

struct CsvWriteOptions {
    char separator = ',';  ///< comma, semicolon or tab
};

/// Rows of CSV as text in memory. Fields are appended to the current row; end_row() finishes it.
class CsvRows {
public:
    explicit CsvRows(const CsvWriteOptions& options = {}) : separator_(options.separator) {}

    /// The shortest decimal that reads back as the same double; NaN as NaN.
    void number(double value);
    /// Quoted when it has to be.
    void text(std::string_view value);
    /// One or more fields already in CSV form with this separator (Table::raw_rows, CsvReader::raw_header()).
    void raw(std::string_view fields);
    void end_row();

    /// A whole row of text.
    void header(const std::vector<std::string>& names);

    const std::string& bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

private:
    void start_field();

    char separator_;
    std::string bytes_ = {};
    bool row_is_empty_ = true;
};

/// As CsvRows, into a file. All failures are InputErrors with path and the system's reason; a failure may be noticed only when a buffer is
/// flushed, at the latest by commit().
class CsvWriter {
public:
    explicit CsvWriter(const std::filesystem::path& path, const CsvWriteOptions& options = {});
    ~CsvWriter();
    CsvWriter(CsvWriter&&) noexcept;
    CsvWriter& operator=(CsvWriter&&) noexcept;

    void number(double value);
    void text(std::string_view value);
    void raw(std::string_view fields);
    void end_row();
    void header(const std::vector<std::string>& names);
    /// Whole rows with this writer's separator, made elsewhere.
    void rows(const CsvRows& rows);

    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Names and columns of the table.
void write_csv(const std::filesystem::path& path, const Table& table, const CsvWriteOptions& options = {});

}  // namespace vnngp::data
