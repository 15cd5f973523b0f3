#include "app/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "app/cli.hpp"

namespace vnngp::app {
namespace {

constexpr std::size_t kPageWidth = 100;
constexpr std::size_t kTextColumn = 28;
constexpr const char* kHelpGroup = "Options";  // where the parser puts --help and --version: shown last

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Name on the left, wrapped text on the right; a long name has a line of its own.
std::string entry(const std::string& name, const std::string& text) {
    const std::string margin = "\n" + std::string(kTextColumn, ' ');
    std::string page = name.size() + 4 > kTextColumn ? "  " + name + margin : fmt::format("  {:<{}}", name, kTextColumn - 2);
    std::size_t column = kTextColumn;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (column > kTextColumn && column + 1 + word.size() > kPageWidth) {
            page += margin;
            column = kTextColumn;
        }
        const std::string piece = column > kTextColumn ? " " + word : word;
        page += piece;
        column += piece.size();
    }
    return page + "\n";
}

std::string option_entry(const CLI::Option& option) {
    std::string name = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
    if (const auto comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
    const std::string type = option.get_type_name(), placeholder = type.substr(0, type.find(':'));
    const auto choices = choices_of(option);
    const bool words_only = placeholder == "NAME";
    if (!option.get_positional() && option.get_type_size() != 0) name += " " + placeholder;
    if (!words_only)
        for (const std::string& word : choices) name += "|" + word;

    std::string text = option.get_description();
    if (words_only && choices.size() > 1) text += fmt::format(": {}", fmt::join(choices, ", "));
    if (!option.get_default_str().empty()) text += fmt::format(" [default: {}]", option.get_default_str());
    return entry(name, text);
}

std::string option_group(const CLI::App& parser, const std::string& group) {
    std::string text;
    for (const CLI::Option* option : parser.get_options([](const CLI::Option* o) { return !o->get_positional(); }))
        if (option->get_group() == group) text += option_entry(*option);
    return text.empty() ? text : fmt::format("\n{}:\n{}", group, text);
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* parser, std::string name, CLI::AppFormatMode) const {
    std::string usage = fmt::format("Usage: {}", name), arguments, commands;
    for (const CLI::Option* option : parser->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
        usage += " " + option->get_name(true);
        arguments += option_entry(*option);
    }
    for (const CLI::App* command : parser->get_subcommands({}))
        commands += entry(command->get_name(), first_line(command->get_description()));

    std::string page = fmt::format("{}\n\n{}{} [options]\n", parser->get_description(), usage, commands.empty() ? "" : " <command>");
    if (!arguments.empty()) page += "\nArguments:\n" + arguments;
    if (!commands.empty()) page += "\nCommands:\n" + commands;
    for (const std::string& group : parser->get_groups())
        if (group != kHelpGroup) page += option_group(*parser, group);
    return fmt::format("{}{}\n{}\n", page, option_group(*parser, kHelpGroup), parser->get_footer());
}

}  // namespace vnngp::app
