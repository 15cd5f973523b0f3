#include "model/tensor_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "vnngp/base/error.hpp"

namespace vnngp::model {
namespace {

using nlohmann::json;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kChecksum = "checksum";
constexpr std::size_t kDataAlignment = 64;

struct KnownType {
    ElementType type;
    std::string_view name;
    std::size_t size;
};
constexpr std::array kTypes = {KnownType{ElementType::f64, "F64", 8}, KnownType{ElementType::i64, "I64", 8},
                               KnownType{ElementType::i32, "I32", 4}, KnownType{ElementType::u8, "U8", 1}};

const KnownType& known_type(ElementType type) {
    return *std::find_if(kTypes.begin(), kTypes.end(), [type](const KnownType& known) { return known.type == type; });
}

// Text as JSON; unlike plain parsing, a key that occurs twice in an object is refused.
json parsed_json(const std::string& path, const std::string& text) {
    std::vector<std::set<std::string>> open_objects;
    bool repeated = false;
    const auto watch_keys = [&](int, json::parse_event_t event, json& value) {
        if (event == json::parse_event_t::object_start) open_objects.emplace_back();
        if (event == json::parse_event_t::object_end) open_objects.pop_back();
        if (event == json::parse_event_t::key) repeated |= !open_objects.back().insert(value.get<std::string>()).second;
        return true;
    };
    json header = json::parse(text, watch_keys, /*allow_exceptions=*/false);
    if (header.is_discarded()) refuse_damaged(path, "its header is not valid JSON in UTF-8");
    if (repeated) refuse_damaged(path, "a name occurs twice in its header");
    return header;
}

bool is_list_of_sizes(const json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& size) {
               return size.is_number_unsigned() && size.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
           });
}

TensorEntry parsed_entry(const std::string& path, const std::string& name, const json& value) {
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets"))
        refuse_damaged(path, fmt::format("tensor '{}' needs exactly dtype, shape and data_offsets", name));
    const json& type_name = value["dtype"];
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const KnownType& known) { return type_name == json(known.name); });
    if (type == kTypes.end()) refuse_damaged(path, fmt::format("tensor '{}' has an unknown dtype", name));
    const json& offsets = value["data_offsets"];
    if (!is_list_of_sizes(value["shape"]) || !is_list_of_sizes(offsets) || offsets.size() != 2)
        refuse_damaged(path, fmt::format("tensor '{}' has a shape or data_offsets that are not sizes", name));

    TensorEntry entry{offsets[0], offsets[1], name, type->type, value["shape"]};
    if (entry.end < entry.begin || byte_count(entry.type, entry.shape) != entry.end - entry.begin)
        refuse_damaged(path, fmt::format("tensor '{}' has data_offsets that do not fit its shape", name));
    return entry;
}

std::string parsed_text(const std::string& path, const std::string& key, const json& value) {
    if (!value.is_string()) refuse_damaged(path, fmt::format("the metadata '{}' is not text", key));
    return value;
}

}  // namespace

std::size_t element_size(ElementType type) { return known_type(type).size; }
std::string_view element_name(ElementType type) { return known_type(type).name; }

std::optional<std::uint64_t> byte_count(ElementType type, const std::vector<std::int64_t>& shape) {
    std::uint64_t count = element_size(type);
    for (const std::int64_t size : shape)
        if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return std::nullopt;
    return count;
}

std::string header_text(const std::string& path, const TensorHeader& header) {
    nlohmann::ordered_json tree;
    tree[kMetadata][kChecksum] = kBlankChecksum;
    for (const auto& [key, value] : header.metadata) {
        if (key == kChecksum) throw InputError(fmt::format("{}: the metadata key '{}' is reserved", path, key));
        tree[kMetadata][key] = value;
    }
    for (const TensorEntry& entry : header.entries) {
        if (entry.name == kMetadata) throw InputError(fmt::format("{}: the tensor name '{}' is reserved", path, entry.name));
        tree[entry.name] = {{"dtype", element_name(entry.type)}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
    }
    std::string text;
    try {
        text = tree.dump();
    } catch (const json::type_error&) {
        throw InputError(fmt::format("{}: cannot store a name or text that is not UTF-8", path));
    }
    const std::size_t unpadded = kLengthBytes + text.size();
    text.append((kDataAlignment - unpadded % kDataAlignment) % kDataAlignment, ' ');
    return text;
}

TensorHeader parsed_header(const std::string& path, const std::string& text, std::uint64_t data_bytes) {
    TensorHeader header;
    const json tree = parsed_json(path, text);
    for (const auto& [name, value] : tree.items()) {
        if (name != kMetadata) {
            header.entries.push_back(parsed_entry(path, name, value));
            continue;
        }
        for (const auto& [key, item] : value.items())
            if (key != kChecksum) header.metadata[key] = parsed_text(path, key, item);
    }
    std::sort(header.entries.begin(), header.entries.end(),
              [](const TensorEntry& a, const TensorEntry& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
    std::uint64_t covered = 0;
    for (const TensorEntry& entry : header.entries) {
        if (entry.begin != covered) refuse_damaged(path, fmt::format("tensor '{}' overlaps another or leaves a gap", entry.name));
        covered = entry.end;
    }
    if (covered != data_bytes) refuse_damaged(path, fmt::format("{} bytes of data where its header describes {}", data_bytes, covered));
    return header;
}

void refuse_damaged(const std::string& path, const std::string& what) { throw InputError(fmt::format("{}: damaged file: {}", path, what)); }

}  // namespace vnngp::model
