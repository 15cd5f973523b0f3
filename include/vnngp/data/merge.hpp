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

}  // namespace vnngp::data
