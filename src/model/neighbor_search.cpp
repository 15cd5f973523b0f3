#include "vnngp/model/neighbor_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vnngp/conditional/kernel_neighbors.hpp"
#include "vnngp/data/split.hpp"

namespace vnngp {
namespace {

/// Where distance orders points only roughly by correlation, so many times the neighbours are looked at.
constexpr Index kCandidates = 4;
constexpr Eigen::Index kShownRows = 100;
constexpr double kRounding = 1e-12;

bool needs_ranking(const NeighborMetric& metric) { return metric.kind == Metric::kernel && !metric.kernel.metric_is_exact(); }

/// Searches for candidates and keeps the best; search(count) returns that many.
template <class Search>
neighbors::NeighborGraph ranked(const NeighborMetric& metric, const Points& inducing, const Points& targets, Index max_neighbors,
                                const Context& context, const Search& search) {
    if (!needs_ranking(metric)) return search(max_neighbors);
    return conditional::rerank_by_correlation(context, metric.kernel, metric.shape, inducing, targets, search(kCandidates * max_neighbors),
                                              max_neighbors);
}

}  // namespace

Points metric_coordinates(const NeighborMetric& metric, const Points& points) {
    return metric.kind == Metric::kernel ? metric.kernel.metric_coordinates(metric.shape, points) : points;
}

double largest_change(const NeighborMetric& from, const NeighborMetric& to, const Points& points) {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (from.kind == to.kind && (from.kind == Metric::euclidean || from.shape == to.shape)) return 0.0;
    if (from.kind != to.kind || needs_ranking(from) || needs_ranking(to)) return kUnknown;
    // Coordinates are made row by row, so that a few rows show what becomes of all.
    const Points some = points.topRows(std::min(points.rows(), kShownRows));
    const Points before = metric_coordinates(from, some), after = metric_coordinates(to, some);
    double smallest = kUnknown, largest = -kUnknown;
    for (Eigen::Index c = 0; c < before.cols(); ++c) {
        const double factor = after.col(c).norm() / before.col(c).norm();
        if (!std::isfinite(factor) || factor == 0.0 || !after.col(c).isApprox(factor * before.col(c), kRounding)) return kUnknown;
        smallest = std::min(smallest, std::log(factor));
        largest = std::max(largest, std::log(factor));
    }
    // As many points are in a shell as its relative volume says, K D d of them.
    return largest > smallest ? static_cast<double>(before.cols()) * (largest - smallest) : 0.0;
}

neighbors::NeighborGraph nearest_predecessors(const NeighborMetric& metric, const Points& points, Index max_neighbors,
                                              const Context& context) {
    const Points coordinates = metric_coordinates(metric, points);
    return ranked(metric, points, points, max_neighbors, context,
                  [&](Index count) { return neighbors::predecessor_graph(coordinates, count, context); });
}

neighbors::NeighborGraph nearest_predecessors(const NeighborMetric& metric, const Points& points, std::span<const Index> rows,
                                              Index max_neighbors, const Context& context) {
    const Points coordinates = metric_coordinates(metric, points);
    return ranked(metric, points, data::gather_rows(points, rows), max_neighbors, context,
                  [&](Index count) { return neighbors::predecessor_graph(coordinates, rows, count, context); });
}

MetricIndex::MetricIndex(NeighborMetric metric, const Points& inducing, const Context& context)
    : metric_(std::move(metric)), inducing_(inducing), index_(metric_coordinates(metric_, inducing), context) {}

neighbors::NeighborGraph MetricIndex::search(const Points& queries, Index max_neighbors, const Context& context) const {
    const Points at = coordinates(queries);
    return ranked(metric_, inducing_, queries, max_neighbors, context, [&](Index count) { return index_.search(at, count, context); });
}

}  // namespace vnngp
