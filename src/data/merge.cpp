#include "vnngp/data/merge.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
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

// An open hash table of rows that is never more than two thirds full.
std::vector<Index> empty_slots(std::size_t rows) { return std::vector<Index>(std::bit_ceil(rows * 3 / 2 + 1), kEmpty); }

/// The slot with the row that equals the point, or the empty one where it belongs.
std::size_t slot_of(std::span<const Index> slots, const double* rows, const double* point, Eigen::Index dims) {
    const std::size_t last = slots.size() - 1;
    std::size_t slot = hashed(point, dims) & last;
    while (slots[slot] != kEmpty && !std::equal(point, point + dims, rows + slots[slot] * dims)) slot = (slot + 1) & last;
    return slot;
}

}  // namespace

// The distinct points met so far are gathered at the front of the points themselves.
MergedPoints merge_duplicates(Points points) {
    const auto count = static_cast<Index>(points.rows());
    const Eigen::Index dims = points.cols();
    const auto begin = [&](Index i) { return points.data() + i * dims; };
    std::vector<Index> slots = empty_slots(static_cast<std::size_t>(count));
    std::vector<Index> site(count);
    Index distinct = 0;
    for (Index i = 0; i < count; ++i) {
        Index& slot = slots[slot_of(slots, points.data(), begin(i), dims)];
        if (slot == kEmpty) {
            if (distinct != i) std::copy_n(begin(i), dims, begin(distinct));
            slot = distinct++;
        }
        site[i] = slot;
    }
    if (distinct < count) points.conservativeResize(distinct, dims);
    return {std::move(points), std::move(site)};
}

PointTable::PointTable(const Points& distinct) : points_(distinct), slots_(empty_slots(static_cast<std::size_t>(distinct.rows()))) {
    for (Index i = 0; i < distinct.rows(); ++i) slots_[slot_of(slots_, distinct.data(), distinct.row(i).data(), distinct.cols())] = i;
}

Index PointTable::find(const double* point) const { return slots_[slot_of(slots_, points_.data(), point, points_.cols())]; }

MergedPoints unmerged(Points points) {
    std::vector<Index> site(points.rows());
    std::iota(site.begin(), site.end(), 0);
    return {std::move(points), std::move(site)};
}

}  // namespace vnngp::data
