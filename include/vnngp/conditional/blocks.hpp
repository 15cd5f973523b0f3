// The joint law of whole neighbourhoods: for the points n(i) of row i, with covariance C,
//
//     value = a/2 log|C| + b/2 d' C^{-1} d + c/2 sum_k s_k (C^{-1})_kk                                      (B1)
//
// and its derivatives in d, s, the covariance's parameters and the locations. A divergence between a diagonal normal law and the prior has
// this form, and so has a normal log density. As with rows (rows.hpp), a visitor makes an objective of it, and nothing of size N x K^2 is
// ever kept.
#pragma once

#include <functional>
#include <span>

#include "vnngp/conditional/rows.hpp"

namespace vnngp::conditional {

/// What each part of (B1) counts for.
struct BlockForm {
    double log_determinant = 0.0;  ///< a
    double quadratic = 0.0;        ///< b
    double trace = 0.0;            ///< c
};

/// A neighbourhood and where its d and s go, one entry per point. Both are zero on entry. s is not looked at when the trace counts for
/// nothing.
struct BlockData {
    Index id;               ///< number of the row in the graph
    std::int64_t position;  ///< place in the list of rows that was asked for
    std::span<const Index> points;
    std::span<double> deviation;  ///< d
    std::span<double> spread;     ///< s
};

/// What (B1) came to. Views into memory of the calling thread.
struct Block {
    Index id;
    std::int64_t position;
    std::span<const Index> points;
    double value;
    std::span<const double> on_deviation;  ///< d value / d d = b C^{-1} d
    std::span<const double> on_spread;     ///< d value / d s = c/2 diag(C^{-1}); zero when the trace counts for nothing
};

/// Each is called once per row, from several threads at once: it may write only to memory of its own row (`position`).
using BlockFill = std::function<void(const BlockData&)>;
using BlockVisitor = std::function<void(const Block&)>;

/// Visits the given rows of neighborhoods.graph. The targets are only named in messages; all points carry the nugget. Throws NumericalError
/// naming the row whose covariance cannot be factored at any tolerable jitter.
JitterReport visit_blocks(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                          std::span<const Index> rows, const BlockForm& form, const BlockFill& fill, const BlockVisitor& visitor);

/// The same with the derivatives of the sum of all values, added up in a fixed order.
/// location_gradient, when not empty, must have size rows * graph.stride() * dims and receives for each row the derivatives in the
/// coordinates of its points, in the order of graph.row.
AdjointResult visit_blocks_with_adjoint(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                                        std::span<const Index> rows, const BlockForm& form, const BlockFill& fill,
                                        const BlockVisitor& visitor, std::span<double> location_gradient = {});

}  // namespace vnngp::conditional
