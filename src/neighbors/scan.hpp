// Exhaustive search by single-precision SIMD. The single-precision distances only discard candidates that are certainly too far; what
// remains is ranked by squared_distance, so the result is exact.
#pragma once

#include <span>
#include <vector>

#include "nearest_k.hpp"
#include "scan_kernel.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// Candidates prepared for the scan.
class ScanIndex {
public:
    /// Keeps a reference to the candidates, and a centred and scaled copy in single precision. At least one candidate.
    explicit ScanIndex(const Points& candidates);

    /// Offers to nearest[i], given empty, every candidate below limits[i] that could be among the nearest to queries[i]; thread-safe.
    /// Best with a few dozen queries, a multiple of kTileRows, with similar limits.
    void search(std::span<const double* const> queries, std::span<const Index> limits, std::span<NearestK> nearest) const;

private:
    struct Tile;
    Tile prepared_tile(std::span<const double* const> queries, std::span<const Index> limits, std::span<NearestK> nearest) const;
    float threshold(double worst, double conversion_error) const;
    void scan(Tile& tile, Index begin, Index end) const;

    const Points& candidates_;
    Eigen::RowVectorXd centre_;
    double scale_;               // power of two; scaled coordinates of the candidates are at most 1 in size
    double largest_norm_ = 0.0;  // of the scaled candidates
    std::vector<float> panels_;  // panel, coordinate, candidate within the panel
};

}  // namespace vnngp::neighbors
