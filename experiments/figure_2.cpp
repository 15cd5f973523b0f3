// Test scores of VNNGP as functions of K, beside methods without neighbours.
#include <fmt/format.h>

#include "experiments/markdown.hpp"
#include "experiments/pages.hpp"

namespace vnngp::experiments {
namespace {

struct Group {
    const SetInfo* set;
    std::string method;
    double x;  ///< K; 0 for methods without
};

void add_mean(Results& results, const Group& group, std::string_view quantity, const std::vector<double>& values) {
    const auto found = summary(values);
    if (!found) return;
    const std::string panel(group.set->key);
    results.add({panel, group.method, std::string(quantity), group.x, found->mean});
    if (found->error) results.add({panel, group.method, fmt::format("{} error", quantity), group.x, *found->error});
}

chart::Panel panel_of(const Results& results, const SetInfo& set, std::string_view quantity, std::string title) {
    chart::Panel panel{
        .title = std::move(title), .x_label = "K", .y_label = quantity == "nll" ? "test NLL" : "test RMSE", .x_scale = chart::Scale::log};
    chart::Line line{.style = {method_info("vnngp").color, chart::Dash::solid, chart::Marker::disk, 1.8}};
    for (const auto& [k, value] : results.curve(set.key, "vnngp", quantity)) {
        line.x.push_back(k);
        panel.x_ticks.push_back(k);
        line.y.push_back(value);
        if (const auto error = results.at(set.key, "vnngp", fmt::format("{} error", quantity), k))
            panel.elements.push_back(chart::Mark{.x = k, .y = value, .error = *error, .error_along_x = false, .style = line.style});
    }
    panel.elements.push_back(line);
    if (const auto svgp = results.at(set.key, "svgp", quantity))
        panel.elements.push_back(chart::HorizontalLine{*svgp, {method_info("svgp").color, chart::Dash::dashed, chart::Marker::none, 2.0}});
    if (const auto exact = results.at(set.key, "exact", quantity))
        panel.elements.push_back(
            chart::HorizontalLine{*exact, {method_info("exact").color, chart::Dash::dotted, chart::Marker::none, 2.0}});
    return panel;
}

}  // namespace

Page figure_2(Runner& runner) {
    const RunOptions& options = runner.options();
    const auto sets = wanted_sets(runner, {&set_info("elevators"), &set_or_stand_in(options.source, "ukhousing")}, "figure-2");
    const std::vector<Index> sweep = options.quick ? std::vector<Index>{4, 8, 16, 32} : std::vector<Index>{32, 64, 128, 256};
    std::vector<Cell> cells;
    std::vector<Group> groups;
    for (const SetInfo* set : sets) {
        const Index rows = runner.training_rows(*set);
        const auto add = [&](const char* method, double x, const Setting& setting) {
            if (!runner.wants_method(method)) return;
            groups.push_back({set, method, x});
            for (int seed = 0; seed < options.seeds; ++seed) cells.push_back(runner.cell(*set, method_info(method), seed, setting));
        };
        for (const char* method : {"svgp", "exact"}) add(method, 0.0, runner.settings(method_info(method), rows, Grid::single).front());
        Setting setting = runner.settings(method_info("vnngp"), rows, Grid::single).front();
        for (const Index k : sweep) {
            setting.neighbors = k;
            add("vnngp", k, setting);
        }
    }
    const std::vector<Outcome> outcomes = runner.run(cells);

    Page page{.x_name = "K"};
    MarkdownTable table({"data", "method", "K", "NLL", "RMSE", "seeds", "note"});
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<double> nll, rmse;
        std::string note;
        for (int seed = 0; seed < options.seeds; ++seed) {
            const Outcome& outcome = outcomes[g * options.seeds + seed];
            page.cell_seconds += outcome.seconds;
            if (outcome.done())
                nll.push_back(outcome.nll), rmse.push_back(outcome.rmse);
            else
                note = outcome.message;
        }
        add_mean(page.results, groups[g], "nll", nll);
        add_mean(page.results, groups[g], "rmse", rmse);
        const auto text = [](const std::vector<double>& values) { return values.empty() ? std::string("—") : decimal(*summary(values)); };
        table.row({set_text(*groups[g].set, options.source.simulate), std::string(method_info(groups[g].method).label),
                   groups[g].x > 0 ? fmt::format("{:g}", groups[g].x) : "", text(nll), text(rmse), std::to_string(nll.size()), note});
    }
    page.figure = {.title = "Sensitivity to the number of neighbours",
                   .columns = static_cast<int>(sets.size()),
                   .panel_width = 330,
                   .panel_height = 210};
    for (const char* quantity : {"rmse", "nll"})
        for (const SetInfo* set : sets)
            page.figure.panels.push_back(panel_of(page.results, *set, quantity, set_text(*set, options.source.simulate)));
    page.figure.legend = {{"VNNGP", {method_info("vnngp").color, chart::Dash::solid, chart::Marker::disk}},
                          {"SVGP", {method_info("svgp").color, chart::Dash::dashed, chart::Marker::none, 2.0}},
                          {"Exact GP", {method_info("exact").color, chart::Dash::dotted, chart::Marker::none, 2.0}}};
    page.text = fmt::format(
        "VNNGP as published (stochastic, Matérn 5/2, nugget 1e-3) for several K, SVGP with 1,024 inducing points, exact GP; means over {} "
        "split{}. The paper "
        "gives no numbers for this figure.\n\n{}",
        options.seeds, options.seeds == 1 ? "" : "s", table.text());
    return page;
}

}  // namespace vnngp::experiments
