// The layout of help pages.
#pragma once

#include <CLI/CLI.hpp>

namespace vnngp::app {

/// Description, usage, arguments, commands, then the options in their groups: what each takes and does, the words it accepts and its
/// default, wrapped to the page.
class HelpFormatter : public CLI::FormatterBase {
public:
    std::string make_help(const CLI::App* parser, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace vnngp::app
