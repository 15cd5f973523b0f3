#include "vnngp/data/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "data/byte_source.hpp"
#include "data/csv_header.hpp"
#include "data/csv_pieces.hpp"
#include "data/csv_scan.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::data {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 26;  // a longer one is a lost quote, not data
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;      // what one thread reads at a time; fits its cache
constexpr std::size_t kPiecesPerThread = 16;
constexpr std::size_t kMostPieces = 64;
constexpr std::int64_t kBytesBetweenReports = std::int64_t{1} << 25;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// With what the user may have meant, where that can be guessed.
std::string not_a_number_message(std::string_view text) {
    std::string with_point(text);
    std::replace(with_point.begin(), with_point.end(), ',', '.');
    double ignored = 0.0;
    const bool decimal_comma = with_point != text && parse_number(with_point, ignored) == NumberKind::number;
    return fmt::format("'{}' is not a number ({})", shortened(text),
                       decimal_comma ? "decimals are written with a point" : "a missing value is left empty, or written NA or NaN");
}

}  // namespace

struct CsvReader::Impl {
    std::string source;
    ByteSource bytes;
    std::vector<char> buffer = std::vector<char>(kChunkBytes);  // bytes [begin, end) are not yet parsed
    std::size_t begin = 0;
    std::size_t end = 0;
    bool at_end = false;
    std::int64_t refills = 0;
    std::int64_t text_bytes = 0;  // decompressed bytes before `end`
    std::int64_t line = 1;        // physical line that `begin` is on
    std::int64_t record_line = 0;
    std::string_view record;
    std::vector<CsvField> fields;

    CsvDialect dialect;
    std::string raw_header;
    std::vector<std::string> names;
    std::vector<std::string> selected_names;
    RowShape shape;
    std::vector<double> row_values;  // by column of the file

    Impl(const std::filesystem::path& path, const CsvReadOptions& options) : source(path.string()), bytes(path) {
        shape.keep_raw_rows = options.keep_raw_rows;
        read_header();
        select(options.columns);
    }

    // Makes room and fills the buffer; views into it become invalid.
    void refill() {
        ++refills;
        std::memmove(buffer.data(), buffer.data() + begin, end - begin);
        end -= begin;
        begin = 0;
        if (end >= kMaxRecordBytes)
            throw InputError(fmt::format("{}, line {}: the row is longer than {} MiB (is a closing quote missing?)", source, line,
                                         kMaxRecordBytes >> 20));
        if (end > buffer.size() / 2) buffer.resize(buffer.size() * 2);
        while (end < buffer.size() && !at_end) {
            const std::size_t count = bytes.read(buffer.data() + end, buffer.size() - end);
            if (text_bytes == 0) check_not_utf16({buffer.data(), count}, source);
            if (const void* nul = std::memchr(buffer.data() + end, '\0', count))
                throw InputError(fmt::format("{}: not a text file: there is a NUL byte at position {}", source,
                                             text_bytes + (static_cast<const char*>(nul) - (buffer.data() + end))));
            end += count;
            text_bytes += static_cast<std::int64_t>(count);
            at_end = count == 0;
        }
    }

    void read_header() {
        refill();
        if (std::string_view(buffer.data(), end).starts_with(kByteOrderMark)) begin = kByteOrderMark.size();
        skip_blank_lines();
        if (begin == end) throw InputError(fmt::format("{}: the file is empty (a header line with column names is required)", source));
        auto separator = detect_separator(buffer.data() + begin, buffer.data() + end, at_end);
        for (; !separator; separator = detect_separator(buffer.data() + begin, buffer.data() + end, at_end)) refill();
        dialect = CsvDialect(*separator);
        next_record();
        raw_header = record;
        for (const CsvField& field : fields) names.push_back(field_value(field));
        check_header(names, source);
    }

    // Before the separator is known; next_record skips the blank lines among the rows.
    void skip_blank_lines() {
        for (;;) {
            const std::string_view unread(buffer.data() + begin, end - begin);
            const std::size_t blanks = std::min(unread.find_first_not_of(' '), unread.size());
            const bool need_more = blanks == unread.size() || (unread[blanks] == '\r' && blanks + 1 == unread.size());
            if (need_more && !at_end) {
                refill();
                continue;
            }
            if (need_more) begin = end;
            if (need_more || (unread[blanks] != '\n' && unread[blanks] != '\r')) return;
            begin += blanks + (unread.substr(blanks).starts_with("\r\n") ? 2 : 1);
            ++line;
        }
    }

