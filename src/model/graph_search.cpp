#include "model/graph_search.hpp"

#include "vnngp/base/clock.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/neighbors/grouping.hpp"
#include "vnngp/neighbors/numbering.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::model {
namespace {

constexpr double kNegligible = 0.01;  ///< share of edges that is not worth a search
constexpr double kNothing = 1e-9;     ///< what rounding makes of 0

struct Timer {
    explicit Timer(double& sum) : total(sum) {}
    ~Timer() { total += seconds_since(start); }
    double& total;
    Clock::time_point start = Clock::now();
};

}  // namespace

GraphSearch::GraphSearch(const Context& context, inference::Problem& problem, const ClosedFormSettings& settings)
    : context_(context), problem_(problem), settings_(settings) {
    context_.progress = {};
}

NeighborMetric GraphSearch::metric(const inference::Hyperparameters& hyper) const {
    return {settings_.metric, *problem_.kernel, hyper.shape};
}

double GraphSearch::change(const std::vector<double>& from, const inference::Hyperparameters& hyper) const {
    return largest_change({settings_.metric, *problem_.kernel, from}, metric(hyper), problem_.inducing);
}

inference::ResponseTerms GraphSearch::terms(const inference::Hyperparameters& hyper, const std::vector<Index>& points) {
    const Timer timer(seconds_);
    if (terms_.points != points || change(terms_shape_, hyper) > kNothing) {
        const Points up_to_last = problem_.inducing.topRows(points.empty() ? 0 : points.back() + 1);
        auto graph = nearest_predecessors(metric(hyper), up_to_last, points, settings_.neighbors, context_);
        terms_ = {points, data::gather_rows(problem_.inducing, points), std::move(graph)};
        terms_shape_ = hyper.shape;
    }
    return terms_;
}

void GraphSearch::permute(std::span<const Index> old_number, std::initializer_list<Vector*> along) {
    problem_.inducing = data::gather_rows(problem_.inducing, old_number);
    for (Vector* values : along) *values = Vector((*values)(old_number));
    if (!problem_.at_sites()) return;
    const auto new_number = neighbors::inverse_order(old_number);
    for (Index& site : problem_.sites) site = new_number[site];
}

void GraphSearch::restore(std::initializer_list<Vector*> along) {
    problem_.prior_graph = {};
    problem_.prior_groups = {};
    problem_.regions = {};
    problem_.data_graph = {};
    if (!number_.empty()) permute(number_, along);
    number_.clear();
}

double GraphSearch::refresh(const inference::Hyperparameters& hyper, std::initializer_list<Vector*> along) {
    const Timer timer(seconds_);
    if (!number_.empty()) {
        const double most = change(graphs_shape_, hyper);
        if (most <= kNegligible) return most;
    }
    graphs_shape_ = hyper.shape;
    terms_ = {};
    auto before = std::move(problem_.prior_graph);
    const std::vector<Index> number_before = number_;
    restore(along);
    neighbors::GroupedGraph found{nearest_predecessors(metric(hyper), problem_.inducing, settings_.neighbors, context_), {}};
    // Of the new edges: what was grouped has more of them than were searched.
    const double changed =
        number_before.empty() ? 1.0 : neighbors::fraction_changed(found.graph, before, context_, neighbors::inverse_order(number_before));
    before = {};
    if (!problem_.at_sites())
        problem_.data_graph =
            MetricIndex(metric(hyper), problem_.inducing, context_).search(problem_.inputs, settings_.neighbors, context_);
    const Points coordinates = metric_coordinates(metric(hyper), problem_.inducing);
    if (settings_.groups) found = neighbors::grouped(found.graph, coordinates, context_);
    auto [order, regions] = neighbors::cache_numbering(found.graph, coordinates, context_);
    found = neighbors::renumbered(found, order, context_);
    problem_.prior_graph = std::move(found.graph);
    problem_.prior_groups = std::move(found.groups);
    problem_.regions = std::move(regions);
    permute(order, along);
    number_ = neighbors::inverse_order(order);
    problem_.data_graph.renumber_neighbors(number_);
    return changed;
}

}  // namespace vnngp::model
