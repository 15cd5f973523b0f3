#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/report_json.hpp"
#include "app/summary.hpp"
#include "vnngp/model/model_file.hpp"

namespace vnngp::app {
namespace {

struct InspectCommand {
    std::string model;
    bool json = false;
};

void run_inspect(const InspectCommand& command) {
    const FittedModel model = load_model(command.model);
    std::error_code error;
    const auto bytes = std::filesystem::file_size(command.model, error);
    if (command.json) {
        Json json = model_json(model);
        json["model"] = command.model;
        json["bytes"] = error ? Json(nullptr) : Json(bytes);
        return print_json(json);
    }
    std::string text = model_summary(model);
    for (const std::string& note : model.report.notes) text += fmt::format("Note    {}\n", note);
    for (const std::string& warning : model.report.warnings) text += fmt::format("Warning {}\n", warning);
    if (!error) text += fmt::format("File    {}, {:.1f} KiB\n", command.model, static_cast<double>(bytes) / 1024.0);
    print(text);
}

}  // namespace

Command setup_inspect(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("inspect", "Say what a model file holds");
    auto command = std::make_shared<InspectCommand>();
    add_file(*parser, "MODEL", command->model, "Model file written by vnngp fit");
    OptionGroup(*parser, "Output").flag("--json", command->json, "Print one JSON object on standard output");
    parser->footer(R"(Examples:
  vnngp inspect field.vnngp
  vnngp inspect field.vnngp --json | jq .hyperparameters.lengthscales
  for model in *.vnngp; do vnngp inspect "$model" --json | jq -c '[.model, .elbo_per_point]'; done)");
    return {parser, [command] { run_inspect(*command); }};
}

}  // namespace vnngp::app
