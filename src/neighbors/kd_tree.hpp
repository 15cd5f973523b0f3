// All points within a distance, by a kd-tree (nanoflann).
#pragma once

#include <memory>
#include <vector>

#include "nearest_k.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

class KdTree {
public:
    /// Copies the points in the order of the leaves. At least one point of at least one coordinate.
    explicit KdTree(const Points& points);
    KdTree(KdTree&&) noexcept;
    KdTree& operator=(KdTree&&) noexcept;
    ~KdTree();

    /// Replaces the contents of `found` by all points within a squared distance <= radius, unsorted; thread-safe.
    void search_radius(const double* query, double radius, std::vector<Candidate>& found) const;

    struct Tree;

private:
    std::unique_ptr<Tree> tree_;
};

}  // namespace vnngp::neighbors
