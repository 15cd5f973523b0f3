#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "experiments/pages.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::app {
namespace {

using namespace experiments;

constexpr Index kQuickRows = 1500;
constexpr int kQuickSeeds = 1;
constexpr double kSecondsWorthALine = 5.0;

struct PaperCommand {
    std::string name, data, out = "paper", sets, methods, grid = "single", neighbors, inducing, input_scale = "deviation";
    bool quick = false, kept = false;
    int first_seed = 0, seeds = 0, epochs = 0;  // seeds and epochs, 0: the default
    Index rows = 0;
    std::uint64_t seed = 0;
    MachineOptions machine;
};

std::vector<std::string> page_names() {
    std::vector<std::string> names{"list"};
    for (const PageInfo& page : all_pages()) names.emplace_back(page.name);
    names.emplace_back("all");
    return names;
}

void print_list() {
    std::string text = fmt::format("{:<10} {:<48} {:<40} {}\n", "name", "shows", "data", "full run");
    for (const PageInfo& page : all_pages())
        text += fmt::format("{:<10} {:<48} {:<40} {}\n", page.name, page.title, page.needs, page.takes);
    text += fmt::format("{:<10} {:<48}\n\n", "all", "all of them, and index.md with every claim");
    text += fmt::format("{:<15} {:<26} {}\n", "method", "in the tables", "what it is");
    for (const MethodInfo& method : all_methods()) text += fmt::format("{:<15} {:<26} {}\n", method.key, method.label, method.text);
    std::vector<std::string_view> sets;
    for (const SetInfo& set : all_sets()) sets.push_back(set.key);
    text += fmt::format("\nData sets: {}.\n", fmt::join(sets, ", "));
    text +=
        "A data set is DIR/NAME.csv or DIR/NAME.csv.gz. ukhousing and 3droad are yours to supply: a header line, the target in the last "
        "column.\n";
    print(text);
}

RunOptions run_options(const PaperCommand& command) {
    RunOptions options;
    options.source = {.folder = command.data, .simulate = command.quick && command.data.empty(), .rows_at_most = command.rows};
    if (command.quick && !command.data.empty() && command.rows == 0) options.source.rows_at_most = kQuickRows;
    check_source(options.source);
    options.out = command.out;
    options.quick = command.quick;
    options.sets = split_list(command.sets);
    if (command.name.starts_with("figure")) options.figure_sets = options.sets;
    options.methods = split_list(command.methods);
    for (const std::string& set : options.sets) set_info(set);
    for (const std::string& method : options.methods) method_info(method);
    options.first_seed = command.first_seed;
    if (command.seeds > 0 || command.quick) options.seeds = command.seeds > 0 ? command.seeds : kQuickSeeds;
    options.grid = command.grid == "published" ? Grid::published : command.grid == "wide" ? Grid::wide : Grid::single;
    for (const double k : split_numbers(command.neighbors)) options.neighbors.push_back(static_cast<Index>(k));
    for (const double m : split_numbers(command.inducing)) options.inducing.push_back(static_cast<Index>(m));
    options.input_scale = command.input_scale == "range" ? data::Scale::range : data::Scale::deviation;
    options.epochs = command.epochs;
    options.seed = command.seed;
    options.kept_only = command.kept;
    return options;
}

std::string verdicts(const PageOutcome& outcome) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(outcome.claims.begin(), outcome.claims.end(),
                             [&](const Judged& judged) { return judged.finding.verdict == verdict; });
    };
    return fmt::format("{} of the paper's claims hold, {} do not, {} not tested", count(Verdict::holds), count(Verdict::does_not_hold),
                       count(Verdict::not_tested));
}

