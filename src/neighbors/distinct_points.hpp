// Exact duplicates set aside, so that no search meets more than one point at a place and long runs of ties cost nothing.
#pragma once

#include <span>
#include <vector>

#include "nearest_k.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// The distinct places among some points, numbered by their first occurrence.
struct DistinctPoints {
    Points places;
    std::vector<Index> place_of;       ///< row -> place
    std::vector<Index> member_starts;  ///< place -> begin of its rows in `members`; one more entry than places
    std::vector<Index> members;        ///< rows by place, ascending within a place

    Index num_places() const { return static_cast<Index>(places.rows()); }
    bool any_duplicates() const { return places.rows() != static_cast<Eigen::Index>(place_of.size()); }
};

DistinctPoints distinct_points(const Points& points);

/// Writes to `rows` the min(count, available) smallest (distance, row) among the rows below `row_limit` at the given places, which are
/// sorted and are the `count` nearest places or more. `scratch` is working memory. A place left out of the list has `count` places before
/// it whose first rows all precede its own, so nothing is lost.
void expand_places(const DistinctPoints& distinct, std::span<const Candidate> places, Index row_limit, Index count,
                   std::vector<Candidate>& scratch, std::vector<Index>& rows);

}  // namespace vnngp::neighbors
