// Helping with misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vnngp {

/// The name most likely meant by `wanted`, or "" when none is near: few letters inserted, left out, replaced or swapped with their
/// neighbour, or one the beginning of the other. Case is ignored.
std::string nearest_name(const std::vector<std::string>& names, std::string_view wanted);

/// " (did you mean 'x'?)", or "".
std::string suggestion(const std::vector<std::string>& names, std::string_view wanted);

}  // namespace vnngp
