// Tables 1 to 3: scores of all methods on all data sets, from the same cells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/agreement.hpp"
#include "experiments/markdown.hpp"
#include "experiments/pages.hpp"
#include "experiments/paper_values.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::experiments {
namespace {

// One place of the tables: a set, a method, a seed, and the settings that compete for it.
struct Entry {
    const SetInfo* set;
    const MethodInfo* method;
    int seed;
    std::vector<Cell> cells;
};

struct Plan {
    std::vector<Entry> entries;
    std::vector<const SetInfo*> not_there;  ///< wanted, without a file
};

Plan plan(Runner& runner) {
    const RunOptions& options = runner.options();
    Plan found;
    for (const SetInfo& set : all_sets()) {
        if (!runner.wants_set(set.key)) continue;
        if (!available(options.source, set)) {
            found.not_there.push_back(&set);
            continue;
        }
        const Index rows = runner.training_rows(set);
        for (const MethodInfo& method : all_methods()) {
            if (!method.in_tables || !runner.wants_method(method.key)) continue;
            for (int seed = options.first_seed; seed < options.first_seed + options.seeds; ++seed) {
                Entry entry{&set, &method, seed, {}};
                std::vector<Setting> settings = runner.settings(method, rows, options.grid);
                // Others compete when an earlier run has left them.
                for (const Setting& known : runner.known_settings(runner.cell(set, method, static_cast<std::uint64_t>(seed), {})))
                    if (std::find(settings.begin(), settings.end(), known) == settings.end()) settings.push_back(known);
                for (const Setting& setting : settings)
                    entry.cells.push_back(runner.cell(set, method, static_cast<std::uint64_t>(seed), setting));
                found.entries.push_back(std::move(entry));
            }
        }
    }
    return found;
}

void add_outcomes(Page& page, const Entry& entry, const std::vector<Outcome>& outcomes) {
    const std::string set(entry.set->key), method(entry.method->key);
    const auto seed = static_cast<double>(entry.seed);
    for (const Outcome& outcome : outcomes) page.cell_seconds += outcome.seconds;
    const Outcome* best = best_by_validation(outcomes);
    if (best == nullptr) {
        if (!outcomes.empty() && outcomes.front().status == Outcome::Status::not_run) return;
        const bool refused = !outcomes.empty() && outcomes.front().status == Outcome::Status::refused;
        page.results.add({set, method, refused ? "refused" : "failed", seed, 1.0,
                          outcomes.empty() ? "no setting fits the data" : outcomes.front().message});
        return;
    }
    const Setting& setting = entry.cells[static_cast<std::size_t>(best - outcomes.data())].setting;
    const std::string note = best->chosen.empty() ? setting_text(setting) : best->chosen;
    for (const auto& [quantity, value] : {std::pair{"nll", best->nll},
                                          {"rmse", best->rmse},
                                          {"noise", best->noise},
                                          {"coverage95", best->coverage},
                                          {"validation nll", best->validation_nll},
                                          {"seconds", best->seconds},
                                          {"training rows", static_cast<double>(best->training_rows)}})
        if (!std::isnan(value)) page.results.add({set, method, quantity, seed, value, note});
}

std::vector<const MethodInfo*> columns() {
    std::vector<const MethodInfo*> found;
    for (const MethodInfo& method : all_methods())
        if (method.in_tables) found.push_back(&method);
    return found;
}

std::string note_of(const Results& results, std::string_view set, std::string_view method, std::string_view quantity) {
    for (const Value& value : results.values())
        if (value.panel == set && value.series == method && value.quantity == quantity) return value.note;
    return "";
}

// "**-1.085 ± .019**", with the paper's below; a dash with a number where there is nothing, explained under the table.
class ResultTable {
public:
    ResultTable(const Results& results, const RunOptions& options, std::string quantity)
        : results_(results), options_(options), quantity_(std::move(quantity)), table_(header()) {}

    std::string text() {
        for (const SetInfo& set : all_sets())
            if (wanted(set)) add_row(set);
        std::string text = table_.text();
        for (std::size_t i = 0; i < notes_.size(); ++i) text += fmt::format("\n{}. {}", i + 1, notes_[i]);
        return text + (notes_.empty() ? "" : "\n");
    }

private:
    static std::vector<std::string> header() {
        std::vector<std::string> names{"data", "training rows"};
        for (const MethodInfo* method : columns()) names.emplace_back(method->label);
        return names;
    }