void run_paper(const PaperCommand& command) {
    if (command.name == "list") return print_list();
    const RunOptions options = run_options(command);
    std::filesystem::create_directories(options.out);
    ProgressLine line(!command.machine.quiet);
    const auto tell = [&](const Cell& cell, const Outcome& outcome, std::size_t done, std::size_t total) {
        line.clear();
        if (outcome.status == Outcome::Status::failed)
            print_warnings({fmt::format("{} failed: {}", cell_name(cell), outcome.message)});
        else if (!command.machine.quiet && outcome.seconds > kSecondsWorthALine)
            print_notes({fmt::format("cell {}/{}: {} in {:.0f} s", done, total, cell_name(cell), outcome.seconds)});
    };
    Runner runner(options, machine_context(command.machine, command.seed, line), tell);
    std::vector<PageOutcome> pages;
    for (const PageInfo& page : all_pages()) {
        if (command.name != "all" && command.name != page.name) continue;
        pages.push_back(write_page(page, runner));
        line.clear();
        if (!command.machine.quiet)
            print(fmt::format("{}: {}\n", (options.out / (std::string(page.name) + ".md")).string(), verdicts(pages.back())));
    }
    if (command.name == "all") {
        write_index(pages, options);
        if (!command.machine.quiet) print(fmt::format("{}: all claims\n", (options.out / "index.md").string()));
    }
    if (runner.failed() > 0)
        throw NumericalError(fmt::format("{} of {} cells failed; everything else is written, and the same command tries these again",
                                         runner.failed(), runner.failed() + runner.finished()));
}

}  // namespace

Command setup_paper(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("paper",
                                              "Make the figures and tables of the paper again\n\n"
                                              "Each becomes NAME.csv, NAME.png and NAME.md, with a verdict on every claim.\n"
                                              "Finished fits are kept in OUT/cells: the same command goes on where it was stopped.");
    auto command = std::make_shared<PaperCommand>();
    parser->add_option("NAME", command->name, "Figure or table")->required()->check(one_of(page_names()))->type_name("NAME");
    OptionGroup data(*parser, "Data");
    data.add("--data", command->data, "DIR", "Folder with the data sets; vnngp paper list names them");
    data.add("--sets", command->sets, "LIST", "Data sets to use, as in pol,elevators; for figure-5 one")->default_str("all there are");
    data.add("--rows", command->rows, "N", whole_number(100), "Rows of a data set to use, at most, drawn at random")->default_str("all");
    OptionGroup work(*parser, "Experiments");
    work.flag("--quick", command->quick,
              "A minute instead of days: few rows, epochs and neighbours, simulated data unless --data is given");
    work.add("--methods", command->methods, "LIST", "Methods to run, as in vnngp,svgp")->default_str("all");
    work.add("--seeds", command->seeds, "N", whole_number(1, 100), "Random splits of each data set")->default_str("3; 1 with --quick");
    work.add("--first-seed", command->first_seed, "N", whole_number(0, 1000),
             "Number of the tables' first split, to share the work; a later run from 0 on puts the cells together");
    work.add("--grid", command->grid, "NAME", one_of({"single", "wide", "published"}),
             "Settings that compete on the validation rows: K = 32 alone, K and M as in the paper, or all of the paper's");
    work.add("--neighbors", command->neighbors, "LIST", list_of(whole_number(1, 4096)),
             "Numbers of neighbours K that compete in the tables, as in 32,256; figures take the first")
        ->default_str("those of --grid");
    work.add("--inducing", command->inducing, "LIST", list_of(whole_number(1)),
             "Numbers of inducing points M that compete in the tables, for SWSGP-M")
        ->default_str("those of --grid");
    work.add("--input-scale", command->input_scale, "NAME", one_of({"deviation", "range"}),
             "Inputs divided by their standard deviation, or brought to between -1 and 1, as the paper's may have been");
    work.add("--epochs", command->epochs, "N", whole_number(1, 1000000), "Epochs of training, when there is no time for the paper's")
        ->default_str("as published");
    work.flag("--kept", command->kept, "Run nothing: write the pages of the fits that are kept already");
    work.add("--seed", command->seed, "N", seed_number(), "Of what the figures draw at random; the tables' splits are numbered");
    OptionGroup output(*parser, "Output");
    output.add("--out", command->out, "DIR", "Folder to write to");
    add_machine_options(output, command->machine);
    parser->footer(R"(Examples:
  vnngp paper list
  vnngp paper all --quick
  vnngp paper figure-3 --data data
  vnngp paper table-1 --data data --sets pol,elevators --methods vnngp,svgp,vnngp-closed)");
    return {parser, [command] { run_paper(*command); }};
}

}  // namespace vnngp::app
