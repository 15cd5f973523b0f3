// A kd-tree (nanoflann) over the first points of a set.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nearest_k.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

class KdTree {
public:
    /// Over the points 0 .. count-1, copied in the order of the leaves. At least one point of at least one coordinate.
    KdTree(const Points& points, Index count);
    KdTree(KdTree&&) noexcept;
    KdTree& operator=(KdTree&&) noexcept;
    ~KdTree();

    /// Offers to `nearest` every point below `limit` that could be among the nearest to the query; thread-safe.
    void search(const double* query, Index limit, NearestK& nearest) const;
    /// Replaces the contents of `found` by all points within a squared distance <= radius, unsorted; thread-safe.
    void search_radius(const double* query, double radius, std::vector<Candidate>& found) const;
    /// The point numbers leaf by leaf: points that follow one another are close in space.
    std::span<const Index> leaf_order() const;

    struct Tree;

private:
    std::unique_ptr<Tree> tree_;
};

}  // namespace vnngp::neighbors
