// What makes a header line unusable, and text made fit for a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vnngp::data {

/// At most 40 bytes, cut between UTF-8 characters, control characters replaced: safe to print.
std::string shortened(std::string_view text);

/// Throws InputError when the text starts with a UTF-16 byte-order mark.
void check_not_utf16(std::string_view start_of_text, const std::string& source);

/// Throws InputError when a name is empty, occurs twice or looks binary, or when the line holds data instead of names.
void check_header(const std::vector<std::string>& names, const std::string& source);

}  // namespace vnngp::data
