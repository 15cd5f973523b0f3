#include "vnngp/base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace vnngp {
namespace {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

// Levenshtein distance with swaps of adjacent letters (optimal string alignment), three rows of its table at a time.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> before(to.size() + 1), above(to.size() + 1), row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        before.swap(above);
        above.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            row[j] = std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (from[i - 1] != to[j - 1])});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_name(const std::vector<std::string>& names, std::string_view wanted) {
    const std::string target = lower_case(wanted);
    std::size_t best = std::max<std::size_t>(1, target.size() / 3) + 1;
    std::string nearest;
    for (const std::string& name : names) {
        const std::string candidate = lower_case(name);
        const bool prefix =
            std::min(candidate.size(), target.size()) >= 2 && (candidate.starts_with(target) || target.starts_with(candidate));
        const std::size_t distance = std::min(edit_distance(target, candidate), prefix ? std::size_t{1} : best);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

std::string suggestion(const std::vector<std::string>& names, std::string_view wanted) {
    const std::string nearest = nearest_name(names, wanted);
    return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

}  // namespace vnngp
