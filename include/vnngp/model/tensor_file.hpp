// The container of model files and checkpoints: named arrays and text in one file, in the safetensors layout
// (https://github.com/huggingface/safetensors#format), readable from any language:
//
//     8 bytes    length of the header, little-endian
//     header     JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__": text -> text; padded with spaces
//     data       starts at a multiple of 64 bytes; tensors without gaps, widest elements first, so each is aligned to its element size
//
// The header begins with {"__metadata__":{"checksum":"xxxxxxxx" where the eight lower-case hexadecimal digits are the CRC-32 (zlib) of the
// whole file with those digits replaced by zeros: no byte of the file can change unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::model {

enum class ElementType { f64, i64, i32, u8 };

/// Bytes per element.
std::size_t element_size(ElementType type);

/// An array of any rank, row-major and little-endian; bytes().size() == element_size(type) * product(shape).
struct Tensor {
    ElementType type = ElementType::u8;
    std::vector<std::int64_t> shape = {};
    /// What a reader will want: numbers are read from the file to where they stay.
    std::variant<std::vector<std::byte>, Vector, Points, std::vector<Index>> elements = {};

    std::span<const std::byte> bytes() const;
    std::span<std::byte> bytes();
};

struct TensorFile {
    /// Text by key, both UTF-8. The key "checksum" is the container's own: absent here, in the file only.
    std::map<std::string, std::string> metadata;
    std::map<std::string, Tensor> tensors;
    /// Where this was read from, for the messages of the functions below; empty when it was made in memory.
    std::string path;

    void add(const std::string& name, Vector values);               ///< F64 [n]
    void add(const std::string& name, Points points);               ///< F64 [rows, columns]
    void add(const std::string& name, std::vector<Index> indices);  ///< I32 [n]

    /// What was stored under the name; InputError when it is absent or has another type or rank.
    Vector vector(const std::string& name) const;
    Points points(const std::string& name) const;
    std::vector<Index> indices(const std::string& name) const;
    /// The same, leaving nothing behind under the name.
    Vector take_vector(const std::string& name);
    Points take_points(const std::string& name);
    /// The metadata text of a key; InputError when it is absent.
    const std::string& text(const std::string& key) const;
};

/// Writes the file whole or not at all: the destination is replaced only once everything is on disk. The same contents give the same bytes.
/// InputError when the file cannot be written, or when a name or text is not UTF-8.
void write_tensor_file(const std::string& path, const TensorFile& file);

/// InputError, naming the path and what is wrong, for anything that is not exactly what write_tensor_file wrote.
/// Never allocates more than a small multiple of the file's size.
TensorFile read_tensor_file(const std::string& path);

}  // namespace vnngp::model
