// The characters of kernel expressions, independent of the locale.
#pragma once

namespace vnngp::kernel {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// What names may consist of without quotes; beyond ASCII everything, so that names in UTF-8 do.
constexpr bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace vnngp::kernel