    // Parses the next record that is not a blank line into `fields` and `record`; false at the end of the file.
    bool next_record() {
        for (;;) {
            if (begin == end && at_end) return false;
            const char* const start = buffer.data() + begin;
            const RecordScan scan = scan_record(start, buffer.data() + end, at_end, dialect, fields);
            if (scan.status == ScanStatus::incomplete) {
                refill();
                continue;
            }
            if (scan.status == ScanStatus::open_quote)
                throw InputError(fmt::format("{}, line {}: a quote is opened in field {} of this row and never closed", source, line,
                                             fields.size() + 1));
            if (scan.status == ScanStatus::text_after_quote)
                throw InputError(
                    fmt::format("{}, line {}: field {} goes on after its closing quote (a quote inside quotes is written twice)", source,
                                line, fields.size()));
            record_line = line;
            line += scan.lines;
            record = {start, scan.text_end};
            begin = static_cast<std::size_t>(scan.next - buffer.data());
            if (fields.size() > 1 || fields[0].quoted || !trimmed(fields[0].text).empty()) return true;
        }
    }

    void select(const std::vector<std::string>& columns) {
        selected_names = columns.empty() ? names : columns;
        shape.selected.clear();
        std::unordered_map<std::string_view, std::size_t> positions;
        for (std::size_t i = 0; i < names.size(); ++i) positions.emplace(names[i], i);
        for (const std::string& name : selected_names) {
            const auto found = positions.find(name);
            shape.selected.push_back(found != positions.end() ? found->second : column_index(source, names, name));
        }
        shape.wanted.assign(names.size(), 0);
        for (const std::size_t column : shape.selected) shape.wanted[column] = 1;
        row_values.resize(names.size());
    }

    double number(const CsvField& field, const std::string& column) const {
        double value = 0.0;
        const NumberKind kind = parse_number(field.text, value);
        if (kind == NumberKind::number || kind == NumberKind::missing) return value;
        const std::string text = field_value(field);
        throw InputError(fmt::format(
            "{}, line {}, column '{}': {}", source, record_line, column,
            kind == NumberKind::text ? not_a_number_message(text) : fmt::format("'{}' is not a finite number", shortened(text))));
    }

    Table empty_table() const {
        Table table{.source = source, .names = selected_names};
        table.columns.resize(shape.selected.size());
        return table;
    }

    // Parses the next row into `row_values` and `record`; false at the end of the file.
    bool next_row() {
        const RecordScan plain = scan_plain_record(buffer.data() + begin, buffer.data() + end, dialect, shape.wanted, row_values.data());
        if (plain.status == ScanStatus::complete) {
            record_line = line++;
            record = {buffer.data() + begin, plain.text_end};
            begin = static_cast<std::size_t>(plain.next - buffer.data());
            return true;
        }
        if (!next_record()) return false;
        if (fields.size() != names.size())
            throw InputError(fmt::format("{}, line {}: the row has {} field{} where the header has {}", source, record_line, fields.size(),
                                         fields.size() == 1 ? "" : "s", names.size()));
        for (std::size_t c = 0; c < shape.selected.size(); ++c)
            row_values[shape.selected[c]] = number(fields[shape.selected[c]], selected_names[c]);
        return true;
    }

    void append_row(Table& table) {
        for (std::size_t c = 0; c < shape.selected.size(); ++c) table.columns[c].push_back(row_values[shape.selected[c]]);
        table.line_numbers.push_back(record_line);
        if (shape.keep_raw_rows) table.raw_rows.emplace_back(record);
    }

    void append_rows(Table& table, std::int64_t max_rows) {
        for (std::int64_t count = 0; count < max_rows && next_row(); ++count) append_row(table);
    }

