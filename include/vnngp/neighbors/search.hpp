// K nearest neighbours, among all inducing points or among the predecessors in an order.
// Every method is exact: it returns the K smallest pairs (squared Euclidean distance in double precision, index), in that order, so
// distances that are equal to the last bit go by smaller index and all methods and thread counts return the same graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::neighbors {

/// How to search. The choice changes the time taken, never the result.
enum class SearchMethod {
    boxes,  ///< through a tree of bounding boxes; what remains in single-precision SIMD, which only discards what is certainly too far
    brute_force,  ///< every pair in double precision; the reference
};

/// Row j: the min(max_neighbors, j) nearest of the points 0 .. j-1. The stride is min(max_neighbors, number of points - 1).
/// `pairs`, when given, receives the number of pairs of points that were looked at.
/// Throws InputError unless max_neighbors >= 1, and all coordinates are finite and at most 1e150 in size (all functions here).
NeighborGraph predecessor_graph(const Points& points, Index max_neighbors, const Context& context,
                                SearchMethod method = SearchMethod::boxes, std::int64_t* pairs = nullptr);

/// The rows of that graph for some of the points only: row i belongs to point rows[i]. `rows` must ascend.
NeighborGraph predecessor_graph(const Points& points, std::span<const Index> rows, Index max_neighbors, const Context& context);

/// Row i: the min(max_neighbors, M) nearest to query i of all M inducing points. The stride is min(max_neighbors, M).
NeighborGraph nearest_graph(const Points& inducing, const Points& queries, Index max_neighbors, const Context& context,
                            SearchMethod method = SearchMethod::boxes);

/// The inducing points prepared for repeated searches. Keeps its own copy of them; searches may run concurrently.
class NearestIndex {
public:
    NearestIndex(const Points& inducing, const Context& context, SearchMethod method = SearchMethod::boxes);
    NearestIndex(NearestIndex&&) noexcept;
    NearestIndex& operator=(NearestIndex&&) noexcept;
    ~NearestIndex();

    /// As nearest_graph.
    NeighborGraph search(const Points& queries, Index max_neighbors, const Context& context) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vnngp::neighbors
