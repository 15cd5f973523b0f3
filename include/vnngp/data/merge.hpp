// Repeated inputs: several observations at one place.
#pragma once

#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::data {

struct MergedPoints {
    Points distinct;          ///< in order of first appearance
    std::vector<Index> site;  ///< per original row: its row in `distinct`
};

/// Rows equal in every coordinate (0 and -0 are equal) become one. O(N).
MergedPoints merge_duplicates(Points points);

/// Every row its own site.
MergedPoints unmerged(Points points);

/// Finds points by their coordinates.
class PointTable {
public:
    /// Keeps a reference. No two of them may be equal.
    explicit PointTable(const Points& distinct);
    /// The row that equals the point in every coordinate, or -1.
    Index find(const double* point) const;

private:
    const Points& points_;
    std::vector<Index> slots_;
};

}  // namespace vnngp::data
