#include "vnngp/model/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/report_json.hpp"
#include "app/scoring.hpp"
#include "app/summary.hpp"
#include "app/table_inputs.hpp"
#include "vnngp/base/clock.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/names.hpp"
#include "vnngp/data/atomic_file.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/kernel/kernel.hpp"
#include "vnngp/linalg/lanes.hpp"
#include "vnngp/model/model_file.hpp"
#include "vnngp_version.hpp"

namespace vnngp::app {
namespace {

struct FitCommand {
    std::string data;
    std::string target, inputs, drop, lonlat;
    bool drop_missing = false;
    std::string model_path;

    FitOptions options;
    std::string neighbors = "32", prediction_neighbors = "auto", ordering = "random", nugget;
    std::string method = "vnngp", metric, mean = "constant", inference = "auto", posterior = "auto", intervals = "calibrated",
                input_scale = "deviation";
    std::string precision = "auto", groups = "off";

    bool calibrate = false;                   ///< another word for --intervals calibrated
    bool intervals_asked = false;             ///< either was given
    std::vector<std::string> of_minibatches;  ///< options given that only training by minibatches has

    double validation = 0.0;
    std::uint64_t seed = 0;
    bool json = false;
    MachineOptions machine;
};

/// What a fit leaves to report, besides the model.
struct FitOutcome {
    FittedModel model;
    std::int64_t skipped_rows = 0;
    double seconds_read = 0.0;
    double seconds_total = 0.0;
    std::optional<Json> validation;
    std::string validation_table;
};

NuggetOption nugget_option(const std::string& text, Method method) {
    if (text.empty()) return {method == Method::vnngp ? NuggetOption::Mode::learned : NuggetOption::Mode::none, 0.0};
    if (text == "jitter") return {NuggetOption::Mode::published, 0.0};
    if (text == "none") return {NuggetOption::Mode::none, 0.0};
    if (text == "learned") return {NuggetOption::Mode::learned, 0.0};
    return {NuggetOption::Mode::fixed, number_of(text)};
}

neighbors::Ordering ordering_of(const std::string& name) {
    if (name == "maximin") return neighbors::Ordering::maximin;
    return name == "coordinate" ? neighbors::Ordering::coordinate : neighbors::Ordering::random;
}

/// The words for the values of an enumeration, and back.
template <class Enum, std::size_t size>
std::vector<std::string> names_of(const Enum (&values)[size], std::string_view (*name)(Enum)) {
    std::vector<std::string> names;
    for (const Enum value : values) names.emplace_back(name(value));
    return names;
}
template <class Enum, std::size_t size>
Enum value_of(const Enum (&values)[size], std::string_view (*name)(Enum), const std::string& text) {
    return *std::find_if(std::begin(values), std::end(values), [&](Enum value) { return name(value) == text; });
}

/// A name is checked at once, an expression when the columns it may speak of are known.
CLI::Validator kernel_text() {
    std::vector<std::string> names = kernel::kernel_names();
    names.insert(names.begin(), std::string(kAutomaticKernel));
    const CLI::Validator name = one_of(std::move(names));
    return CLI::Validator(
        [name](std::string& text) { return text.find_first_of("()+*") == std::string::npos ? name(text) : std::string(); },
        name.get_description());
}

constexpr std::string_view kLinear = "linear";

/// constant, zero, linear, or linear:lon,elev
CLI::Validator mean_text() {
    return CLI::Validator(
        [](std::string& text) {
            const bool columns = text.starts_with("linear:") && text.size() > kLinear.size() + 1;
            const bool known = text == "constant" || text == "zero" || text == kLinear || columns;
            return known ? std::string() : fmt::format("'{}': expected constant, linear, linear:COLUMNS or zero", text);
        },
        "");
}

MeanOption mean_option(const std::string& text, const std::vector<std::string>& inputs) {
    if (text == "zero") return {MeanOption::Kind::zero, {}};
    if (text == "constant") return {};
    MeanOption mean{MeanOption::Kind::linear, {}};
    if (text == kLinear) return mean;
    for (const std::string& name : split_list(text.substr(kLinear.size() + 1))) {
        const auto found = std::find(inputs.begin(), inputs.end(), name);
        if (found == inputs.end()) throw InputError(fmt::format("--mean {}: '{}' is not an input{}", text, name, suggestion(inputs, name)));
        mean.columns.push_back(static_cast<Index>(found - inputs.begin()));
    }
    return mean;
}

// field.csv.gz -> field.vnngp, in the current directory.
std::string default_model_path(const std::string& data) {
    std::filesystem::path name = std::filesystem::path(data).filename();
    if (name.extension() == ".gz") name = name.stem();
    return name.replace_extension(".vnngp").string();
}

// A device or a pipe can be written to, but has no place beside it for a checkpoint.
bool is_device(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
}

void require_usable_model_path(const FitCommand& command, const std::string& path) {
    std::error_code error;
    if (std::filesystem::equivalent(path, command.data, error)) throw InputError(fmt::format("--model {} is the data file itself", path));
    const data::AtomicFile can_be_written(path);
}

FitOptions fit_options(const FitCommand& command, const std::string& model_path) {
    FitOptions options = command.options;
    options.neighbors = command.neighbors == "auto" ? 0 : static_cast<Index>(number_of(command.neighbors));
    options.prediction_neighbors = command.prediction_neighbors == "auto" ? 0 : static_cast<Index>(number_of(command.prediction_neighbors));
    options.ordering = ordering_of(command.ordering);
    options.method = value_of(kMethods, method_name, command.method);
    options.posterior = value_of(kPosteriorForms, posterior_name, command.posterior);
    options.nugget = nugget_option(command.nugget, options.method);
    options.precision = value_of(kPrecisions, precision_name, command.precision);
    options.input_scale = command.input_scale == "range" ? data::Scale::range : data::Scale::deviation;
    options.groups = command.groups == "on";
    options.calibrate = command.intervals == "calibrated";
    options.inference = value_of(kInferences, inference_name, command.inference);
    const bool in_closed_form = options.method == Method::vnngp && options.inference != Inference::stochastic;
    const bool kernel_metric = command.metric.empty() ? in_closed_form : command.metric == "kernel";
    options.metric = kernel_metric ? Metric::kernel : Metric::euclidean;
    if (options.method == Method::vnngp && options.inference == Inference::stochastic && !is_device(model_path))
        options.checkpoint = model_path + ".checkpoint";
    validate(options);
    if (options.resume && options.checkpoint.empty())
        throw InputError(fmt::format("--resume: no checkpoint can be kept beside '{}'", model_path));
    if (options.resume && !std::filesystem::exists(options.checkpoint))
        throw InputError(fmt::format("--resume: there is no checkpoint '{}' to go on from", options.checkpoint));
    return options;
}

std::vector<std::string> options_without_effect(const FitCommand& command, const FitOptions& options) {
    std::vector<std::string> notes;
    const bool stochastic = options.inference == Inference::stochastic;
    if (options.method == Method::vnngp && !stochastic && !command.of_minibatches.empty())
        notes.push_back(fmt::format("{}: without effect, only --inference stochastic has it", fmt::join(command.of_minibatches, ", ")));
    const bool compared = !stochastic && options.method == Method::vnngp &&
                          (options.kernel == kAutomaticKernel || options.neighbors == 0 || options.prediction_neighbors == 0);
    if (command.intervals_asked && options.calibrate && !likelihood::make_likelihood(options.likelihood)->standardizes_targets())
        notes.push_back("--intervals calibrated: without effect, classes and counts are predicted as the model has them");
    else if (command.intervals_asked && options.calibrate && !compared)
        notes.push_back("--intervals calibrated: without effect, no rows are held out where nothing is compared");
    if ((stochastic || options.method != Method::vnngp) && command.neighbors == "auto")
        notes.push_back("--neighbors auto: nothing is compared here, K is 32");
    return notes;
}

FittedModel fit_or_say_how_to_go_on(Points points, Vector targets, const FitOptions& options, const Context& context) {
    try {
        return fit(std::move(points), std::move(targets), options, context);
    } catch (const Interrupted&) {
        std::error_code error;
        if (options.checkpoint.empty() || !std::filesystem::exists(options.checkpoint, error)) throw;
        throw Interrupted(fmt::format("interrupted; the same command with --resume goes on from '{}'", options.checkpoint));
    }
}

void warn_of_coverage(const Json& scores, std::vector<std::string>& warnings) {
    constexpr double low = 0.92, high = 0.98, errors = 3.0;
    if (!scores.contains("coverage95")) return;
    const double coverage = scores["coverage95"].get<double>();
    const double margin = errors * std::sqrt(0.95 * 0.05 / scores["n"].get<double>());
    if (coverage < low - margin || coverage > high + margin)
        warnings.push_back(
            fmt::format("95 % intervals hold {:.1f} % of the observations of --validation: take them with care", 100.0 * coverage));
}

FitOutcome fit_table(const FitCommand& command, FitOptions options, const Context& context, ProgressLine& line) {
    const auto start = Clock::now();
    TrainingTable training = read_training_table(
        command.data,
        {command.target, split_list(command.inputs), split_list(command.drop), split_list(command.lonlat), command.drop_missing}, context);
    const auto tell = [&](const std::vector<std::string>& notes) {
        line.clear();
        if (!command.machine.quiet) print_notes(notes);
    };
    tell(training.notes);
    options.input_names = training.inputs;
    options.target_name = training.target;
    options.lonlat = training.lonlat;
    options.mean = mean_option(command.mean, training.inputs);
    Points points = data::points_of(training.table, training.inputs);
    Vector targets = data::values_of(training.table, training.target);
    check_targets(*likelihood::make_likelihood(options.likelihood), training.table, targets);
    training.table = {};

    Points held_out_points;
    Vector held_out_targets;
    if (command.validation > 0.0) {
        const auto split =
            data::random_split(static_cast<Index>(targets.size()), {1.0 - command.validation, command.validation, 0.0}, context.seed);
        if (split.validation.empty())
            throw InputError(
                fmt::format("--validation {}: of {} that is not a single one", command.validation, counted(targets.size(), "row")));
        held_out_points = data::gather_rows(points, split.validation);
        held_out_targets = data::gather_values(targets, split.validation);
        points = data::gather_rows(points, split.train);
        targets = data::gather_values(targets, split.train);
    }

    FitOutcome outcome;
    outcome.skipped_rows = training.skipped_rows;
    outcome.seconds_read = seconds_since(start);
    outcome.model = fit_or_say_how_to_go_on(std::move(points), std::move(targets), options, context);
    auto& notes = outcome.model.report.notes;
    tell(notes);
    notes.insert(notes.begin(), training.notes.begin(), training.notes.end());
    if (command.validation > 0.0) {
        const Predictor predictor(outcome.model, context);
        Scorer scorer(outcome.model, predictor);
        scorer.add(held_out_points, held_out_targets);
        outcome.validation = scorer.json();
        outcome.validation_table = scorer.table();
        warn_of_coverage(*outcome.validation, outcome.model.report.warnings);
    }
    return outcome;
}

Json fit_json(const FitCommand& command, const std::string& model_path, const FitOutcome& outcome, const Context& context) {
    Json json = model_json(outcome.model);
    json["seconds"] = {{"read", outcome.seconds_read},
                       {"choose", outcome.model.report.seconds_choose},
                       {"neighbors", outcome.model.report.seconds_neighbors},
                       {"train", outcome.model.report.seconds_train},
                       {"total", outcome.seconds_total}};
    json["peak_rss_mib"] = peak_memory_mib();
    json["skipped_rows"] = outcome.skipped_rows;
    if (outcome.validation) json["validation"] = *outcome.validation;
    json["ordering"] = command.ordering;
    json["groups"] = command.groups == "on";
    json["seed"] = command.seed;
    json["threads"] = context.num_threads();
    json["instruction_set"] = linalg::instruction_set();
    json["version"] = VNNGP_VERSION;
    json["model"] = model_path;
    return json;
}

std::string fit_summary(const std::string& model_path, const FitOutcome& outcome) {
    const FitReport& report = outcome.model.report;
    std::string text = model_summary(outcome.model);
    if (!outcome.validation_table.empty()) text += "Scores on the observations held out by --validation\n" + outcome.validation_table;
    text += fmt::format("Took    {:.1f} s: reading {:.1f}, choosing {:.1f}, neighbours {:.1f}, training {:.1f}; {:.0f} MiB of memory\n",
                        outcome.seconds_total, outcome.seconds_read, report.seconds_choose, report.seconds_neighbors, report.seconds_train,
                        peak_memory_mib());
    text += fmt::format("Saved   {}\n\n", model_path);
    return text + fmt::format("Next: vnngp predict {} new.csv -o predictions.csv\n", shell_word(model_path));
}

void run_fit(const FitCommand& command) {
    const auto start = Clock::now();
    const std::string model_path = command.model_path.empty() ? default_model_path(command.data) : command.model_path;
    const FitOptions options = fit_options(command, model_path);
    require_usable_model_path(command, model_path);
    if (!command.machine.quiet) print_notes(options_without_effect(command, options));
    ProgressLine line(!command.machine.quiet);
    const Context context = machine_context(command.machine, command.seed, line);

    FitOutcome outcome = fit_table(command, options, context, line);
    save_model(model_path, outcome.model);
    if (!options.checkpoint.empty()) discard_checkpoint(options.checkpoint);
    outcome.seconds_total = seconds_since(start);

    line.clear();
    print_warnings(outcome.model.report.warnings);
    if (command.json)
        print_json(fit_json(command, model_path, outcome, context));
    else if (!command.machine.quiet)
        print(fit_summary(model_path, outcome));
}

void add_data_options(CLI::App& parser, FitCommand& command) {
    add_file(parser, "DATA", command.data,
             "CSV file with a header line, also .csv.gz, - for standard input; empty, NA and NaN are missing values");
    OptionGroup group(parser, "Data");
    group.add("--target", command.target, "COLUMN", "Column to learn; rows without a value are skipped")
        ->default_str("y, or the last column");
    auto* inputs =
        group.add("--inputs", command.inputs, "COLUMNS", "Columns to predict from, as in lon,lat")->default_str("every other column");
    group.add("--drop", command.drop, "COLUMNS", "Columns to leave out, instead of naming the inputs")->excludes(inputs);
    group.add("--lonlat", command.lonlat, "COLUMNS",
              "Longitude and latitude in degrees, as in lon,lat: inputs on the sphere, with one length-scale in km");
    group.flag("--drop-missing", command.drop_missing, "Skip rows in which an input is missing, instead of refusing the file");
    group.add("--validation", command.validation, "F", real_number(0.0, 0.9),
              "Share of the rows to hold out at random and score the fitted model on");
}

void add_model_options(CLI::App& parser, FitCommand& command) {
    OptionGroup group(parser, "Model");
    const auto auto_or_count = word_or_number({"auto"}, whole_number(1));
    group.add("--likelihood", command.options.likelihood, "NAME", one_of(likelihood::likelihood_names()),
              "Law of the target, for real numbers, real numbers with outliers, classes 0 and 1 (probit or logit link), counts");
    group.add("--kernel", command.options.kernel, "NAME", kernel_text(),
              "Covariance function, by name or as an expression on input columns, as in \"matern32(lon,lat) * matern12(t) + rbf(t)\"; "
              "auto compares matern12, matern32, matern52 and rbf on held-out rows. Names");
    group.add("--neighbors", command.neighbors, "K", auto_or_count,
              "Neighbours K that each point is conditioned on: more is more accurate and slower; auto grows K while held-out rows gain");
    group.add("--prediction-neighbors", command.prediction_neighbors, "K", auto_or_count,
              "Neighbours that a prediction looks at; auto is once, twice or four times --neighbors, by held-out rows, and more in gaps of "
              "the data");
    group
        .add("--metric", command.metric, "NAME", one_of({"kernel", "euclidean"}),
             "What near means: highest correlation under the learned kernel, or distance between standardised inputs")
        ->default_str("kernel (stochastic and other methods: euclidean)");
    group.add("--input-scale", command.input_scale, "NAME", one_of({"deviation", "range"}),
              "Before anything is learned, inputs are divided by their standard deviation, or by half of their range, so that they lie "
              "between -1 and 1: what length-scales start from, and euclidean distances are measured in. Either");
    group.add("--ordering", command.ordering, "NAME", one_of({"random", "maximin", "coordinate"}),
              "Order in which points are conditioned on earlier ones");
    group
        .add("--nugget", command.nugget, "V", word_or_number({"learned", "none", "jitter"}, real_number(0.0, 1e300)),
             "Variance of white noise in the latent function, in the target's unit squared; jitter is 0.001 of the target's variance")
        ->default_str("learned (other methods: none)");
    group.add("--mean", command.mean, "NAME", mean_text(),
              "Mean of the latent function: constant, linear in all inputs, linear:COLUMNS in some, zero");
    group.add("--intervals", command.intervals, "NAME", one_of({"calibrated", "model"}),
              "Central intervals, and quantiles as their ends: adjusted where those of the model hold too many or too few of the rows held "
              "out to choose kernel and neighbours, or the model's own");
    group.flag("--calibrate", command.calibrate, "The same as --intervals calibrated");
    group.add("--method", command.method, "NAME", one_of(names_of(kMethods, method_name)),
              "Approximation; all but vnngp are there to compare with: the exact process, a low-rank one with inducing points, one with "
              "local divergences, one that learns from small neighbourhoods");
    group
        .add("--inducing", command.options.inducing, "M", whole_number(2),
             "Number M of inducing points, at k-means centres (moved by stochastic training)")
        ->default_str("one at every distinct input (svgp: 1024)");
    group.add("--posterior", command.posterior, "NAME", one_of(names_of(kPosteriorForms, posterior_name)),
              "Family of the posterior: independent values at the inducing points, or any covariance between them (svgp); auto is full "
              "for svgp, mean-field for the others");
}

void add_training_options(CLI::App& parser, FitCommand& command) {
    OptionGroup group(parser, "Training");
    group.add("--inference", command.inference, "NAME", one_of(names_of(kInferences, inference_name)),
              "How the model is trained: collapsed and natural solve for the posterior, response uses the likelihood of the observations "
              "alone, stochastic is the published training; auto is collapsed for gaussian, natural for the others");
    group.add("--epochs", command.options.epochs, "N", whole_number(1), "Passes over the data (stochastic)");
    group.add("--batch", command.options.batch, "N", whole_number(1), "Observations per step (stochastic)");
    group.add("--learning-rate", command.options.learning_rate, "F", real_number(1e-12, 1.0),
              "Step size of Adam; divided by 10 at 75 % and 90 % of the epochs (stochastic)");
    group.add(
        "--precision", command.precision, "NAME", one_of(names_of(kPrecisions, precision_name)),
        "Of the arithmetic on neighbourhoods while training, and of products of SVGP; what single precision cannot serve is computed in "
        "double all the same; auto is single for stochastic and svgp, double otherwise");
    group.add("--groups", command.groups, "WORD", one_of({"off", "on"}),
              "Rows of close points are computed together, each from the neighbours of all: more neighbours for little more work, in up to "
              "three columns with large K for less");
    group.add("--seed", command.seed, "N", seed_number(), "Of orderings, minibatches and splits: the same seed gives the same model");
    group.flag("--resume", command.options.resume,
               "Go on with a stochastic run that was interrupted, from the .checkpoint file beside the model");
}

}  // namespace

Command setup_fit(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("fit",
                                              "Fit a model to a table and save it\n\n"
                                              "Without options: learns the column y (or the last one) from all the others.");
    auto command = std::make_shared<FitCommand>();
    add_data_options(*parser, *command);
    add_model_options(*parser, *command);
    add_training_options(*parser, *command);
    OptionGroup output(*parser, "Output");
    output.add("--model", command->model_path, "FILE", "File to write the model to")->default_str("DATA's name with .vnngp");
    output.flag("--json", command->json, "Print one JSON object on standard output instead of the summary");
    add_machine_options(output, command->machine);
    parser->footer(R"~(Noise, nugget and outputscale are variances, in options and in reports.

Examples:
  vnngp fit field.csv --target y --model field.vnngp
  vnngp fit stations.csv.gz --target rain --inputs lon,lat,day --likelihood student-t --validation 0.1
  vnngp fit buoys.csv --target sst --lonlat lon,lat --kernel "matern32('lon,lat') * matern12(day)" --mean linear:day
  vnngp fit table.csv --drop id,comment --neighbors auto --json > report.json
  vnngp fit table.csv --inference stochastic --nugget jitter --epochs 300      # the published training)~");
    return {parser, [command, parser] {
                for (const char* option : {"--epochs", "--batch", "--learning-rate"})
                    if (parser->count(option) > 0) command->of_minibatches.emplace_back(option);
                command->intervals_asked = command->calibrate || parser->count("--intervals") > 0;
                if (command->calibrate && command->intervals == "model")
                    throw InputError("--calibrate and --intervals model contradict each other: leave one out");
                run_fit(*command);
            }};
}

}  // namespace vnngp::app
