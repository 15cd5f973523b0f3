#include "vnngp/data/csv_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <cmath>

#include "vnngp/base/error.hpp"
#include "vnngp/data/atomic_file.hpp"

namespace vnngp::data {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::size_t kLongestNumber = 24;  // characters of a shortest form
constexpr int kGzipOnly = 15 + 16;          // zlib's windowBits: the largest window, gzip wrapper
constexpr int kMemoryLevel = 8;             // zlib's default

// All three separators, because the reader guesses which one is in use. A quoted empty text cannot turn its row into a blank line.
bool needs_quotes(std::string_view value) {
    if (value.empty() || value.find_first_of(",;\t\"\r\n") != std::string_view::npos) return true;
    return value.front() == ' ' || value.back() == ' ' || value.front() == '\xEF';  // the first byte of a byte-order mark
}

// At the fastest level: digits hardly compress better at the default one, which takes five times as long.
class Compressor {
public:
    explicit Compressor(AtomicFile& file) : file_(file), output_(kBufferBytes) {
        if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kGzipOnly, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
            throw InputError(fmt::format("cannot write '{}': no memory to compress it", file.destination().string()));
    }
    ~Compressor() { deflateEnd(&stream_); }
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;

    void write(std::string_view bytes, bool last) {
        for (; bytes.size() > kMostAtOnce; bytes.remove_prefix(kMostAtOnce)) compress(bytes.substr(0, kMostAtOnce), false);
        compress(bytes, last);
    }

private:
    static constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  ///< zlib counts in 32 bits

    void compress(std::string_view bytes, bool last) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = output_.data();
            stream_.avail_out = static_cast<uInt>(output_.size());
            deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
            file_.write(output_.data(), output_.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    AtomicFile& file_;
    z_stream stream_{};
    std::vector<Bytef> output_;
};

}  // namespace

void CsvRows::start_field() {
    if (!row_is_empty_) bytes_ += separator_;
    row_is_empty_ = false;
}

void CsvRows::number(double value) {
    if (std::isnan(value)) return raw("NaN");
    char field[1 + kLongestNumber] = {separator_};
    const auto result = std::to_chars(field + 1, field + sizeof field, value);
    const char* const begin = row_is_empty_ ? field + 1 : field;
    bytes_.append(begin, static_cast<std::size_t>(result.ptr - begin));
    row_is_empty_ = false;
}

void CsvRows::text(std::string_view value) {
    if (!needs_quotes(value)) return raw(value);
    start_field();
    bytes_ += '"';
    for (const char c : value) {
        if (c == '"') bytes_ += '"';
        bytes_ += c;
    }
    bytes_ += '"';
}

void CsvRows::raw(std::string_view fields) {
    start_field();
    bytes_ += fields;
}

void CsvRows::end_row() {
    bytes_ += '\n';
    row_is_empty_ = true;
}

void CsvRows::header(const std::vector<std::string>& names) {
    for (const std::string& name : names) text(name);
    end_row();
}

struct CsvWriter::Impl {
    AtomicFile file;
    std::unique_ptr<Compressor> compressor;
    CsvRows pending;

    Impl(const std::filesystem::path& path, const CsvWriteOptions& options) : file(path), pending(options) {
        if (path.extension() == ".gz") compressor = std::make_unique<Compressor>(file);
    }

    void write(std::string_view bytes, bool last) {
        if (compressor)
            compressor->write(bytes, last);
        else
            file.write(bytes.data(), bytes.size());
    }

    void flush(bool last) {
        write(pending.bytes(), last);
        pending.clear();
    }

    void flush_when_full() {
        if (pending.bytes().size() >= kBufferBytes) flush(false);
    }
};

CsvWriter::CsvWriter(const std::filesystem::path& path, const CsvWriteOptions& options) : impl_(std::make_unique<Impl>(path, options)) {}
CsvWriter::~CsvWriter() = default;
CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;
CsvWriter& CsvWriter::operator=(CsvWriter&&) noexcept = default;

void CsvWriter::number(double value) { impl_->pending.number(value); }
void CsvWriter::text(std::string_view value) { impl_->pending.text(value); }
void CsvWriter::raw(std::string_view fields) { impl_->pending.raw(fields); }

void CsvWriter::end_row() {
    impl_->pending.end_row();
    impl_->flush_when_full();
}

void CsvWriter::header(const std::vector<std::string>& names) {
    impl_->pending.header(names);
    impl_->flush_when_full();
}

void CsvWriter::rows(const CsvRows& rows) {
    impl_->flush(false);
    impl_->write(rows.bytes(), false);
}

void CsvWriter::commit() {
    impl_->flush(true);
    impl_->file.commit();
}

void write_csv(const std::filesystem::path& path, const Table& table, const CsvWriteOptions& options) {
    CsvWriter writer(path, options);
    writer.header(table.names);
    CsvRows rows(options);
    for (std::size_t row = 0; row < table.line_numbers.size(); ++row) {
        for (const auto& column : table.columns) rows.number(column[row]);
        rows.end_row();
        if (rows.bytes().size() < kBufferBytes) continue;
        writer.rows(rows);
        rows.clear();
    }
    writer.rows(rows);
    writer.commit();
}

}  // namespace vnngp::data
