// Writing to the terminal or to whatever stands in its place.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace vnngp::app {

/// To standard output. Throws InputError when it cannot be written (a full disk behind a redirection).
void print(std::string_view text);
/// One object on one standard output, indented.
void print_json(const nlohmann::ordered_json& object);

/// To standard error. What cannot be written there is lost, and nothing else is.
void say(std::string_view text);
/// The same, each on a line of its own.
void print_notes(const std::vector<std::string>& notes);
void print_warnings(const std::vector<std::string>& warnings);

/// As a word of a shell command.
std::string shell_word(const std::string& text);

/// "1 row", "2 rows", with a plain s for the plural.
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace vnngp::app
