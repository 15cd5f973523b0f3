#include <fmt/format.h>

#include <memory>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/scoring.hpp"
#include "app/table_inputs.hpp"
#include "vnngp/base/clock.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/model/model_file.hpp"

namespace vnngp::app {
namespace {

constexpr std::int64_t kBlockRows = 1 << 16;

struct EvaluateCommand {
    std::string model, data, target;
    Index neighbors = 0;
    bool drop_missing = false;
    bool json = false;
    MachineOptions machine;
};

std::string target_column(const EvaluateCommand& command, const FittedModel& model) {
    if (!command.target.empty()) return command.target;
    if (model.target_name.empty()) throw InputError("the model does not name its target: --target COLUMN is needed");
    return model.target_name;
}

void run_evaluate(const EvaluateCommand& command) {
    const auto start = Clock::now();
    ProgressLine line(!command.machine.quiet);
    const Context context = machine_context(command.machine, 0, line);
    const FittedModel model = load_model(command.model);
    data::CsvReader reader(command.data);
    const auto columns = model_columns(model, command.data, reader.names());
    const std::string target = target_column(command, model);
    auto selected = columns;
    selected.push_back(target);
    reader.select(selected);

    const Predictor predictor(model, context, command.neighbors);
    Scorer scorer(model, predictor);
    std::int64_t scored = 0, skipped = 0;
    double seconds_predict = 0.0;
    for (data::Table block = reader.next_block(kBlockRows); block.rows() > 0; block = reader.next_block(kBlockRows)) {
        skipped += data::drop_rows_with_missing(block, {target});
        skipped += check_values(block, columns, command.drop_missing);
        check_values(block, {target}, false);
        const Vector targets = data::values_of(block, target);
        check_targets(predictor.likelihood(), block, targets);
        const auto predict_start = Clock::now();
        scorer.add(model_points(model, block, columns), targets);
        seconds_predict += seconds_since(predict_start);
        scored += block.rows();
        context.check_stop();
        context.report({"evaluate", reader.bytes_consumed(), reader.bytes_total(), fmt::format("{} rows", scored)});
    }
    if (scored == 0) throw InputError(fmt::format("{}: there is no row with a value of the target '{}' to score", command.data, target));
    line.clear();

    if (skipped > 0 && !command.machine.quiet) print_notes({fmt::format("{} with missing values skipped", counted(skipped, "row"))});
    if (!command.json) return print(scorer.table());
    Json json = scorer.json();
    json["skipped_rows"] = skipped;
    json["likelihood"] = model.likelihood;
    json["target"] = target;
    json["seconds"] = {{"predict", seconds_predict}, {"total", seconds_since(start)}};
    print_json(json);
}

}  // namespace

Command setup_evaluate(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("evaluate",
                                              "Score a model on observations it has not seen\n\n"
                                              "Negative log density, errors, and whether the stated uncertainty is honest.");
    auto command = std::make_shared<EvaluateCommand>();
    add_file(*parser, "MODEL", command->model, "Model file written by vnngp fit");
    add_file(*parser, "DATA", command->data, "CSV file with the model's input columns and its target, also .csv.gz");
    OptionGroup data(*parser, "Data");
    data.add("--target", command->target, "COLUMN", "Column that holds what was observed; rows without a value are skipped")
        ->default_str("the model's target");
    data.flag("--drop-missing", command->drop_missing, "Skip rows in which an input is missing, instead of refusing the file");
    OptionGroup prediction(*parser, "Prediction");
    prediction.add("--neighbors", command->neighbors, "K", whole_number(1), "Inducing points that each prediction looks at")
        ->default_str("the model's own");
    OptionGroup output(*parser, "Output");
    output.flag("--json", command->json, "Print one JSON object on standard output instead of the table");
    add_machine_options(output, command->machine);
    parser->footer(R"(Examples:
  vnngp evaluate field.vnngp test.csv
  vnngp evaluate field.vnngp stations.csv.gz --target rain_mm
  vnngp evaluate field.vnngp test.csv --json | jq .standardized.nll)");
    return {parser, [command] { run_evaluate(*command); }};
}

}  // namespace vnngp::app
