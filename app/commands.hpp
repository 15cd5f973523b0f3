// The subcommands. Each lives in a file of its own: a struct of what was asked for, its declaration to the parser, and the work.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace vnngp::app {

struct Command {
    const CLI::App* parser;
    std::function<void()> run;  ///< to be called after parsing, when the user chose this command
};

Command setup_simulate(CLI::App& program);
Command setup_fit(CLI::App& program);
Command setup_predict(CLI::App& program);
Command setup_evaluate(CLI::App& program);
Command setup_inspect(CLI::App& program);
Command setup_paper(CLI::App& program);
/// To be called last: it completes what `program` knows when the command runs.
Command setup_completion(CLI::App& program);

/// What `vnngp --version` prints.
std::string version_text();

}  // namespace vnngp::app
