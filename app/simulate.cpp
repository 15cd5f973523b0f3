#include "vnngp/model/simulate.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/progress.hpp"
#include "vnngp/data/csv_writer.hpp"
#include "vnngp/kernel/kernel.hpp"
#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::app {
namespace {

constexpr Index kRowsBetweenStopChecks = 1 << 14;

struct SimulateCommand {
    SimulateOptions options;
    std::string lengthscales = "0.1";
    std::uint64_t seed = 0;
    std::string output = "-";
    bool truth = false;
    MachineOptions machine;
};

void write_table(const SimulateCommand& command, const Simulation& simulation, const Context& context) {
    data::CsvWriter writer(command.output == "-" ? "/dev/stdout" : command.output);
    for (int d = 1; d <= command.options.dims; ++d) writer.text(fmt::format("x{}", d));
    writer.text("y");
    if (command.truth) writer.text("f");
    writer.end_row();
    for (Index i = 0; i < simulation.targets.size(); ++i) {
        if (i % kRowsBetweenStopChecks == 0) context.check_stop();
        for (const double x : simulation.inputs.row(i)) writer.number(x);
        writer.number(simulation.targets[i]);
        if (command.truth) writer.number(simulation.latent[i]);
        writer.end_row();
    }
    writer.commit();
}

void run_simulate(const SimulateCommand& command) {
    SimulateOptions options = command.options;
    options.lengthscales = split_numbers(command.lengthscales);
    ProgressLine line(!command.machine.quiet);
    const Context context = machine_context(command.machine, command.seed, line);
    write_table(command, simulate(options, context), context);
}

}  // namespace

Command setup_simulate(CLI::App& program) {
    CLI::App* parser =
        program.add_subcommand("simulate",
                               "Draw a data set from a known Gaussian process\n\n"
                               "Inputs x1, x2, ... fill the unit cube evenly at random; y is a noisy observation of the field there.");
    auto command = std::make_shared<SimulateCommand>();
    SimulateOptions& options = command->options;

    OptionGroup field(*parser, "Field");
    field.add("--points", options.points, "N", whole_number(1), "Number of rows");
    field.add("--dims", options.dims, "D", whole_number(1, 10000), "Number of inputs");
    field.add("--kernel", options.kernel, "NAME", one_of(kernel::kernel_names()), "Covariance function of the field");
    field.add("--lengthscale", command->lengthscales, "LIST", list_of(real_number(1e-12, 1e12)),
              "Distance over which the field varies: one for all inputs, or one each, as in 0.1,0.2");
    field.add("--outputscale", options.outputscale, "V", real_number(1e-300, 1e100), "Variance of the field");
    field.add("--mean", options.mean, "F", real_number(-1e100, 1e100), "Mean of the field");
    field.add("--neighbors", options.neighbors, "K", whole_number(1),
              "Each value is drawn given this many nearest earlier ones; more is closer to the exact process");

    OptionGroup observations(*parser, "Observations");
    observations.add("--likelihood", options.likelihood, "NAME", one_of(likelihood::likelihood_names()), "How y follows from the field");
    observations.add("--noise", options.noise, "V", real_number(0.0, 1e100),
                     "Variance of the noise (gaussian), or its squared scale (student-t)");
    observations.add("--degrees-of-freedom", options.degrees_of_freedom, "F", real_number(0.01, 1e6), "Of the noise (student-t)");
    observations.add("--seed", command->seed, "N", seed_number(), "Of the random numbers: the same seed gives the same file");

    OptionGroup output(*parser, "Output");
    output.add("-o,--output", command->output, "FILE", "File to write, compressed when it ends in .gz; - is standard output");
    output.flag("--truth", command->truth, "Add a column f: the field without noise (fit would take it for an input: --drop f)");
    add_machine_options(output, command->machine);
    parser->footer(R"(Examples:
  vnngp simulate --points 20000 --dims 2 --kernel matern32 --lengthscale 0.1 --noise 0.05 --seed 1 -o field.csv
  vnngp simulate --points 1000 --dims 3 --lengthscale 0.2,0.2,5 --truth -o layered.csv
  vnngp simulate --points 5000 --likelihood poisson --mean 1 -o counts.csv.gz)");
    return {parser, [command] { run_simulate(*command); }};
}

}  // namespace vnngp::app
