#include "data/csv_scan.hpp"

#include <fast_float/fast_float.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace vnngp::data {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

std::int64_t count_line_ends(std::string_view text) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        count += text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    return count;
}

// The closing quote of the field whose content starts at `position`; null when the bytes end first. A quote as the last byte may be half of
// a doubled one, so it closes the field only at the end of the file.
const char* closing_quote(const char* position, const char* end, bool at_end) {
    for (;;) {
        const auto* quote =
            position == end ? nullptr : static_cast<const char*>(std::memchr(position, '"', static_cast<std::size_t>(end - position)));
        if (quote == nullptr || (quote + 1 == end && !at_end)) return nullptr;
        if (quote + 1 == end || quote[1] != '"') return quote;
        position = quote + 2;
    }
}

}  // namespace

CsvDialect::CsvDialect(char separator_character) : separator(separator_character) {
    for (const char c : {separator_character, '\n', '\r'}) ends_field[static_cast<unsigned char>(c)] = true;
}

RecordScan scan_record(const char* begin, const char* end, bool at_end, const CsvDialect& dialect, std::vector<CsvField>& fields) {
    fields.clear();
    RecordScan scan;
    const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && dialect.separator != '\t'); };
    const char* p = begin;
    for (;;) {
        const char* start = p;
        while (p < end && is_blank(*p)) ++p;
        if (p < end && *p == '"') {
            CsvField field{.quoted = true};
            const char* quote = closing_quote(p + 1, end, at_end);
            if (quote == nullptr) {
                if (at_end) scan.status = ScanStatus::open_quote;
                return scan;
            }
            field.text = {p + 1, quote};
            scan.lines += count_line_ends(field.text);
            fields.push_back(field);
            p = quote + 1;
            while (p < end && is_blank(*p)) ++p;
            if (p < end && !dialect.ends_field[static_cast<unsigned char>(*p)]) {
                scan.status = ScanStatus::text_after_quote;
                return scan;
            }
        } else {
            while (p < end && !dialect.ends_field[static_cast<unsigned char>(*p)]) ++p;
            fields.push_back({.text = {start, p}});
        }
        if (p == end || *p != dialect.separator) break;
        ++p;
    }
    if (!at_end && (p == end || (*p == '\r' && p + 1 == end))) return scan;
    scan.status = ScanStatus::complete;
    scan.text_end = p;
    if (p < end) {
        const bool two_bytes = *p == '\r' && p + 1 < end && p[1] == '\n';
        p += two_bytes ? 2 : 1;
        ++scan.lines;
    }
    scan.next = p;
    return scan;
}

RecordScan scan_plain_record(const char* begin, const char* end, const CsvDialect& dialect, std::span<const std::uint8_t> wanted,
                             double* values) {
    const auto ends_field = [&](const char* p) { return dialect.ends_field[static_cast<unsigned char>(*p)]; };
    const char* p = begin;
    const std::size_t last = wanted.size() - 1;
    for (std::size_t column = 0;; ++column, ++p) {
        while (p < end && *p == ' ') ++p;
        if (p == end || *p == '"' || (*p == '\t' && dialect.separator != '\t')) return {};
        if (!wanted[column]) {
            while (p < end && !ends_field(p)) ++p;
        } else if (ends_field(p)) {
            values[column] = std::numeric_limits<double>::quiet_NaN();
        } else {
            const auto result = fast_float::from_chars(p, end, values[column]);
            if (result.ec != std::errc() || !std::isfinite(values[column])) return {};
            p = result.ptr;
        }
        if (p == end || (*p == dialect.separator) != (column < last) || !ends_field(p)) return {};
        if (column == last) break;
    }
    const bool two_bytes = *p == '\r' && p + 1 < end && p[1] == '\n';
    const bool blank_line = last == 0 && wanted[0] && std::isnan(values[0]);
    if (blank_line || (*p == '\r' && p + 1 == end)) return {};
    return {.status = ScanStatus::complete, .text_end = p, .next = p + (two_bytes ? 2 : 1), .lines = 1};
}

std::optional<char> detect_separator(const char* begin, const char* end, bool at_end) {
    constexpr std::string_view kSeparators = ",;\t";
    std::array<int, kSeparators.size()> counts{};
    bool in_quotes = false;
    bool field_starts = true;  // only blanks since the last candidate: here a quote opens a quoted field
    const char* p = begin;
    for (; p < end; ++p) {
        if (in_quotes) {
            if (*p != '"') continue;
            if (p + 1 < end && p[1] == '"')
                ++p;
            else
                in_quotes = false;
        } else if (*p == '"' && field_starts) {
            in_quotes = true;
            field_starts = false;
        } else if (is_line_end(*p)) {
            break;
        } else if (const auto which = kSeparators.find(*p); which != std::string_view::npos) {
            ++counts[which];
            field_starts = true;
        } else if (*p != ' ') {
            field_starts = false;
        }
    }
    if (p == end && !at_end) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 1; i < counts.size(); ++i)
        if (counts[i] > counts[best]) best = i;
    return kSeparators[best];
}

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string field_value(const CsvField& field) {
    if (!field.quoted) return std::string(trimmed(field.text));
    std::string value;
    value.reserve(field.text.size());
    for (std::size_t i = 0; i < field.text.size(); ++i) {
        value += field.text[i];
        if (field.text[i] == '"') ++i;
    }
    return value;
}

NumberKind parse_number(std::string_view text, double& value) {
    text = trimmed(text);
    const auto missing = [&] {
        value = std::numeric_limits<double>::quiet_NaN();
        return NumberKind::missing;
    };
    if (text.empty()) return missing();
    const char* first = text.data();
    const char* const last = first + text.size();
    if (*first == '+' && last - first > 1 && first[1] != '-') ++first;  // from_chars knows no plus sign
    double parsed = 0.0;
    const auto result = fast_float::from_chars(first, last, parsed);
    // Whether a value beyond the range of double is reported as an error depends on the version of fast_float; it is infinite or zero in
    // any.
    const bool is_number = result.ptr == last && (result.ec == std::errc() || result.ec == std::errc::result_out_of_range);
    if (is_number && std::isfinite(parsed)) {
        value = parsed;
        return NumberKind::number;
    }
    if (is_number) return std::isnan(parsed) ? missing() : NumberKind::not_finite;
    if (text.size() == 2 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a') return missing();
    return NumberKind::text;
}

}  // namespace vnngp::data
