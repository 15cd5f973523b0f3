#include "data/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/csv_scan.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == '\x7f'; }

// Whole numbers alone are the default names of R and pandas; a decimal among nothing but numbers is a row of data.
bool is_data_row(const std::vector<std::string>& names) {
    double ignored = 0.0;
    const bool all_numbers =
        std::all_of(names.begin(), names.end(), [&](const std::string& name) { return parse_number(name, ignored) == NumberKind::number; });
    const bool all_whole = std::all_of(names.begin(), names.end(),
                                       [](const std::string& name) { return name.find_first_not_of("0123456789") == std::string::npos; });
    return all_numbers && !all_whole;
}

}  // namespace

std::string shortened(std::string_view text) {
    constexpr std::size_t kShown = 40;
    std::string shown(text.substr(0, kShown));
    if (text.size() > kShown) {
        const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
        while (!shown.empty() && continues(shown.size())) shown.pop_back();
    }
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') c = '?';
    return text.size() > kShown ? shown + "..." : shown;
}

void check_not_utf16(std::string_view start_of_text, const std::string& source) {
    if (start_of_text.starts_with("\xFF\xFE") || start_of_text.starts_with("\xFE\xFF"))
        throw InputError(fmt::format("{}: the text is UTF-16; save it as UTF-8", source));
}

void check_header(const std::vector<std::string>& names, const std::string& source) {
    for (const std::string& name : names)
        if (std::any_of(name.begin(), name.end(), is_control))
            throw InputError(fmt::format("{}: not a text file: there are control characters in the header line", source));
    for (std::size_t i = 0; i < names.size(); ++i)
        if (trimmed(names[i]).empty())
            throw InputError(fmt::format("{}: column {} of {} has no name in the header{}", source, i + 1, names.size(),
                                         i == 0 && names.size() > 1 ? " (a row index? pandas leaves it out with index=False)" : ""));
    std::map<std::string, std::size_t> first;
    std::vector<std::string> repeated;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const auto [entry, is_new] = first.emplace(names[i], i); !is_new)
            repeated.push_back(fmt::format("'{}' (columns {} and {})", shortened(names[i]), entry->second + 1, i + 1));
    if (is_data_row(names))
        throw InputError(fmt::format("{}: the first line holds numbers ('{}', ...) where a header with column names is required", source,
                                     shortened(names[0])));
    if (!repeated.empty()) throw InputError(fmt::format("{}: the header repeats column names: {}", source, fmt::join(repeated, ", ")));
}

}  // namespace vnngp::data
