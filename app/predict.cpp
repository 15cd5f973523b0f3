#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/table_inputs.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/data/csv_writer.hpp"
#include "vnngp/model/model_file.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp::app {
namespace {

/// Points of one gap in a block share factorisations: blocks are large.
constexpr std::int64_t kRowsPerBlock = 1 << 16, kRowsPerPiece = 1 << 12;

struct PredictCommand {
    std::string model, data, output = "-";
    bool latent = false;
    std::string quantiles;
    std::string prefix;
    Index neighbors = 0;
    Index samples = 0;
    std::uint64_t seed = 0;
    bool drop_missing = false;
    MachineOptions machine;
};

std::vector<std::string> added_columns(const PredictCommand& command, const std::vector<double>& probabilities,
                                       const std::vector<std::string>& present) {
    std::vector<std::string> names{command.prefix + "mean", command.prefix + "sd"};
    for (const double probability : probabilities) names.push_back(fmt::format("{}q{}", command.prefix, probability));
    for (Index sample = 1; sample <= command.samples; ++sample) names.push_back(fmt::format("{}sample{}", command.prefix, sample));
    std::set<std::string> distinct;
    for (const std::string& name : names) {
        if (std::find(present.begin(), present.end(), name) != present.end())
            throw InputError(
                fmt::format("{} already has a column '{}', which predict adds: --prefix predicted_ gives the new columns other names",
                            command.data, name));
        if (!distinct.insert(name).second) throw InputError(fmt::format("--quantiles {}: one of them is given twice", command.quantiles));
    }
    return names;
}

/// Rows of the table, ready to be predicted.
struct Block {
    data::Table table;
    Points points;
    std::int64_t skipped = 0;  ///< rows with missing inputs

    bool at_end() const { return table.rows() + skipped == 0; }
};

/// The rows [begin, end) of the block as they came, with what is predicted added.
data::CsvRows predicted_rows(const PredictCommand& command, const Block& block, const Prediction& prediction, const Points& samples,
                             Eigen::Index begin, Eigen::Index end, char separator) {
    const Vector& mean = command.latent ? prediction.latent_mean : prediction.mean;
    const Vector& variance = command.latent ? prediction.latent_variance : prediction.variance;
    data::CsvRows rows({.separator = separator});
    for (Eigen::Index i = begin; i < end; ++i) {
        rows.raw(block.table.raw_rows[static_cast<std::size_t>(i)]);
        rows.number(mean[i]);
        rows.number(std::sqrt(variance[i]));
        for (const double quantile : prediction.quantiles.row(i)) rows.number(quantile);
        if (samples.size() > 0)
            for (const double sample : samples.row(i)) rows.number(sample);
        rows.end_row();
    }
    return rows;
}

/// Rows of the table.
struct Counts {
    std::int64_t written = 0, skipped = 0;
};

Counts predict_table(const PredictCommand& command, const std::vector<double>& probabilities, const Predictor& predictor,
                     const FittedModel& model, const std::vector<std::string>& columns, const Context& context, data::CsvReader& reader,
                     data::CsvWriter& writer) {
    const auto read_block = [&] {
        // Samples are drawn for all rows together.
        Block block{command.samples > 0 ? reader.rest(context) : reader.next_block(kRowsPerBlock), {}};
        block.skipped = check_values(block.table, columns, command.drop_missing);
        block.points = model_points(model, block.table, columns);
        return block;
    };
    Counts counts;
    // All threads predict a block; while some then write its rows, one reads the next.
    for (Block block = read_block(), next; !block.at_end(); block = std::exchange(next, {})) {
        const Points samples =
            command.samples > 0 ? predictor.sample(block.points, command.samples, command.seed, command.latent) : Points();
        const Prediction prediction = predictor.predict(block.points, probabilities);
        const std::int64_t count = block.table.rows();
        std::vector<data::CsvRows> rows(num_chunks(count, kRowsPerPiece));
        parallel_chunks(context, static_cast<std::int64_t>(rows.size()) + 1, 1, [&](const Chunk& chunk) {
            if (chunk.number == 0) {
                next = read_block();
                return;
            }
            const std::int64_t begin = (chunk.number - 1) * kRowsPerPiece;
            rows[static_cast<std::size_t>(chunk.number - 1)] =
                predicted_rows(command, block, prediction, samples, begin, std::min(begin + kRowsPerPiece, count), reader.separator());
        });
        for (const data::CsvRows& piece : rows) writer.rows(piece);
        counts.skipped += block.skipped;
        counts.written += count;
        context.check_stop();
        context.report({"predict", reader.bytes_consumed(), reader.bytes_total(), fmt::format("{} rows", counts.written)});
    }
    return counts;
}

void run_predict(const PredictCommand& command) {
    const std::string output = command.output == "-" ? "/dev/stdout" : command.output;
    std::error_code error;
    if (std::filesystem::equivalent(output, command.model, error))
        throw InputError(fmt::format("--output {} is the model file itself", output));
    if (std::filesystem::is_regular_file(output, error) && std::filesystem::equivalent(output, command.data, error))
        throw InputError(fmt::format("--output {} is the data file itself", output));
    if (command.latent && !command.quantiles.empty())
        throw InputError("--quantiles are those of a new observation: they cannot be combined with --latent");
    const std::vector<double> probabilities = command.quantiles.empty() ? std::vector<double>() : split_numbers(command.quantiles);

    ProgressLine line(!command.machine.quiet);
    const Context context = machine_context(command.machine, 0, line);
    const FittedModel model = load_model(command.model);
    data::CsvReader reader(command.data, {.keep_raw_rows = true});
    const auto columns = model_columns(model, command.data, reader.names());
    reader.select(columns);
    const auto added = added_columns(command, probabilities, reader.names());
    const Predictor predictor(model, context, command.neighbors);

    data::CsvWriter writer(output, {.separator = reader.separator()});
    writer.raw(reader.raw_header());
    writer.header(added);
    const auto [written, skipped] = predict_table(command, probabilities, predictor, model, columns, context, reader, writer);
    if (written + skipped == 0) throw InputError(fmt::format("{}: there are no data rows", command.data));
    writer.commit();
    line.clear();
    if (skipped > 0 && !command.machine.quiet) print_notes({fmt::format("{} with a missing input skipped", counted(skipped, "row"))});
}

}  // namespace

