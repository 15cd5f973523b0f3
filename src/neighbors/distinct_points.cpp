#include "distinct_points.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace vnngp::neighbors {
namespace {

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

DistinctPoints distinct_points(const Points& points) {
    const auto count = static_cast<Index>(points.rows());
    const Eigen::Index dim = points.cols();
    DistinctPoints result;
    result.place_of.resize(count);
    std::vector<Index> first_rows;
    std::vector<Index> table(std::bit_ceil(2 * static_cast<std::size_t>(count) + 1), -1);  // open addressing: places by hash
    const std::size_t mask = table.size() - 1;
    for (Index row = 0; row < count; ++row) {
        const double* point = points.row(row).data();
        std::size_t slot = hash_of(point, dim) & mask;
        while (table[slot] >= 0 && !std::equal(point, point + dim, points.row(first_rows[table[slot]]).data())) slot = (slot + 1) & mask;
        if (table[slot] < 0) {
            table[slot] = static_cast<Index>(first_rows.size());
            first_rows.push_back(row);
        }
        result.place_of[row] = table[slot];
    }

    const auto num_places = static_cast<Index>(first_rows.size());
    result.places.resize(num_places, dim);
    for (Index place = 0; place < num_places; ++place) result.places.row(place) = points.row(first_rows[place]);
    result.member_starts.assign(static_cast<std::size_t>(num_places) + 1, 0);
    for (const Index place : result.place_of) ++result.member_starts[place + 1];
    std::partial_sum(result.member_starts.begin(), result.member_starts.end(), result.member_starts.begin());
    std::vector<Index> next(result.member_starts.begin(), result.member_starts.end() - 1);
    result.members.resize(count);
    for (Index row = 0; row < count; ++row) result.members[next[result.place_of[row]]++] = row;
    return result;
}

void expand_places(const DistinctPoints& distinct, std::span<const Candidate> places, Index row_limit, Index count,
                   std::vector<Candidate>& scratch, std::vector<Index>& rows) {
    rows.clear();
    if (!distinct.any_duplicates()) {
        for (const Candidate& place : places.first(std::min(places.size(), static_cast<std::size_t>(count)))) rows.push_back(place.index);
        return;
    }
    scratch.clear();
    for (const Candidate& place : places) {
        if (scratch.size() >= static_cast<std::size_t>(count) && place.distance > scratch.back().distance) break;
        const auto begin = distinct.members.begin() + distinct.member_starts[place.index];
        const auto end = std::min(distinct.members.begin() + distinct.member_starts[place.index + 1], begin + count);
        for (auto member = begin; member != end && *member < row_limit; ++member) scratch.push_back({place.distance, *member});
    }
    std::sort(scratch.begin(), scratch.end());
    if (scratch.size() > static_cast<std::size_t>(count)) scratch.resize(count);
    for (const Candidate& candidate : scratch) rows.push_back(candidate.index);
}

}  // namespace vnngp::neighbors