    void append_piece(Table& table, PlainRows rows) {
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            table.columns[c].insert(table.columns[c].end(), rows.columns[c].begin(), rows.columns[c].end());
        for (std::int64_t row = 0; row < rows.count; ++row) table.line_numbers.push_back(line++);
        std::move(rows.raw_rows.begin(), rows.raw_rows.end(), std::back_inserter(table.raw_rows));
        begin += rows.bytes;
    }

    // Room for what the file must hold if it goes on as it began: growing tables would be copied, and hold twice their size meanwhile.
    void reserve_rows(Table& table) const {
        const auto consumed = static_cast<double>(std::max<std::int64_t>(bytes.bytes_consumed(), 1));
        const auto capacity =
            static_cast<std::size_t>(1.02 * static_cast<double>(table.rows()) * static_cast<double>(bytes.bytes_total()) / consumed);
        for (auto& column : table.columns) column.reserve(capacity);
        table.line_numbers.reserve(capacity);
    }

    // The rows of all whole lines in the buffer, pieces of it side by side.
    void append_buffered(Table& table, const Context& context) {
        const char* const start = buffer.data();
        const std::int64_t refills_before = refills;
        const auto pieces = cut_at_line_ends({start + begin, end - begin}, kPieceBytes);
        std::vector<PlainRows> rows(pieces.size());
        parallel_chunks(context, static_cast<std::int64_t>(pieces.size()), 1, [&](const Chunk& chunk) {
            const auto number = static_cast<std::size_t>(chunk.begin);
            rows[number] = plain_rows(pieces[number], dialect, shape);
        });
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto first = static_cast<std::size_t>(pieces[i].data() - start);
            if (begin == first) append_piece(table, std::exchange(rows[i], {}));
            while (begin < first + pieces[i].size()) {
                const bool found = next_row();
                if (found) append_row(table);
                if (!found || refills != refills_before) return;  // the pieces are no longer where they were
            }
        }
    }

    Table rest(const Context& context) {
        Table table = empty_table();
        const std::size_t pieces = std::min(kMostPieces, kPiecesPerThread * static_cast<std::size_t>(context.num_threads()));
        buffer.resize(std::max(buffer.size(), pieces * kPieceBytes));
        std::int64_t reported = 0;
        for (bool first = true;; first = false) {
            if (!at_end && end - begin < buffer.size() / 2) refill();
            append_buffered(table, context);
            // What follows the last line end in the buffer: a line that goes on, or the last of the file.
            if (!next_row()) return table;
            append_row(table);
            if (first) reserve_rows(table);
            context.check_stop();
            if (bytes.bytes_consumed() - reported < kBytesBetweenReports) continue;
            reported = bytes.bytes_consumed();
            context.report({.stage = "read", .done = reported, .total = bytes.bytes_total(), .detail = {}});
        }
    }
};

CsvReader::CsvReader(const std::filesystem::path& path, const CsvReadOptions& options) : impl_(std::make_unique<Impl>(path, options)) {}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

const std::vector<std::string>& CsvReader::names() const { return impl_->names; }
char CsvReader::separator() const { return impl_->dialect.separator; }
const std::string& CsvReader::raw_header() const { return impl_->raw_header; }
void CsvReader::select(const std::vector<std::string>& columns) { impl_->select(columns); }
std::int64_t CsvReader::bytes_consumed() const { return impl_->bytes.bytes_consumed(); }
std::int64_t CsvReader::bytes_total() const { return impl_->bytes.bytes_total(); }

Table CsvReader::next_block(std::int64_t max_rows) {
    Table block = impl_->empty_table();
    impl_->append_rows(block, max_rows);
    return block;
}

Table CsvReader::rest(const Context& context) { return impl_->rest(context); }

Table read_csv(const std::filesystem::path& path, const CsvReadOptions& options, const Context& context) {
    return CsvReader(path, options).rest(context);
}

std::vector<std::string> read_csv_header(const std::filesystem::path& path) { return CsvReader(path).names(); }

std::vector<std::string> raw_row_fields(const std::string& raw_row, char separator) {
    std::vector<CsvField> fields;
    scan_record(raw_row.data(), raw_row.data() + raw_row.size(), true, CsvDialect(separator), fields);
    std::vector<std::string> values;
    for (const CsvField& field : fields) values.push_back(field_value(field));
    return values;
}

}  // namespace vnngp::data
