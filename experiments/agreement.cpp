#include "experiments/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "experiments/datasets.hpp"
#include "experiments/markdown.hpp"
#include "experiments/methods.hpp"
#include "experiments/paper_values.hpp"

namespace vnngp::experiments {
namespace {

// What counts as the paper's value: the larger of the two.
struct Near {
    double difference, share;
    std::string_view text;
};

Near near_of(std::string_view quantity) {
    if (quantity == "nll") return {.difference = 0.05, .share = 0.0, .text = "within .05"};
    if (quantity == "rmse") return {.difference = 0.0, .share = 0.1, .text = "within 10 %"};
    return {.difference = 0.005, .share = 0.25, .text = "within 25 % or .005"};
}

std::optional<double> best_of_paper(std::string_view quantity, std::string_view set) {
    std::optional<double> best;
    for (const MethodInfo& method : all_methods())
        if (const auto paper = paper_value(quantity, set, method.key); paper && (!best || paper->mean < *best)) best = paper->mean;
    return best;
}

// Sets by where ours lies: as the paper's, below, above.
class Sides {
public:
    explicit Sides(const Near& near) : near_(near) {}

    void add(std::string_view set, double ours, double paper) {
        const double difference = ours - paper, reach = std::max(near_.difference, near_.share * std::abs(paper));
        const std::size_t side = std::abs(difference) <= reach ? 0 : difference < 0.0 ? 1 : 2;
        ++counts_[side];
        texts_[side] += fmt::format("{}{} {}{}", texts_[side].empty() ? "" : ", ", set_info(set).label, difference < 0.0 ? "" : "+",
                                    decimal(difference));
    }

    bool empty() const { return counts_ == std::array<int, 3>{}; }

    std::vector<std::string> row(std::string_view name) const {
        std::vector<std::string> cells{std::string(name)};
        for (std::size_t side = 0; side < texts_.size(); ++side)
            cells.push_back(counts_[side] == 0 ? "—" : fmt::format("{}: {}", counts_[side], texts_[side]));
        return cells;
    }

private:
    Near near_;
    std::array<int, 3> counts_{};
    std::array<std::string, 3> texts_;
};

}  // namespace

std::string agreement_text(const Results& results, std::string_view quantity) {
    const Near near = near_of(quantity);
    MarkdownTable table({"sets, with ours less the paper's", std::string(near.text), "less", "more"});
    bool any = false;
    for (const MethodInfo& method : all_methods()) {
        const bool ours = method.key == "vnngp-closed";
        if (!method.in_tables || (ours && quantity == "noise")) continue;  // no noise is the best
        Sides sides(near);
        for (const std::string& set : results.panels()) {
            if (quantity == "rmse" && set_info(set).likelihood == "bernoulli") continue;  // the paper does not say what it has there
            const auto found = results.mean(set, method.key, quantity);
            std::optional<double> paper;
            if (ours)
                paper = best_of_paper(quantity, set);
            else if (const auto value = paper_value(quantity, set, method.key))
                paper = value->mean;
            if (found && paper) sides.add(set, found->mean, *paper);
        }
        if (sides.empty()) continue;
        any = true;
        table.row(sides.row(ours ? fmt::format("{}, beside the best of the paper's columns", method.label) : std::string(method.label)));
    }
    return any ? table.text() : "";
}

}  // namespace vnngp::experiments
