#include "data/csv_pieces.hpp"

#include <algorithm>

namespace vnngp::data {

std::vector<std::string_view> cut_at_line_ends(std::string_view text, std::size_t size) {
    text = text.substr(0, text.rfind('\n') + 1);  // npos + 1 == 0
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        const std::size_t end = text.size() <= size ? text.size() : text.find('\n', size - 1) + 1;
        pieces.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return pieces;
}

PlainRows plain_rows(std::string_view piece, const CsvDialect& dialect, const RowShape& shape) {
    PlainRows rows;
    rows.columns.resize(shape.selected.size());
    std::vector<double> values(shape.wanted.size());
    const char* const end = piece.data() + piece.size();
    for (const char* position = piece.data();;) {
        const RecordScan scan = scan_plain_record(position, end, dialect, shape.wanted, values.data());
        if (scan.status != ScanStatus::complete) break;
        if (rows.count == 0) {
            const auto expected = piece.size() / static_cast<std::size_t>(scan.next - position) + 1;
            for (auto& column : rows.columns) column.reserve(expected + expected / 4);
        }
        for (std::size_t c = 0; c < shape.selected.size(); ++c) rows.columns[c].push_back(values[shape.selected[c]]);
        if (shape.keep_raw_rows) rows.raw_rows.emplace_back(position, scan.text_end);
        ++rows.count;
        position = scan.next;
        rows.bytes = static_cast<std::size_t>(position - piece.data());
    }
    return rows;
}

}  // namespace vnngp::data
