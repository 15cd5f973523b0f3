// Nearest neighbours in the metric of a model.
#pragma once

#include <span>
#include <vector>

#include "vnngp/kernel/kernel.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp {

/// What near means.
enum class Metric {
    kernel,     ///< highest prior correlation under the learned kernel
    euclidean,  ///< smallest distance between standardised inputs, as published
};

/// A metric with all it needs. The kernel is not owned.
struct NeighborMetric {
    Metric kind;
    const kernel::Kernel& kernel;
    std::vector<double> shape;  ///< the kernel's parameters
};

/// Coordinates in which Euclidean distance is, at least roughly, the metric.
Points metric_coordinates(const NeighborMetric& metric, const Points& points);

/// About the most that the neighbours of points can change between two metrics, as a share of them: where coordinates are stretched by
/// factors that differ by exp(d), only neighbours within a shell of that thickness can be replaced. 0 for a common factor. Infinite where
/// the metrics differ by more than factors.
double largest_change(const NeighborMetric& from, const NeighborMetric& to, const Points& points);

/// For every point its nearest predecessors, and for some of the points only (ascending).
neighbors::NeighborGraph nearest_predecessors(const NeighborMetric& metric, const Points& points, Index max_neighbors,
                                              const Context& context);
neighbors::NeighborGraph nearest_predecessors(const NeighborMetric& metric, const Points& points, std::span<const Index> rows,
                                              Index max_neighbors, const Context& context);

/// Inducing points prepared for repeated searches.
class MetricIndex {
public:
    /// Keeps a reference to the inducing points.
    MetricIndex(NeighborMetric metric, const Points& inducing, const Context& context);
    neighbors::NeighborGraph search(const Points& queries, Index max_neighbors, const Context& context) const;
    /// The same for places given in those coordinates that coordinates() returns, by their distance alone.
    neighbors::NeighborGraph search_at(const Points& coordinates, Index max_neighbors, const Context& context) const {
        return index_.search(coordinates, max_neighbors, context);
    }
    Points coordinates(const Points& points) const { return metric_coordinates(metric_, points); }
    /// Between rows of the same number.
    Vector distances(const Points& a, const Points& b) const { return (coordinates(a) - coordinates(b)).rowwise().norm(); }

private:
    NeighborMetric metric_;
    const Points& inducing_;
    neighbors::NearestIndex index_;
};

}  // namespace vnngp
