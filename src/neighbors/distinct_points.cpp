#include "distinct_points.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace vnngp::neighbors {
namespace {

constexpr Index kRowsBetweenChecks = 1 << 16;

std::uint64_t hash_of(const double* point, Eigen::Index dim) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (Eigen::Index k = 0; k < dim; ++k) {
        hash ^= std::bit_cast<std::uint64_t>(point[k] + 0.0);  // + 0.0 turns -0.0, which is the same place, into 0.0
        hash *= 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 29;
    }
    hash *= 0x94d049bb133111ebu;
    return hash ^ (hash >> 32);
}

}  // namespace

DistinctPoints::DistinctPoints(const Points& points, const Context& context) {
    const auto count = static_cast<Index>(points.rows());
    const Eigen::Index dim = points.cols();
    std::vector<Index> table(std::bit_ceil(2 * static_cast<std::size_t>(count) + 1), -1);  // open addressing: the last point met at a place
    const std::size_t mask = table.size() - 1;
    for (Index row = 0; row < count; ++row) {
        if (row % kRowsBetweenChecks == 0) context.check_stop();
        const double* point = points.row(row).data();
        std::size_t slot = hash_of(point, dim) & mask;
        while (table[slot] >= 0 && !std::equal(point, point + dim, points.row(table[slot]).data())) slot = (slot + 1) & mask;
        if (table[slot] >= 0) {
            if (next_.empty()) {
                next_.assign(count, -1);
                places_.resize(row);
                std::iota(places_.begin(), places_.end(), 0);
            }
            next_[table[slot]] = row;
        } else if (!next_.empty()) {
            places_.push_back(row);
        }
        table[slot] = row;
    }
}

std::vector<Index> DistinctPoints::places_before(Index limit) const {
    if (!next_.empty()) return {places_.begin(), std::lower_bound(places_.begin(), places_.end(), limit)};
    std::vector<Index> all(limit);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<Index> DistinctPoints::members(std::span<const Index> places, Index begin, Index end) const {
    std::vector<Index> result;
    result.reserve(places.size());
    for (const Index place : places)
        for (Index point = place; point >= 0 && point < end; point = next_.empty() ? -1 : next_[point])
            if (point >= begin) result.push_back(point);
    return result;
}

void DistinctPoints::expand(std::span<const Candidate> places, Index limit, Index count, std::vector<Candidate>& scratch,
                            std::vector<Index>& rows) const {
    rows.clear();
    if (next_.empty()) {
        for (const Candidate& place : places.first(std::min(places.size(), static_cast<std::size_t>(count)))) rows.push_back(place.index);
        return;
    }
    scratch.clear();
    for (const Candidate& place : places) {
        if (scratch.size() >= static_cast<std::size_t>(count) && place.distance > scratch.back().distance) break;
        Index taken = 0;
        for (Index row = place.index; row >= 0 && row < limit && taken < count; row = next_[row], ++taken)
            scratch.push_back({place.distance, row});
    }
    std::sort(scratch.begin(), scratch.end());
    if (scratch.size() > static_cast<std::size_t>(count)) scratch.resize(count);
    for (const Candidate& candidate : scratch) rows.push_back(candidate.index);
}

}  // namespace vnngp::neighbors
