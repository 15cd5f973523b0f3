// The program: chooses the subcommand, and turns whatever goes wrong into one message and one exit code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <sstream>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/help.hpp"
#include "app/output.hpp"
#include "app/signals.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/names.hpp"

namespace vnngp::app {
namespace {

constexpr std::string_view kDescription =
    "vnngp: Gaussian processes for large data sets, with honest uncertainty\n\n"
    "Variational nearest-neighbour Gaussian processes (Wu, Pleiss and Cunningham, ICML 2022).";

constexpr std::string_view kFooter = R"(Tables are CSV files (also .csv.gz) with a header line; columns are chosen by name.

Examples:
  vnngp simulate --points 20000 --seed 1 -o field.csv       make something to try
  vnngp fit field.csv --target y --model field.vnngp        learn y from the other columns
  vnngp predict field.vnngp new.csv -o predictions.csv      add mean and sd to new rows
  vnngp COMMAND --help                                      all options of a command, with defaults

Exit codes:
  0    done
  1    a defect of vnngp
  2    something to put right: an option, a file, a value in it; the message says where
  3    a computation that cannot be completed (numerical failure, not enough memory)
  130  interrupted by Ctrl-C
Files are written whole or not at all.)";

int fail(const std::string& command, std::string_view message, ExitCode code) {
    say(fmt::format("{}: {}\n", command, message));
    return static_cast<int>(code);
}

std::vector<std::string> option_names(const CLI::App& parser) {
    std::vector<std::string> names;
    for (const CLI::Option* option : parser.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::string parse_error_message(const CLI::App& parser, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::vector<std::string> unknown = parser.remaining(true);
        const std::string first = unknown.empty() ? "" : unknown.front();
        if (!first.starts_with("-")) return fmt::format("there is one argument too many: '{}'", first);
        const std::string name = first.substr(0, first.find('='));
        return fmt::format("unknown option '{}'{}", name, suggestion(option_names(parser), name));
    }
    const std::string message = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        const std::string option = message.substr(0, message.find(':'));
        if (message.ends_with("missing")) return fmt::format("{} needs a value", option);
        if (message.find("At Most") != std::string::npos) return fmt::format("{} is given more than once", option);
    }
    return message;
}

int run(const std::string& name, const std::function<void()>& command) {
    try {
        command();
        return static_cast<int>(ExitCode::done);
    } catch (const Error& error) {
        return fail(name, error.what(), error.exit_code());
    } catch (const std::filesystem::filesystem_error& error) {
        return fail(name, fmt::format("cannot use '{}': {}", error.path1().string(), error.code().message()), ExitCode::user_error);
    } catch (const std::bad_alloc&) {
        return fail(name, "there is not enough memory for this", ExitCode::numerical_failure);
    } catch (const std::exception& error) {
        return fail(name, fmt::format("{} (this is a defect of vnngp: please report it)", error.what()), ExitCode::internal_error);
    }
}

// `vnngp help fit` is `vnngp fit --help`.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty() || words[0] != "help") return words;
    if (words.size() == 1) return {"--help"};
    return {words[1], "--help"};
}

int run_program(int argc, char** argv) {
    CLI::App program{std::string(kDescription), "vnngp"};
    program.formatter(std::make_shared<HelpFormatter>());
    program.set_help_flag("-h,--help", "Show this help");
    program.set_version_flag("--version", version_text, "Show the version and what this build uses");
    program.footer(std::string(kFooter));
    const std::vector<Command> commands{setup_simulate(program), setup_fit(program),   setup_predict(program),   setup_evaluate(program),
                                        setup_inspect(program),  setup_paper(program), setup_completion(program)};
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.parser->get_name());

    if (argc < 2) {
        say(program.help());
        return static_cast<int>(ExitCode::user_error);
    }
    std::vector<std::string> words = words_of(argc, argv);
    const std::string first = words[0];
    if (!first.starts_with("-") && std::find(names.begin(), names.end(), first) == names.end())
        return fail("vnngp", fmt::format("unknown command '{}'{}; vnngp --help lists them", first, suggestion(names, first)),
                    ExitCode::user_error);
    try {
        std::reverse(words.begin(), words.end());  // as CLI11 wants them
        program.parse(std::move(words));
    } catch (const CLI::Success& request) {
        std::ostringstream text;
        program.exit(request, text, text);  // --help, --version
        return run("vnngp", [&] { print(text.str()); });
    } catch (const CLI::ParseError& error) {
        const auto chosen = program.get_subcommands();
        const CLI::App& parser = chosen.empty() ? program : *chosen.front();
        const std::string name = chosen.empty() ? "vnngp" : "vnngp " + parser.get_name();
        return fail(name, fmt::format("{}; see {} --help", parse_error_message(parser, error), name), ExitCode::user_error);
    }
    for (const Command& command : commands)
        if (command.parser->parsed()) return run("vnngp " + command.parser->get_name(), command.run);
    return fail("vnngp", "a command is needed; vnngp --help lists them", ExitCode::user_error);
}

}  // namespace
}  // namespace vnngp::app

// Leaves without what libraries do at exit: under a limit on memory OpenBLAS would wait for a thread of its own that cannot start. All
// output has been written by then.
int main(int argc, char** argv) {
    vnngp::app::ignore_file_size_signal();
    const int code = vnngp::app::run_program(argc, argv);
#ifndef VNNGP_CHECKS_AT_EXIT
    std::_Exit(code);
#endif
    return code;
}