    // Sets that the user left out do not fill the table, but the paper's own always have their row.
    bool wanted(const SetInfo& set) const {
        return set.stands_in_for.empty() ||
               std::any_of(results_.values().begin(), results_.values().end(), [&](const Value& value) { return value.panel == set.key; });
    }

    void add_row(const SetInfo& set) {
        double best = std::numeric_limits<double>::infinity(), rows = 0.0;
        int compared = 0;
        for (const MethodInfo* method : columns()) {
            if (const auto found = results_.mean(set.key, method->key, quantity_)) best = std::min(best, found->mean), ++compared;
            if (const auto found = results_.mean(set.key, method->key, "training rows")) rows = found->mean;
        }
        std::vector<std::string> cells{set_text(set, options_.source.simulate && rows > 0.0),
                                       rows > 0.0 ? thousands(std::llround(rows)) : "not run"};
        for (const MethodInfo* method : columns()) {
            std::string cell = ours(set, *method, compared > 1 ? best : -std::numeric_limits<double>::infinity());
            if (const auto paper = paper_value(quantity_, set.key, method->key))
                cell += fmt::format("<br>paper {}{} ± {}{}", paper->bold ? "**" : "", decimal(paper->mean), decimal(paper->error),
                                    paper->bold ? "**" : "");
            cells.push_back(cell);
        }
        table_.row(cells);
    }

    std::string ours(const SetInfo& set, const MethodInfo& method, double best) {
        if (const auto found = results_.mean(set.key, method.key, quantity_)) {
            std::string text = decimal(*found);
            if (found->mean == best && quantity_ != "noise") text = fmt::format("**{}**", text);
            if (found->count < 3) text += fmt::format(" ({} seed{})", found->count, found->count == 1 ? "" : "s");
            return text;
        }
        for (const char* reason : {"refused", "failed"})
            if (results_.has(set.key, method.key, reason))
                return fmt::format("— ({})", noted(fmt::format("{}: {}", reason, note_of(results_, set.key, method.key, reason))));
        return "—";
    }

    std::size_t noted(const std::string& note) {
        const auto known = std::find(notes_.begin(), notes_.end(), note);
        if (known != notes_.end()) return static_cast<std::size_t>(known - notes_.begin()) + 1;
        notes_.push_back(note);
        return notes_.size();
    }

