// The JSON header of a tensor file, as text and as values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/model/tensor_file.hpp"

namespace vnngp::model {

/// Every header starts with this, then eight digits of checksum.
inline constexpr std::string_view kHeaderStart = R"({"__metadata__":{"checksum":")";
inline constexpr std::string_view kBlankChecksum = "00000000";
inline constexpr std::size_t kLengthBytes = 8;  ///< what precedes the header

struct TensorEntry {
    std::uint64_t begin = 0;  ///< within the data
    std::uint64_t end = 0;
    std::string name;
    ElementType type = ElementType::u8;
    std::vector<std::int64_t> shape;
};

struct TensorHeader {
    std::map<std::string, std::string> metadata;  ///< without the checksum
    std::vector<TensorEntry> entries;             ///< in the order of the data, which they cover without gap or overlap
};

/// "F64", "I32", ...
std::string_view element_name(ElementType type);

/// Bytes taken by a tensor of this shape; nothing when that overflows or a size is negative.
std::optional<std::uint64_t> byte_count(ElementType type, const std::vector<std::int64_t>& shape);

/// The header with a blank checksum, padded so that the data after it is aligned. `path` is for messages.
std::string header_text(const std::string& path, const TensorHeader& header);

/// The inverse of header_text, for untrusted text before `data_bytes` bytes of data; InputError for anything that is not consistent.
TensorHeader parsed_header(const std::string& path, const std::string& text, std::uint64_t data_bytes);

[[noreturn]] void refuse_damaged(const std::string& path, const std::string& what);

}  // namespace vnngp::model
