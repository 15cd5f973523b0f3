#include "vnngp/model/tensor_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include "model/tensor_header.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/data/atomic_file.hpp"

namespace vnngp::model {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie in the memory of a little-endian machine");

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;       // the limit of the safetensors reference implementation
constexpr std::size_t kBytesInCache = std::size_t{1} << 20;  // read and summed at a time
using LengthPrefix = std::array<char, kLengthBytes>;

[[noreturn]] void refuse_foreign(const std::string& path, const std::string& what) {
    throw InputError(fmt::format("{}: not a vnngp file: {}", path, what));
}

std::uint32_t crc(std::uint32_t sum, const void* bytes, std::size_t size) {
    return size == 0 ? sum : static_cast<std::uint32_t>(crc32_z(sum, static_cast<const Bytef*>(bytes), size));
}

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

// Widest elements first: without gaps, every tensor is then aligned to its element size.
std::vector<TensorEntry> laid_out_entries(const std::string& path, const TensorFile& file) {
    std::vector<TensorEntry> entries;
    for (const auto& [name, tensor] : file.tensors) {
        if (byte_count(tensor.type, tensor.shape) != tensor.bytes().size())
            throw InputError(fmt::format("{}: the bytes of tensor '{}' do not fit its shape", path, name));
        entries.push_back({0, tensor.bytes().size(), name, tensor.type, tensor.shape});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const TensorEntry& a, const TensorEntry& b) { return element_size(a.type) > element_size(b.type); });
    std::uint64_t offset = 0;
    for (TensorEntry& entry : entries) {
        entry.begin = offset;
        offset = entry.end += offset;
    }
    return entries;
}

class SequentialReader {
public:
    explicit SequentialReader(const std::string& path) : path_(path) {
        std::error_code error;
        if (std::filesystem::is_directory(path, error)) throw InputError(fmt::format("{}: cannot read: it is a directory", path));
        errno = 0;
        stream_.open(path, std::ios::binary);
        if (!stream_) throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
        size_ = std::filesystem::file_size(path, error);
        if (error) throw InputError(fmt::format("{}: cannot read: {}", path, error.message()));
    }

    std::uint64_t size() const { return size_; }

    void read(void* bytes, std::size_t count) {
        if (count == 0) return;
        stream_.read(static_cast<char*>(bytes), static_cast<std::streamsize>(count));
        if (!stream_) refuse_damaged(path_, "it could not be read to its end");
    }

private:
    const std::string& path_;
    std::ifstream stream_;
    std::uint64_t size_ = 0;
};

struct RawHeader {
    std::string text;           // its checksum blanked
    std::string checksum;       // as it stood in the file
    std::uint32_t running_crc;  // of everything before the data, checksum blanked
};

// Looks at the first few bytes before it believes the length they state.
RawHeader read_header(const std::string& path, SequentialReader& reader) {
    if (reader.size() == 0) refuse_foreign(path, "it is empty");
    std::array<char, kLengthBytes + kHeaderStart.size() + kBlankChecksum.size()> start;
    if (reader.size() < start.size()) refuse_foreign(path, fmt::format("it ends after {} bytes", reader.size()));
    reader.read(start.data(), start.size());
    const std::string_view text(start.data() + kLengthBytes, start.size() - kLengthBytes);
    if (!text.starts_with(kHeaderStart))
        refuse_foreign(path, text.starts_with('{') ? "its header does not begin with a checksum" : "it does not begin with a header");
    LengthPrefix prefix;
    std::copy_n(start.begin(), kLengthBytes, prefix.begin());
    const auto length = std::bit_cast<std::uint64_t>(prefix);
    if (length < text.size() || length > std::min(reader.size() - kLengthBytes, kMaxHeaderBytes))
        refuse_damaged(path, fmt::format("a header of {} bytes in a file of {}", length, reader.size()));

    RawHeader header{std::string(text), std::string(text.substr(kHeaderStart.size())), 0};
    header.text.replace(kHeaderStart.size(), kBlankChecksum.size(), kBlankChecksum);
    header.text.resize(length);
    reader.read(header.text.data() + text.size(), length - text.size());
    header.running_crc = crc(crc(0, prefix.data(), prefix.size()), header.text.data(), length);
    return header;
}

/// Room for the elements of a tensor whose size is known to fit the file.
Tensor unfilled_tensor(TensorEntry& entry) {
    Tensor tensor{entry.type, std::move(entry.shape)};
    if (tensor.type == ElementType::f64 && tensor.shape.size() == 1)
        tensor.elements = Vector(tensor.shape[0]);
    else if (tensor.type == ElementType::f64 && tensor.shape.size() == 2)
        tensor.elements = Points(tensor.shape[0], tensor.shape[1]);
    else
        tensor.elements = std::vector<std::byte>(entry.end - entry.begin);
    return tensor;
}