    const Results& results_;
    const RunOptions& options_;
    std::string quantity_;
    std::vector<std::string> notes_ = {};
    MarkdownTable table_;
};

// From the best value to a few times the spread of the better half: a method that went astray does not squeeze the others together.
chart::Range shown(std::vector<double> values, const std::string& quantity) {
    std::sort(values.begin(), values.end());
    const double best = values.front(), middle = values[(values.size() - 1) / 2];
    const double reach = best + std::max(4.0 * (middle - best), quantity == "nll" ? 0.5 : 0.5 * std::abs(best) + 0.005);
    double high = best;
    for (const double value : values)
        if (value <= reach) high = value;
    return chart::padded(chart::Scale::linear, {best, high}, 0.1);
}

chart::Panel panel_of(const Results& results, const SetInfo& set, const std::string& quantity, bool simulated, bool with_names) {
    chart::Panel panel{.title = simulated && results.has(set.key, "vnngp", quantity) ? fmt::format("{} (sim.)", set.label)
                                                                                     : std::string(set.label)};
    if (!set.stands_in_for.empty() && !simulated) panel.title += " *";
    std::vector<double> values;
    double row = 0.0;
    for (const MethodInfo* method : columns()) {
        panel.y_names.push_back(with_names ? std::string(method->label) : std::string());
        if (const auto paper = paper_value(quantity, set.key, method->key)) {
            values.push_back(paper->mean);
            panel.elements.push_back(chart::Mark{
                .x = paper->mean, .y = row - 0.2, .error = paper->error, .style = {method->color, chart::Dash::none, chart::Marker::ring}});
        }
        if (const auto found = results.mean(set.key, method->key, quantity)) {
            values.push_back(found->mean);
            panel.elements.push_back(chart::Mark{.x = found->mean,
                                                 .y = row + 0.2,
                                                 .error = found->error.value_or(0.0),
                                                 .style = {method->color, chart::Dash::none, chart::Marker::disk}});
        }
        row += 1.0;
    }
    if (values.empty())
        panel.note = "not run";
    else
        panel.x_range = shown(values, quantity);
    return panel;
}

// Which setting the validation part chose, and what it took.
std::string settings_text(const Results& results, bool simulated) {
    MarkdownTable settings({"data", "method", "chosen by validation, seed by seed", "seconds", "coverage of 95 %"});
    for (const std::string& set : results.panels())
        for (const std::string& method : results.series(set)) {
            std::string chosen;
            for (const Value& value : results.values())
                if (value.panel == set && value.series == method && value.quantity == "nll")
                    chosen += (chosen.empty() ? "" : "; ") + value.note;
            if (chosen.empty()) continue;
            const auto coverage = results.mean(set, method, "coverage95");
            settings.row({set_text(set_info(set), simulated), std::string(method_info(method).label), chosen,
                          fmt::format("{:.3g}", results.mean(set, method, "seconds")->mean), coverage ? decimal(coverage->mean) : "—"});
        }
    return settings.text();
}

std::string page_text(const Results& results, const RunOptions& options, const std::string& quantity, const Plan& plan) {
    std::string text = ResultTable(results, options, quantity).text();
    if (quantity == "rmse")
        text += "\nCovtype: the paper has the RMSE of something it does not define; ours is the share of wrongly predicted classes.\n";
    if (!plan.not_there.empty()) {
        std::vector<std::string_view> labels;
        for (const SetInfo* set : plan.not_there) labels.push_back(set->label);
        text += fmt::format("\nNot run, because there is no file: {}.\n", fmt::join(labels, ", "));
    }
    text += fmt::format("\nRandom splits into 64 / 16 / 20 % by the seeds from {} on, {} of them; the last part is scored, ",
                        options.first_seed, options.seeds);
    text += fmt::format("targets standardised by the first, inputs {}. ",
                        options.input_scale == data::Scale::range ? "brought to between -1 and 1 by it" : "too");
    text += "Of the settings that were run, the one with the best NLL on the middle part counts. All but the last column train as the ";
    text += fmt::format("paper does, with Matérn 5/2; VNNGP and SWSGP with a nugget of {:g}. ", kPublishedNugget);
    text += fmt::format("{}: inputs between -1 and 1, prior mean 0, and the variances that {} steps of Lanczos' method lead to, ",
                        method_info("exact-quick").label, kPublicLanczosSteps);
    text += "which are too large: a second reading of the paper's column of the exact process. ";
    text += "The last column is `vnngp fit --neighbors auto`.\n\n";
    // Simulated sets have the paper's names and nothing else in common with it.
    if (const std::string agreement = options.source.simulate ? "" : agreement_text(results, quantity); !agreement.empty())
        text += fmt::format("### Beside the paper\n{}\n", agreement);
    return text + "### Settings\n" + settings_text(results, options.source.simulate);
}

Page table(Runner& runner, const std::string& quantity, const std::string& name) {
    const RunOptions& options = runner.options();
    const Plan todo = plan(runner);
    if (todo.entries.empty()) {
        if (options.source.folder.empty())
            throw InputError("the tables need data: --data DIR, with elevators.csv.gz and others in it; or --quick, with simulated data");
        throw InputError(fmt::format("--data {}: none of the data sets is there", options.source.folder.string()));
    }
    std::vector<Cell> cells;
    for (const Entry& entry : todo.entries) cells.insert(cells.end(), entry.cells.begin(), entry.cells.end());
    const std::vector<Outcome> outcomes = runner.run(cells);

    Page page{.x_name = "seed"};
    auto next = outcomes.begin();
    for (const Entry& entry : todo.entries) {
        const auto end = next + static_cast<std::ptrdiff_t>(entry.cells.size());
        add_outcomes(page, entry, {next, end});
        next = end;
    }

    constexpr int kColumns = 5;
    page.figure = {
        .title = name,
        .subtitle =
            "Filled: ours, with one standard error; hollow: the paper's. Triangles: beyond the axis. *: stands in for the set before it.",
        .columns = kColumns,
        .panel_width = 165,
        .panel_height = 180};
    for (const SetInfo& set : all_sets()) {
        if (quantity == "noise" && set.likelihood == "bernoulli") continue;
        const bool first = page.figure.panels.size() % kColumns == 0;
        page.figure.panels.push_back(panel_of(page.results, set, quantity, options.source.simulate, first));
    }

    page.text = page_text(page.results, options, quantity, todo);
    return page;
}

}  // namespace

Page table_1(Runner& runner) { return table(runner, "nll", "Table 1: test NLL"); }
Page table_2(Runner& runner) { return table(runner, "rmse", "Table 2: test RMSE"); }
Page table_3(Runner& runner) { return table(runner, "noise", "Table 3: learned noise variance"); }

}  // namespace vnngp::experiments
