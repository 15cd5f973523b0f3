// The conditional of one point given its neighbours, for many points (Eq. K1, K3), and its one adjoint (Eq. G3).
//
// Prior rows, data rows and prediction rows differ only in where the target point comes from and whether it carries the nugget. A visitor
// turns each row into whatever objective it serves and hands back the derivatives in (b, f); this room turns those into derivatives in the
// covariance's parameters and in the locations. Nothing of size N x K^2 is ever kept.
#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <span>

#include "vnngp/base/context.hpp"
#include "vnngp/conditional/covariance.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::conditional {

/// Which point is conditioned on which: row i is targets.row(i) given the inducing points graph.row(i).
struct Neighborhoods {
    const Points& inducing;
    const Points& targets;  ///< the inducing points themselves for prior rows
    const neighbors::NeighborGraph& graph;
    /// true: the target carries its own nugget (prior rows, training rows away from inducing points). false: the smooth part alone
    /// (prediction).
    bool nugget_on_target = true;
    /// Neighbours from this number on are values of the smooth part too, with only the jitter on the diagonal of C (joint prediction).
    /// There is no adjoint for these.
    Index num_with_nugget = std::numeric_limits<Index>::max();
};

/// The rows to visit.
struct RowList {
    RowList() = default;
    template <std::convertible_to<std::span<const Index>> Rows>
    RowList(const Rows& list) : rows(list) {}
    RowList(std::span<const Index> list, std::span<const std::int64_t> limits) : rows(list), groups(limits) {}

    std::span<const Index> rows;
    /// Not empty: rows [groups[g], groups[g + 1]), counted from groups[0], share a list of neighbours (neighbors/grouping.hpp) and are
    /// computed from one factorisation. They must be prior rows, all of which carry the nugget.
    std::span<const std::int64_t> groups;
};

/// b = C^{-1} c and the conditional variance f, Eq. K1 (a and v of Eq. K3). Views into memory of the calling thread.
struct Row {
    Index id;               ///< number of the row in the graph
    std::int64_t position;  ///< place in the list of rows that was asked for
    std::span<const Index> neighbors;
    std::span<const double> weights;  ///< b, one per neighbour
    double variance;                  ///< f
};

/// The derivatives of the objective in a row's weights and variance. weights is zero on entry.
struct RowAdjoint {
    std::span<double> weights;  ///< g_b
    double variance = 0.0;      ///< g_f
};

/// Called once per row, from several threads at once: it may write only to memory of its own row (`position`).
using RowVisitor = std::function<void(const Row&)>;
using RowAdjointVisitor = std::function<void(const Row&, RowAdjoint&)>;

/// Visits the given rows. Throws NumericalError naming the point whose neighbourhood cannot be factored at any tolerable jitter.
JitterReport visit_rows(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods, const RowList& list,
                        const RowVisitor& visitor);

/// The same with derivatives, summed over the rows in a fixed order: the result does not depend on the number of threads. All neighbours
/// must carry the nugget (std::invalid_argument).
/// location_gradient, when not empty, must have size rows * (graph.stride() + 1) * dims and receives for each row the derivatives in the
/// coordinates of its neighbours (first, in the order of graph.row) and of its target (last place, stride()). Not for groups.
struct AdjointResult {
    CovarianceGradient gradient;
    JitterReport jitter;
};
AdjointResult visit_rows_with_adjoint(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                                      const RowList& list, const RowAdjointVisitor& visitor, std::span<double> location_gradient = {});

}  // namespace vnngp::conditional