const Tensor& checked_tensor(const TensorFile& file, const std::string& name, ElementType type, std::size_t rank) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) throw InputError(fmt::format("{}: '{}' is missing", file.path, name));
    const Tensor& tensor = found->second;
    if (tensor.type != type || tensor.shape.size() != rank || byte_count(type, tensor.shape) != tensor.bytes().size())
        throw InputError(fmt::format("{}: '{}' is not an array of {} of rank {}", file.path, name, element_name(type), rank));
    return tensor;
}

void copy_elements(const Tensor& tensor, void* destination) {
    if (!tensor.bytes().empty()) std::memcpy(destination, tensor.bytes().data(), tensor.bytes().size());
}

}  // namespace

std::span<const std::byte> Tensor::bytes() const {
    return std::visit([](const auto& values) { return std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))); },
                      elements);
}

std::span<std::byte> Tensor::bytes() {
    return std::visit(
        [](auto& values) { return std::as_writable_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))); }, elements);
}

void TensorFile::add(const std::string& name, Vector values) {
    std::vector<std::int64_t> shape{values.size()};
    tensors[name] = {ElementType::f64, std::move(shape), std::move(values)};
}

void TensorFile::add(const std::string& name, Points points) {
    std::vector<std::int64_t> shape{points.rows(), points.cols()};
    tensors[name] = {ElementType::f64, std::move(shape), std::move(points)};
}

void TensorFile::add(const std::string& name, std::vector<Index> indices) {
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(indices.size())};
    tensors[name] = {ElementType::i32, std::move(shape), std::move(indices)};
}

Vector TensorFile::vector(const std::string& name) const {
    const Tensor& tensor = checked_tensor(*this, name, ElementType::f64, 1);
    Vector values(tensor.shape[0]);
    copy_elements(tensor, values.data());
    return values;
}

Points TensorFile::points(const std::string& name) const {
    const Tensor& tensor = checked_tensor(*this, name, ElementType::f64, 2);
    Points points(tensor.shape[0], tensor.shape[1]);
    copy_elements(tensor, points.data());
    return points;
}

std::vector<Index> TensorFile::indices(const std::string& name) const {
    const Tensor& tensor = checked_tensor(*this, name, ElementType::i32, 1);
    std::vector<Index> indices(static_cast<std::size_t>(tensor.shape[0]));
    copy_elements(tensor, indices.data());
    return indices;
}

Vector TensorFile::take_vector(const std::string& name) {
    checked_tensor(*this, name, ElementType::f64, 1);
    auto* stored = std::get_if<Vector>(&tensors.at(name).elements);
    Vector values = stored != nullptr ? std::move(*stored) : vector(name);
    tensors.erase(name);
    return values;
}

Points TensorFile::take_points(const std::string& name) {
    checked_tensor(*this, name, ElementType::f64, 2);
    auto* stored = std::get_if<Points>(&tensors.at(name).elements);
    Points values = stored != nullptr ? std::move(*stored) : points(name);
    tensors.erase(name);
    return values;
}

const std::string& TensorFile::text(const std::string& key) const {
    const auto found = metadata.find(key);
    if (found == metadata.end()) throw InputError(fmt::format("{}: '{}' is missing", path, key));
    return found->second;
}

void write_tensor_file(const std::string& path, const TensorFile& file) {
    const TensorHeader layout{file.metadata, laid_out_entries(path, file)};
    std::string header = header_text(path, layout);
    const auto prefix = std::bit_cast<LengthPrefix>(static_cast<std::uint64_t>(header.size()));
    std::uint32_t sum = crc(crc(0, prefix.data(), prefix.size()), header.data(), header.size());
    for (const TensorEntry& entry : layout.entries) sum = crc(sum, file.tensors.at(entry.name).bytes().data(), entry.end - entry.begin);
    header.replace(kHeaderStart.size(), kBlankChecksum.size(), checksum_text(sum));

    data::AtomicFile destination(path);
    destination.write(prefix.data(), prefix.size());
    destination.write(header.data(), header.size());
    for (const TensorEntry& entry : layout.entries) destination.write(file.tensors.at(entry.name).bytes().data(), entry.end - entry.begin);
    destination.commit();
}

TensorFile read_tensor_file(const std::string& path) {
    SequentialReader reader(path);
    const RawHeader raw = read_header(path, reader);
    TensorHeader header = parsed_header(path, raw.text, reader.size() - kLengthBytes - raw.text.size());

    TensorFile file{std::move(header.metadata), {}, path};
    std::uint32_t sum = raw.running_crc;
    for (TensorEntry& entry : header.entries) {
        Tensor& tensor = file.tensors[entry.name];
        tensor = unfilled_tensor(entry);
        for (auto bytes = tensor.bytes(); !bytes.empty();) {
            const auto piece = bytes.first(std::min(bytes.size(), kBytesInCache));
            reader.read(piece.data(), piece.size());
            sum = crc(sum, piece.data(), piece.size());
            bytes = bytes.subspan(piece.size());
        }
    }
    if (raw.checksum != checksum_text(sum)) refuse_damaged(path, "its checksum does not match its contents");
    return file;
}

}  // namespace vnngp::model
