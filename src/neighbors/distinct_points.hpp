// Exact duplicates set aside, so that no search meets more than one point at a place and long runs of ties cost nothing.
#pragma once

#include <span>
#include <vector>

#include "nearest_k.hpp"
#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// The distinct places among some points. A place goes by the number of the first point there. Takes memory only for duplicates.
class DistinctPoints {
public:
    DistinctPoints() = default;
    DistinctPoints(const Points& points, const Context& context);

    /// The places among the points 0 .. limit-1, ascending.
    std::vector<Index> places_before(Index limit) const;

    /// The points in [begin, end), in the order of the places they are at, which are given.
    std::vector<Index> members(std::span<const Index> places, Index begin, Index end) const;

    /// Writes to `rows` the min(count, available) smallest (distance, point) among the points below `limit` at the given places, which are
    /// sorted and are the `count` nearest places or more. `scratch` is working memory. A place left out of the list has `count` places
    /// before it whose first points all precede its own, so nothing is lost.
    void expand(std::span<const Candidate> places, Index limit, Index count, std::vector<Candidate>& scratch,
                std::vector<Index>& rows) const;

private:
    std::vector<Index> places_;  // ascending; empty when all points differ
    std::vector<Index> next_;    // point -> the next one at the same place, or -1; empty when all points differ
};

}  // namespace vnngp::neighbors
