#include "vnngp/data/merge.hpp"

#include <algorithm>
#include <numeric>

namespace vnngp::data {

MergedPoints merge_duplicates(const Points& points) {
    const auto count = static_cast<Index>(points.rows());
    const Eigen::Index dims = points.cols();
    const auto begin = [&](Index i) { return points.data() + i * dims; };
    std::vector<Index> sorted(count);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](Index a, Index b) {
        const auto [at_a, at_b] = std::mismatch(begin(a), begin(a) + dims, begin(b));
        return at_a == begin(a) + dims ? a < b : *at_a < *at_b;
    });

    // The first of each run of equal points stands for all of them.
    std::vector<Index> representative(count);
    for (Index k = 0; k < count; ++k) {
        const bool same = k > 0 && std::equal(begin(sorted[k]), begin(sorted[k]) + dims, begin(sorted[k - 1]));
        representative[sorted[k]] = same ? representative[sorted[k - 1]] : sorted[k];
    }
    MergedPoints merged{points, std::vector<Index>(count)};
    Index distinct = 0;
    for (Index i = 0; i < count; ++i) {
        if (representative[i] == i) {
            merged.distinct.row(distinct) = points.row(i);
            merged.site[i] = distinct++;
        } else {
            merged.site[i] = merged.site[representative[i]];
        }
    }
    merged.distinct.conservativeResize(distinct, dims);
    return merged;
}

MergedPoints unmerged(const Points& points) {
    MergedPoints all{points, std::vector<Index>(points.rows())};
    std::iota(all.site.begin(), all.site.end(), 0);
    return all;
}

}  // namespace vnngp::data
