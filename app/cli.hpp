// What the subcommands' options have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace vnngp::app {

/// Checks of an option's value before it is converted; messages say what was expected.
CLI::Validator one_of(std::vector<std::string> choices);
CLI::Validator whole_number(std::int64_t smallest, std::int64_t largest = std::numeric_limits<std::int32_t>::max());
CLI::Validator real_number(double smallest, double largest);
/// An unset variable of a shell script, for example.
CLI::Validator not_empty();
/// A choice of words, or else what `number` accepts.
CLI::Validator word_or_number(std::vector<std::string> words, CLI::Validator number);
/// Values that `each` accepts, separated by commas.
CLI::Validator list_of(CLI::Validator each);

/// The words an option accepts, as its validators state them; empty when it takes anything.
std::vector<std::string> choices_of(const CLI::Option& option);

/// The fields of a comma-separated list. A field that holds a comma is quoted as in CSV.
std::vector<std::string> split_list(const std::string& text);
std::vector<double> split_numbers(const std::string& text);

/// The number in a text that a validator has accepted.
double number_of(const std::string& text);

/// Declares the options under one title of a help page.
class OptionGroup {
public:
    OptionGroup(CLI::App& parser, std::string title) : parser_(parser), title_(std::move(title)) {}

    /// Takes one value, named by `placeholder` on the help page; the default is what `value` holds.
    template <class T>
    CLI::Option* add(const std::string& name, T& value, const std::string& placeholder, const std::string& text) {
        return parser_.add_option(name, value, text)->type_name(placeholder)->capture_default_str()->group(title_)->check(not_empty());
    }
    template <class T>
    CLI::Option* add(const std::string& name, T& value, const std::string& placeholder, const CLI::Validator& check,
                     const std::string& text) {
        return add(name, value, placeholder, text)->check(check);
    }
    CLI::Option* flag(const std::string& name, bool& value, const std::string& text) {
        return parser_.add_flag(name, value, text)->group(title_);
    }

private:
    CLI::App& parser_;
    std::string title_;
};

/// A file given by its position; - is standard input.
CLI::Option* add_file(CLI::App& parser, const std::string& name, std::string& value, const std::string& text);

/// Options of every command that computes.
struct MachineOptions {
    int threads = 0;  ///< 0 = all cores
    bool quiet = false;
};
void add_machine_options(OptionGroup& group, MachineOptions& options);

/// Numbers from 0 that fit in 63 bits.
CLI::Validator seed_number();

}  // namespace vnngp::app
