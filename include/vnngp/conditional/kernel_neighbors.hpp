// Neighbours by correlation, where distance is only roughly its order (Kernel::metric_is_exact).
#pragma once

#include <span>

#include "vnngp/base/context.hpp"
#include "vnngp/kernel/kernel.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::conditional {

/// For every row of candidate_graph (row i: targets.row(i), edges to inducing) the max_neighbors candidates with the largest absolute
/// correlation with the target, largest first, equal ones in the order of the candidates. The stride is min(max_neighbors, that of the
/// candidates). Throws InputError unless max_neighbors >= 1.
neighbors::NeighborGraph rerank_by_correlation(const Context& context, const kernel::Kernel& kernel, std::span<const double> parameters,
                                               const Points& inducing, const Points& targets,
                                               const neighbors::NeighborGraph& candidate_graph, Index max_neighbors);

}  // namespace vnngp::conditional
