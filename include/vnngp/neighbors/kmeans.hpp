// k-means clustering: where inducing points start when there are fewer of them than data.
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// Lloyd's algorithm from `clusters` distinct rows drawn at random; stops when no centre moves noticeably or after max_rounds.
/// An emptied cluster restarts at a random row. 1 <= clusters <= points.rows(). Does not depend on the number of threads.
Points kmeans_centers(const Points& points, Index clusters, const Context& context, int max_rounds = 20);

}  // namespace vnngp::neighbors
