// Exact search through a tree of bounding boxes by single-precision SIMD. Boxes and single-precision distances only discard candidates that
// are certainly too far; what remains is ranked by squared_distance, so the result is exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "box_kernel.hpp"
#include "cache_aligned.hpp"
#include "nearest_k.hpp"
#include "scaling.hpp"
#include "shortlist.hpp"
#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// Up to kTileRows queries that are searched together: best when they are close to one another. Working memory for one tile at a time.
struct QueryTile {
    /// For the `wanted` nearest, at least one.
    explicit QueryTile(Index wanted) : shortlists(kTileRows, Shortlist(wanted)) {}

    Index size = 0;
    const double* queries[kTileRows];
    Index limits[kTileRows];  ///< query i sees candidates whose number is below limits[i]

    std::span<const Candidate> nearest[kTileRows];  ///< the result, best first; valid until the next search
    std::int64_t pairs = 0;                         ///< looked at, by all searches

    std::vector<Shortlist> shortlists;
};

/// Candidates in spatial order, sixteen to a panel, sixteen panels to a node, sixteen nodes to a node of the next level. A node keeps the
/// boxes of its sixteen parts, in the coordinates that vary among its candidates; in the others, all candidates are equally far.
class BoxIndex {
public:
    /// The candidates are the points with the given numbers, at least one, in the order left by sort_spatially. Refers to points and
    /// scaling, and keeps the varying coordinates in single precision.
    BoxIndex(const Points& points, const Scaling& scaling, std::vector<Index> numbers, const Context& context);

    /// The numbers of the candidates in spatial order.
    std::span<const Index> order() const { return {numbers_.data(), static_cast<std::size_t>(count_)}; }
    /// Finds the nearest candidates to each query; thread-safe.
    void search(QueryTile& tile) const;

private:
    struct Node {
        std::vector<Index> coordinates;  // the varying ones, then the others
        Index num_varying = 0;
        Index num_children = 0;
        std::vector<float> constants;
        AlignedFloats boxes_and_panels;  // varying coordinate, end, child; on the lowest level then panel, varying coordinate, candidate

        const float* boxes() const { return boxes_and_panels.data(); }
        const float* panels() const { return boxes() + static_cast<std::ptrdiff_t>(num_varying) * 2 * kBoxWidth; }
        NodeCoordinates kernel_coordinates() const;
    };
    struct Boxes;
    struct Search;

    Node node_over(const Boxes& children) const;
    Boxes panel_boxes(Index node, std::vector<float>& coordinates) const;
    Boxes node_boxes(std::size_t level, Index node) const;
    void add_panels(Node& node, const std::vector<float>& coordinates) const;
    void visit(Search& search, std::size_t level, Index node) const;
    void scan(Search& search, const Node& node, Index first_position, std::span<const Index> panels, const BoxDistances& distances) const;

    const Points& points_;
    const Scaling& scaling_;
    Index count_;                            // of candidates
    std::vector<Index> numbers_;             // position -> point; filled up to whole panels by numbers beyond all limits
    std::vector<std::vector<Node>> levels_;  // the last one is the root alone
};

}  // namespace vnngp::neighbors
