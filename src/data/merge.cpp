#include "vnngp/data/merge.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

namespace vnngp::data {
namespace {

constexpr Index kEmpty = -1;

// Multiplication and rotation after every coordinate: grids, whose bits are mostly zero, spread as well as random numbers do.
std::uint64_t hashed(const double* point, Eigen::Index dims) {
    std::uint64_t hash = 0;
    for (Eigen::Index d = 0; d < dims; ++d) {
        hash ^= std::bit_cast<std::uint64_t>(point[d] + 0.0);  // -0 becomes 0
        hash *= 0x9E3779B97F4A7C15u;
        hash = std::rotr(hash, 29);
    }
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ (hash >> 32);
}

}  // namespace

// An open hash table of the distinct points met so far; these are gathered at the front of the points themselves.
MergedPoints merge_duplicates(Points points) {
    const auto count = static_cast<Index>(points.rows());
    const Eigen::Index dims = points.cols();
    const auto begin = [&](Index i) { return points.data() + i * dims; };
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(count) * 3 / 2 + 1);
    std::vector<Index> table(slots, kEmpty);
    std::vector<Index> site(count);
    Index distinct = 0;
    for (Index i = 0; i < count; ++i) {
        std::size_t slot = hashed(begin(i), dims) & (slots - 1);
        while (table[slot] != kEmpty && !std::equal(begin(i), begin(i) + dims, begin(table[slot]))) slot = (slot + 1) & (slots - 1);
        if (table[slot] == kEmpty) {
            if (distinct != i) std::copy_n(begin(i), dims, begin(distinct));
            table[slot] = distinct++;
        }
        site[i] = table[slot];
    }
    if (distinct < count) points.conservativeResize(distinct, dims);
    return {std::move(points), std::move(site)};
}

MergedPoints unmerged(Points points) {
    std::vector<Index> site(points.rows());
    std::iota(site.begin(), site.end(), 0);
    return {std::move(points), std::move(site)};
}

}  // namespace vnngp::data
