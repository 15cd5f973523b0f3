// The grammar of CSV: where a record and its fields end, and which number a field's text stands for. Pure functions of bytes.
// RFC 4180 with the liberties found in practice: LF, CRLF or CR ends a line, blanks may stand around a quoted field and a number, and a
// quote inside an unquoted field is an ordinary character.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vnngp::data {

/// A separator and, for the inner loop, which bytes end an unquoted field.
struct CsvDialect {
    explicit CsvDialect(char separator_character = ',');
    char separator;
    std::array<bool, 256> ends_field{};
};

/// Views into the scanned bytes. `text` is what stands between the separators, or between the quotes.
struct CsvField {
    std::string_view text = {};
    bool quoted = false;
};

enum class ScanStatus {
    complete,
    incomplete,       ///< the bytes end inside the record
    open_quote,       ///< the file ends inside a quoted field
    text_after_quote  ///< something other than a separator follows a closing quote
};

struct RecordScan {
    ScanStatus status = ScanStatus::incomplete;
    const char* text_end = nullptr;  ///< end of the record without its line end
    const char* next = nullptr;      ///< start of the next record
    std::int64_t lines = 0;          ///< physical lines the record takes
};

/// Splits the record at `begin`; `at_end` says that no bytes follow `end`. At least one field comes out of a complete record.
RecordScan scan_record(const char* begin, const char* end, bool at_end, const CsvDialect& dialect, std::vector<CsvField>& fields);

/// The record at `begin` when it is as simple as most are: unquoted fields, one for each entry of `wanted` (by column of the file), whose
/// wanted ones hold a number with no blank behind it or nothing at all, and a line end before `end`. Their values go to `values`, by column
/// of the file. One pass over the bytes; `incomplete` for every other record, which scan_record then reads.
RecordScan scan_plain_record(const char* begin, const char* end, const CsvDialect& dialect, std::span<const std::uint8_t> wanted,
                             double* values);

/// The most frequent of comma, semicolon and tab outside quotes in the record at `begin` (comma on a tie); nothing when more bytes are
/// needed.
std::optional<char> detect_separator(const char* begin, const char* end, bool at_end);

std::string_view trimmed(std::string_view text);

/// The field's value: doubled quotes made single; an unquoted one without the blanks around it.
std::string field_value(const CsvField& field);

enum class NumberKind { number, missing, not_finite, text };

/// `value` is set for a number, and to NaN for a missing one: nothing but blanks, NA or NaN in any case.
NumberKind parse_number(std::string_view text, double& value);

}  // namespace vnngp::data
