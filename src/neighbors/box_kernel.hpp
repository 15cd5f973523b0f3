// The SIMD inner loops of the box search, compiled for every instruction set and chosen at run time.
#pragma once

#include <cstdint>

#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

inline constexpr Index kBoxWidth = 16;  ///< boxes side by side in a node, and candidates side by side in a panel
inline constexpr Index kTileRows = 8;   ///< queries that are searched together

/// The coordinates of some candidates that differ among them, and those in which all are equal.
struct NodeCoordinates {
    const Index* varying;
    Index num_varying;
    const Index* constant;
    Index num_constant;
    const float* constants;  ///< the common values
};

/// Squared single-precision distances from the queries of a tile. They never exceed the exact distance by more than a factor of
/// 1 + (D + 4) 2^-24 for D coordinates.
struct BoxDistances {
    alignas(64) float boxes[kTileRows * kBoxWidth];  ///< query, box: to the nearest place within the box
    alignas(64) float sums[kBoxWidth];               ///< of the boxes, over the queries
    alignas(64) float constant[kTileRows];           ///< the part of the constant coordinates
};

/// Distances to the kBoxWidth boxes of a node; bit c of the result is set when box c is not beyond the threshold of every query.
/// boxes: varying coordinate, then the lower ends and the upper ends of all boxes; tile: coordinate, query.
std::uint32_t box_distances(const NodeCoordinates& coordinates, const float* boxes, const float* tile, const float* thresholds,
                            BoxDistances& distances);

/// What each query of a tile has met within its threshold: squared single-precision distances and candidates, side by side.
struct TileHits {
    float* distances[kTileRows];
    Index* numbers[kTileRows];
    Index counts[kTileRows];
    Index enough[kTileRows];  ///< number of hits from which on they want sorting out; there is room for kBoxWidth beyond
};

/// Some panels of a node: panel, varying coordinate, candidate.
struct PanelList {
    const float* coordinates;
    const Index* numbers;  ///< of the candidates, panel by panel
    const Index* panels;   ///< those to go through
    Index size;
};

/// Goes through a list of panels from panel `begin` of the list on, and adds to the hits each candidate whose number is below the limit of
/// a query and whose distance to it does not exceed the threshold. Returns where to go on: behind the first panel that gave some query
/// enough, or at the end. constant: of BoxDistances.
Index collect_hits(const NodeCoordinates& coordinates, const PanelList& list, Index begin, const float* tile, const float* constant,
                   const float* thresholds, const Index* limits, TileHits& hits);

}  // namespace vnngp::neighbors
