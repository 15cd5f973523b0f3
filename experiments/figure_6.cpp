// Training losses of the three stochastic methods.
#include <fmt/format.h>

#include <cmath>

#include "experiments/markdown.hpp"
#include "experiments/pages.hpp"

namespace vnngp::experiments {
namespace {

constexpr const char* kMethods[] = {"svgp", "vnngp", "swsgp-n"};

// Loss after each epoch, shifted and scaled to mean 0 and standard deviation 1 over the run.
std::vector<double> standardized(const std::vector<double>& losses) {
    double mean = 0.0, squares = 0.0;
    for (const double loss : losses) mean += loss / static_cast<double>(losses.size());
    for (const double loss : losses) squares += (loss - mean) * (loss - mean) / static_cast<double>(losses.size());
    std::vector<double> found;
    for (const double loss : losses) found.push_back(squares > 0.0 ? (loss - mean) / std::sqrt(squares) : 0.0);
    return found;
}

}  // namespace

Page figure_6(Runner& runner) {
    const RunOptions& options = runner.options();
    const auto sets = wanted_sets(runner, {&set_info("bike"), &set_or_stand_in(options.source, "ukhousing")}, "figure-6");
    std::vector<Cell> cells;
    for (const SetInfo* set : sets) {
        const Index rows = runner.training_rows(*set);
        for (const char* method : kMethods)
            if (runner.wants_method(method))
                cells.push_back(
                    runner.cell(*set, method_info(method), 0, runner.settings(method_info(method), rows, Grid::single).front()));
    }
    const std::vector<Outcome> outcomes = runner.run(cells);

    Page page{.x_name = "iteration"};
    page.figure = {.title = "Training loss against iterations",
                   .subtitle = "Negative bound after each epoch, standardised over the run.",
                   .columns = static_cast<int>(sets.size()),
                   .panel_width = 360,
                   .panel_height = 230};
    MarkdownTable table({"data", "method", "setting", "iterations", "final bound per observation", "note"});
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Outcome& outcome = outcomes[i];
        page.cell_seconds += outcome.seconds;
        std::vector<double> losses;
        for (const double bound : outcome.trace) losses.push_back(-bound);
        const auto scaled = standardized(losses);
        for (std::size_t e = 0; e < losses.size(); ++e) {
            const double iteration =
                std::round(static_cast<double>(outcome.iterations) * static_cast<double>(e + 1) / static_cast<double>(losses.size()));
            page.results.add({cells[i].set, cells[i].method, "loss", iteration, losses[e]});
            page.results.add({cells[i].set, cells[i].method, "standardised loss", iteration, scaled[e]});
        }
        table.row({set_text(set_info(cells[i].set), options.source.simulate), std::string(method_info(cells[i].method).label),
                   setting_text(cells[i].setting), outcome.done() ? thousands(outcome.iterations) : "—",
                   outcome.done() && !losses.empty() ? decimal(-losses.back()) : "—", outcome.message});
    }
    for (const SetInfo* set : sets) {
        chart::Panel panel{.title = set_text(*set, options.source.simulate), .x_label = "iteration", .y_label = "loss, standardised"};
        for (const char* method : kMethods) {
            chart::Line line{.style = {method_info(method).color, chart::Dash::solid, chart::Marker::none, 1.8}};
            for (const auto& [x, y] : page.results.curve(set->key, method, "standardised loss")) line.x.push_back(x), line.y.push_back(y);
            panel.elements.push_back(line);
        }
        page.figure.panels.push_back(panel);
    }
    for (const char* method : kMethods)
        page.figure.legend.push_back({std::string(method_info(method).label), {method_info(method).color, chart::Dash::solid}});
    page.text = fmt::format(
        "One split. The paper averages over 100 iterations; here it is the bound over an epoch. The paper gives no numbers for this "
        "figure.\n\n{}",
        table.text());
    return page;
}

}  // namespace vnngp::experiments
