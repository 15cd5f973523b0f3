// Tiles of a dense covariance matrix, a few at a time, in two ways of asking the kernel.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "vnngp/conditional/dense_covariance.hpp"

namespace vnngp::conditional {

/// Any kernel: every lane of a block is one tile. The first kSide places of the block hold the points of the rows, the others those of the
/// columns; pairs within the one or the other are computed for nothing.
class LaneTiles {
public:
    using Value = double;
    static constexpr int kSide = 32;                ///< points along each side of a tile
    static constexpr int kAtOnce = linalg::kLanes;  ///< tiles of one row

    LaneTiles(const Covariance& covariance, const Points& rows, const Points& cols, bool with_slope);

    /// Tiles (row_tile, first_col_tile) ... (row_tile, first_col_tile + count - 1).
    void compute(Eigen::Index row_tile, Eigen::Index first_col_tile, int count);

    int count() const { return count_; }
    const Tile& tile(int number) const { return tiles_[number]; }
    double correlation(int number, int p, int q) const { return correlation_[place(p, q) + number]; }

    /// Adds the derivatives in log shape and, last, in log outputscale; `location` [kSide][dims] receives those of the rows' points.
    void pull_back(const TileWeights& weights, std::span<double> gradient, double* location);

private:
    static std::size_t place(Eigen::Index p, Eigen::Index q) {
        return (linalg::packed_row(static_cast<int>(kSide + q)) + p) * linalg::kLanes;
    }
    void gather(const Points& points, Eigen::Index from, int to, int lane);

    const Covariance& covariance_;
    const Points &rows_, &cols_;
    bool with_slope_;
    int count_ = 0;
    std::array<Tile, linalg::kLanes> tiles_{};
    kernel::LaneBlock block_;
    kernel::KernelScratch scratch_;
    linalg::LaneBuffer correlation_, weight_, shape_gradient_, location_;
    std::array<double, kSide * kSide> tile_weights_{};
};

/// Kernels that have cross blocks: one tile each. The same interface.
template <class T>
class CrossTiles {
public:
    using Value = T;
    static constexpr int kSide = kernel::kCrossSide, kAtOnce = 1;

    CrossTiles(const Covariance& covariance, const Points& rows, const Points& cols, bool with_slope);
    void compute(Eigen::Index row_tile, Eigen::Index col_tile, int count);
    int count() const { return 1; }
    const Tile& tile(int) const { return tile_; }
    T correlation(int, int p, int q) const { return correlation_[q * kSide + p]; }
    void pull_back(const TileWeights& weights, std::span<double> gradient, double* location);

private:
    const Covariance& covariance_;
    const Points &rows_, &cols_;
    bool with_slope_;
    Tile tile_{};
    kernel::CrossBlockOf<T> block_;
    kernel::KernelScratchOf<T> scratch_;
    linalg::LaneBufferOf<T> correlation_, weight_, shape_gradient_, location_;
    linalg::LaneBuffer tile_weights_;
};

template <class Tiles>
Eigen::Index num_tiles(const Points& points) {
    return (points.rows() + Tiles::kSide - 1) / Tiles::kSide;
}

}  // namespace vnngp::conditional
