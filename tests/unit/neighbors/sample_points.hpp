// Points that make neighbour searches fail.
#pragma once

#include <cmath>

#include "vnngp/base/random.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

inline Points uniform_points(Index count, Index dim, std::uint32_t substream = 0) {
    RandomStream stream(11, StreamPurpose::test, substream);
    Points points(count, dim);
    for (Eigen::Index i = 0; i < points.size(); ++i) points.data()[i] = stream.uniform();
    return points;
}

/// Integers below `levels` in every coordinate: distances are exact and mostly tied, and in few dimensions many points coincide.
inline Points grid_points(Index count, Index dim, std::uint64_t levels, std::uint32_t substream = 0) {
    RandomStream stream(12, StreamPurpose::test, substream);
    Points points(count, dim);
    for (Eigen::Index i = 0; i < points.size(); ++i) points.data()[i] = static_cast<double>(stream.below(levels));
    return points;
}

/// `count` draws from `places` different places.
inline Points duplicated_points(Index count, Index dim, Index places, std::uint32_t substream = 0) {
    const Points distinct = uniform_points(places, dim);
    RandomStream stream(13, StreamPurpose::test, substream);
    Points points(count, dim);
    for (Index i = 0; i < count; ++i) points.row(i) = distinct.row(static_cast<Index>(stream.below(static_cast<std::uint64_t>(places))));
    return points;
}

/// A table of `numeric` numbers and one category in 0/1 columns, standardised: category c is half as frequent as category c - 1, so the
/// columns of rare ones are huge.
inline Points table_points(Index count, Index numeric, Index categories, std::uint32_t substream = 0) {
    RandomStream stream(14, StreamPurpose::test, substream);
    Points points = Points::Zero(count, numeric + categories);
    for (Index i = 0; i < count; ++i) {
        for (Index k = 0; k < numeric; ++k) points(i, k) = stream.uniform() + stream.uniform();
        Index category = 0;
        while (category + 1 < categories && stream.uniform() < 0.5) ++category;
        points(i, numeric + category) = std::exp2(0.5 * category);
    }
    return points;
}

}  // namespace vnngp::neighbors
