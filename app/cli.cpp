#include "app/cli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "vnngp/base/names.hpp"
#include "vnngp/data/csv_reader.hpp"

namespace vnngp::app {
namespace {

template <class Number>
std::optional<Number> parsed(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

// Words are listed in braces in a validator's description, which is where choices_of finds them.
std::string braces(const std::vector<std::string>& words) { return fmt::format("{{{}}}", fmt::join(words, ",")); }

}  // namespace

CLI::Validator one_of(std::vector<std::string> choices) {
    const std::string description = braces(choices);
    return {[choices = std::move(choices)](const std::string& value) {
                if (std::find(choices.begin(), choices.end(), value) != choices.end()) return std::string();
                return fmt::format("'{}' is not one of {}{}", value, fmt::join(choices, ", "), suggestion(choices, value));
            },
            description};
}

CLI::Validator whole_number(std::int64_t smallest, std::int64_t largest) {
    return {[=](const std::string& value) {
                const auto number = parsed<std::int64_t>(value);
                if (number && *number >= smallest && *number <= largest) return std::string();
                return fmt::format("'{}' is not a whole number from {} to {}", value, smallest, largest);
            },
            ""};
}

CLI::Validator real_number(double smallest, double largest) {
    return {[=](const std::string& value) {
                const auto number = parsed<double>(value);
                if (number && *number >= smallest && *number <= largest) return std::string();
                return fmt::format("'{}' is not a number from {} to {}", value, smallest, largest);
            },
            ""};
}

CLI::Validator word_or_number(std::vector<std::string> words, CLI::Validator number) {
    const std::string description = braces(words);
    return {[words = std::move(words), number = std::move(number)](const std::string& value) {
                if (std::find(words.begin(), words.end(), value) != words.end()) return std::string();
                const std::string complaint = number(value);
                return complaint.empty() ? complaint : fmt::format("{}, nor {}", complaint, fmt::join(words, " or "));
            },
            description};
}

CLI::Validator not_empty() {
    return {[](const std::string& value) { return value.empty() ? std::string("needs a value") : std::string(); }, ""};
}

CLI::Validator list_of(CLI::Validator each) {
    return {[each = std::move(each)](const std::string& value) {
                for (const std::string& item : split_list(value))
                    if (const std::string complaint = each(item); !complaint.empty()) return complaint;
                return std::string();
            },
            ""};
}

std::vector<std::string> choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const auto open = type.find('{'), close = type.rfind('}');
    if (open == std::string::npos || close == std::string::npos) return {};
    return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::vector<std::string> split_list(const std::string& text) {
    return text.empty() ? std::vector<std::string>() : data::raw_row_fields(text, ',');
}

double number_of(const std::string& text) { return parsed<double>(text).value_or(std::nan("")); }

std::vector<double> split_numbers(const std::string& text) {
    std::vector<double> numbers;
    for (const std::string& item : split_list(text)) numbers.push_back(number_of(item));
    return numbers;
}

CLI::Option* add_file(CLI::App& parser, const std::string& name, std::string& value, const std::string& text) {
    return parser.add_option(name, value, text)->required()->type_name("FILE")->check(not_empty())->transform([](std::string given) {
        return given == "-" ? std::string("/dev/stdin") : given;
    });
}

void add_machine_options(OptionGroup& group, MachineOptions& options) {
    group.add("--threads", options.threads, "N", whole_number(1, 4096), "Number of threads to compute with")->default_str("all cores");
    group.flag("--quiet", options.quiet, "No progress, notes or summary: only warnings and errors");
}

CLI::Validator seed_number() { return whole_number(0, std::numeric_limits<std::int64_t>::max()); }

}  // namespace vnngp::app
