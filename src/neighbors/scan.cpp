#include "scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace vnngp::neighbors {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;
constexpr double kTiny = std::numeric_limits<float>::min();  // below it single precision loses relative accuracy, or flushes to zero
constexpr double kFarthestQuery = 1e15;                      // scaled norm up to which squares stay far from overflow
constexpr float kPadding = 1e16f;                            // coordinate of the candidates that fill up the last panel
constexpr float kNoHit = -1.0f;                              // threshold that no squared distance meets
constexpr Index kBlockBytes = 1 << 17;                       // panels that stay in the cache while the tiles of a search pass over them

Index num_panels(Eigen::Index candidates) { return static_cast<Index>((candidates + kPanelWidth - 1) / kPanelWidth); }

// 2^-p with |x| 2^-p <= 1 for all x up to `largest` in size.
double scale_for(double largest) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    return largest > 0.0 ? std::ldexp(1.0, -exponent) : 1.0;
}

}  // namespace

// Queries that go through the panels together.
struct ScanIndex::Tile {
    std::vector<float> coordinates;                   // coordinate, query
    std::array<float, kTileRows> thresholds;          // single precision, of the scaled squared distance
    std::array<double, kTileRows> conversion_errors;  // bound on what rounding to single precision changes in a scaled distance
    Index first_panel = 0;
    Index last_panel = 0;
    Index seeded = 0;  // candidates below have been offered to all queries
    std::span<const double* const> queries;
    std::span<const Index> limits;
    std::span<NearestK> nearest;
};

ScanIndex::ScanIndex(const Points& candidates)
    : candidates_(candidates),
      centre_(candidates.colwise().mean()),
      scale_(scale_for((candidates.rowwise() - centre_).cwiseAbs().maxCoeff())),
      panels_(static_cast<std::size_t>(num_panels(candidates.rows())) * static_cast<std::size_t>(candidates.cols() * kPanelWidth),
              kPadding) {
    const Eigen::Index dim = candidates.cols();
    for (Eigen::Index i = 0; i < candidates.rows(); ++i) {
        float* const column = panels_.data() + (i / kPanelWidth) * dim * kPanelWidth + i % kPanelWidth;
        double square = 0.0;
        for (Eigen::Index k = 0; k < dim; ++k) {
            const double value = (candidates(i, k) - centre_(k)) * scale_;
            column[k * kPanelWidth] = static_cast<float>(value);
            square += value * value;
        }
        largest_norm_ = std::max(largest_norm_, std::sqrt(square));
    }
}

// Rounding moves a query and a candidate by at most `conversion_error` together, so a distance of sqrt(worst) becomes at most `distance`;
// the last line covers the rounding of the kernel's sum with room to spare.
float ScanIndex::threshold(double worst, double conversion_error) const {
    const double distance = std::sqrt(worst) * scale_ + conversion_error;
    const double dim = static_cast<double>(candidates_.cols());
    const double bound = distance * distance * (1.0 + 2.0 * (dim + 8.0) * kUnitRoundoff) + (dim + 2.0) * kTiny;
    return std::nextafter(static_cast<float>(bound), std::numeric_limits<float>::infinity());
}

ScanIndex::Tile ScanIndex::prepared_tile(std::span<const double* const> queries, std::span<const Index> limits,
                                         std::span<NearestK> nearest) const {
    const Eigen::Index dim = candidates_.cols();
    Tile tile;
    tile.queries = queries;
    tile.limits = limits;
    tile.nearest = nearest;
    tile.coordinates.assign(static_cast<std::size_t>(dim) * kTileRows, 0.0f);
    tile.thresholds.fill(kNoHit);
    tile.seeded = std::min(nearest.front().capacity(), static_cast<Index>(candidates_.rows()));
    tile.first_panel = tile.seeded / kPanelWidth;
    Eigen::RowVectorXd scaled(dim);
    for (std::size_t row = 0; row < queries.size(); ++row) {
        scaled = (Eigen::Map<const Eigen::RowVectorXd>(queries[row], dim) - centre_) * scale_;
        const double norm = scaled.norm();
        const bool too_far = !(norm <= kFarthestQuery);
        const Index direct = too_far ? limits[row] : std::min(tile.seeded, limits[row]);
        for (Index candidate = 0; candidate < direct; ++candidate)
            nearest[row].offer({squared_distance(queries[row], candidates_.row(candidate).data(), dim), candidate});
        if (direct == limits[row]) continue;
        for (Eigen::Index k = 0; k < dim; ++k)
            tile.coordinates[static_cast<std::size_t>(k) * kTileRows + row] = static_cast<float>(scaled(k));
        tile.conversion_errors[row] = 1.0001 * kUnitRoundoff * (norm + largest_norm_) + 2.0 * std::sqrt(static_cast<double>(dim)) * kTiny;
        tile.thresholds[row] = threshold(nearest[row].worst(), tile.conversion_errors[row]);
        tile.last_panel = std::max(tile.last_panel, num_panels(limits[row]));
    }
    return tile;
}

void ScanIndex::scan(Tile& tile, Index begin, Index end) const {
    const Eigen::Index dim = candidates_.cols();
    std::array<std::uint32_t, kTileRows> hits;
    for (Index panel = begin; panel < end; ++panel) {
        panel = next_hit_panel(panels_.data(), static_cast<Index>(dim), panel, end, tile.coordinates.data(), tile.thresholds.data(),
                               hits.data());
        if (panel == end) return;
        for (std::size_t row = 0; row < tile.queries.size(); ++row) {
            bool improved = false;
            for (std::uint32_t rest = hits[row]; rest != 0; rest &= rest - 1) {
                const Index candidate = panel * kPanelWidth + std::countr_zero(rest);
                if (candidate < tile.seeded || candidate >= tile.limits[row]) continue;
                const double distance = squared_distance(tile.queries[row], candidates_.row(candidate).data(), dim);
                improved |= tile.nearest[row].offer({distance, candidate});
            }
            if (improved) tile.thresholds[row] = threshold(tile.nearest[row].worst(), tile.conversion_errors[row]);
        }
    }
}

void ScanIndex::search(std::span<const double* const> queries, std::span<const Index> limits, std::span<NearestK> nearest) const {
    std::vector<Tile> tiles;
    Index last_panel = 0;
    for (std::size_t begin = 0; begin < queries.size(); begin += kTileRows) {
        const std::size_t rows = std::min<std::size_t>(kTileRows, queries.size() - begin);
        tiles.push_back(prepared_tile(queries.subspan(begin, rows), limits.subspan(begin, rows), nearest.subspan(begin, rows)));
        last_panel = std::max(last_panel, tiles.back().last_panel);
    }
    const auto panel_bytes = static_cast<Index>(candidates_.cols() * kPanelWidth * static_cast<Eigen::Index>(sizeof(float)));
    const Index block = std::max<Index>(1, kBlockBytes / panel_bytes);
    for (Index begin = 0; begin < last_panel; begin += block)
        for (Tile& tile : tiles) scan(tile, std::max(begin, tile.first_panel), std::min(begin + block, tile.last_panel));
}

}  // namespace vnngp::neighbors
