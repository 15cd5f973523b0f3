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
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = output_.data();
            stream_.avail_out = static_cast<uInt>(output_.size());
            deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
            file_.write(output_.data(), output_.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

private:
    AtomicFile& file_;
    z_stream stream_{};
    std::vector<Bytef> output_;
};

}  // namespace

struct CsvWriter::Impl {
    AtomicFile file;
    std::unique_ptr<Compressor> compressor;
    char separator;
    std::string buffer;
    bool row_is_empty = true;

    Impl(const std::filesystem::path& path, const CsvWriteOptions& options) : file(path), separator(options.separator) {
        if (path.extension() == ".gz") compressor = std::make_unique<Compressor>(file);
        buffer.reserve(kBufferBytes + kBufferBytes / 4);
    }

    void start_field() {
        if (!row_is_empty) buffer += separator;
        row_is_empty = false;
    }

    void flush(bool last) {
        if (compressor)
            compressor->write(buffer, last);
        else
            file.write(buffer.data(), buffer.size());
        buffer.clear();
    }
};

CsvWriter::CsvWriter(const std::filesystem::path& path, const CsvWriteOptions& options) : impl_(std::make_unique<Impl>(path, options)) {}
CsvWriter::~CsvWriter() = default;
CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;
CsvWriter& CsvWriter::operator=(CsvWriter&&) noexcept = default;

void CsvWriter::number(double value) {
    if (std::isnan(value)) return raw("NaN");
    impl_->start_field();
    std::string& buffer = impl_->buffer;
    const std::size_t size = buffer.size();
    buffer.resize(size + kLongestNumber);
    const auto result = std::to_chars(buffer.data() + size, buffer.data() + buffer.size(), value);
    buffer.resize(static_cast<std::size_t>(result.ptr - buffer.data()));
}

void CsvWriter::text(std::string_view value) {
    if (!needs_quotes(value)) return raw(value);
    impl_->start_field();
    impl_->buffer += '"';
    for (const char c : value) {
        if (c == '"') impl_->buffer += '"';
        impl_->buffer += c;
    }
    impl_->buffer += '"';
}

void CsvWriter::raw(std::string_view fields) {
    impl_->start_field();
    impl_->buffer += fields;
}

void CsvWriter::end_row() {
    impl_->buffer += '\n';
    impl_->row_is_empty = true;
    if (impl_->buffer.size() >= kBufferBytes) impl_->flush(false);
}

void CsvWriter::header(const std::vector<std::string>& names) {
    for (const std::string& name : names) text(name);
    end_row();
}

void CsvWriter::commit() {
    impl_->flush(true);
    impl_->file.commit();
}

void write_csv(const std::filesystem::path& path, const Table& table, const CsvWriteOptions& options) {
    CsvWriter writer(path, options);
    writer.header(table.names);
    for (std::size_t row = 0; row < table.line_numbers.size(); ++row) {
        for (const auto& column : table.columns) writer.number(column[row]);
        writer.end_row();
    }
    writer.commit();
}

}  // namespace vnngp::data