Command setup_predict(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("predict",
                                              "Predict at the rows of a table\n\n"
                                              "Writes the table as it came, with columns mean and sd of a new observation added.\n"
                                              "The model's input columns are found by name, in any order.\n"
                                              "Memory does not grow with the table, unless --samples are wanted.");
    auto command = std::make_shared<PredictCommand>();
    add_file(*parser, "MODEL", command->model, "Model file written by vnngp fit");
    add_file(*parser, "DATA", command->data, "CSV file with the model's input columns, also .csv.gz, - for standard input");
    OptionGroup prediction(*parser, "Prediction");
    prediction.flag("--latent", command->latent, "Mean and sd of the latent function instead of those of a new observation");
    prediction.add(
        "--quantiles", command->quantiles, "LIST", list_of(real_number(1e-12, 1.0 - 1e-12)),
        "Add quantiles of a new observation, as in 0.05,0.95 (columns q0.05, q0.95); unlike sd they are calibrated, where the fit was");
    auto* samples = prediction.add("--samples", command->samples, "N", whole_number(1, 100000),
                                   "Add N draws of new observations (with --latent: of the latent function), in columns sample1, sample2, "
                                   "...; a draw is one for all rows together, so the whole table is read into memory");
    samples->default_str("none");
    prediction.add("--seed", command->seed, "N", seed_number(), "Of the draws: the same seed gives the same ones")->needs(samples);
    prediction.add("--neighbors", command->neighbors, "K", whole_number(1), "Inducing points that each prediction looks at")
        ->default_str("the model's own");
    prediction.flag("--drop-missing", command->drop_missing, "Leave out rows in which an input is missing, instead of refusing the file");
    OptionGroup output(*parser, "Output");
    output.add("-o,--output", command->output, "FILE", "File to write, compressed when it ends in .gz; - is standard output");
    output.add("--prefix", command->prefix, "TEXT", "Put before the names of the added columns");
    add_machine_options(output, command->machine);
    parser->footer(R"(Examples:
  vnngp predict field.vnngp new.csv -o predictions.csv
  vnngp predict field.vnngp grid.csv.gz --quantiles 0.05,0.95 -o map.csv.gz
  vnngp predict field.vnngp grid.csv --samples 10 --latent --seed 1 -o fields.csv)");
    return {parser, [command] { run_predict(*command); }};
}

}  // namespace vnngp::app
