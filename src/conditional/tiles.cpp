#include "conditional/tiles.hpp"

namespace vnngp::conditional {

using linalg::kLanes;
using linalg::packed_row;

namespace {

Tile tile_at(Eigen::Index row, Eigen::Index col, Eigen::Index side, const Points& rows, const Points& cols) {
    return {row, col, std::min(side, rows.rows() - row), std::min(side, cols.rows() - col)};
}

}  // namespace

LaneTiles::LaneTiles(const Covariance& covariance, const Points& rows, const Points& cols, bool with_slope)
    : covariance_(covariance), rows_(rows), cols_(cols), with_slope_(with_slope) {
    block_.num_points = 2 * kSide;
    block_.num_dims = static_cast<int>(rows.cols());
    block_.coordinates.resize(static_cast<std::size_t>(block_.num_points) * block_.num_dims * kLanes);
    correlation_.resize(packed_row(block_.num_points) * kLanes);
    if (with_slope) weight_.resize(correlation_.size());
}

void LaneTiles::compute(Eigen::Index row_tile, Eigen::Index first_col_tile, int count) {
    count_ = count;
    for (int lane = 0; lane < kLanes; ++lane) {
        tiles_[lane] = tile_at(row_tile * kSide, (first_col_tile + std::min(lane, count - 1)) * kSide, kSide, rows_, cols_);
        for (int p = 0; p < kSide; ++p) {
            gather(rows_, std::min(tiles_[lane].row + p, rows_.rows() - 1), p, lane);
            gather(cols_, std::min(tiles_[lane].col + p, cols_.rows() - 1), kSide + p, lane);
        }
    }
    covariance_.kernel->correlations(covariance_.shape, block_, scratch_, with_slope_, correlation_.data());
}

void LaneTiles::pull_back(const TileWeights& weights, std::span<double> gradient, double* location) {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    const double scale = covariance_.outputscale;
    double on_scale = 0.0;
    for (int lane = 0; lane < count_; ++lane) {
        const Tile& tile = tiles_[lane];
        weights(tile, tile_weights_.data(), kSide);
        for (Eigen::Index q = 0; q < tile.cols; ++q)
            for (Eigen::Index p = 0; p < tile.rows; ++p) {
                const double w = scale * tile_weights_[q * kSide + p];
                on_scale += w * correlation_[place(p, q) + lane];
                weight_[place(p, q) + lane] = w;
            }
    }
    gradient.back() += on_scale;
    const std::size_t parameters = gradient.size() - 1;
    shape_gradient_.assign(parameters * kLanes, 0.0);
    if (location != nullptr) location_.assign(block_.coordinates.size(), 0.0);
    covariance_.kernel->contract(covariance_.shape, block_, scratch_, weight_.data(), shape_gradient_.data(),
                                 location != nullptr ? location_.data() : nullptr);
    for (std::size_t parameter = 0; parameter < parameters; ++parameter)
        for (int lane = 0; lane < kLanes; ++lane) gradient[parameter] += shape_gradient_[parameter * kLanes + lane];
    if (location == nullptr) return;
    for (int entry = 0; entry < kSide * block_.num_dims; ++entry)
        for (int lane = 0; lane < kLanes; ++lane) location[entry] += location_[entry * kLanes + lane];
}

void LaneTiles::gather(const Points& points, Eigen::Index from, int to, int lane) {
    for (int dim = 0; dim < block_.num_dims; ++dim) block_.point(to)[dim * kLanes + lane] = points(from, dim);
}

template <class T>
CrossTiles<T>::CrossTiles(const Covariance& covariance, const Points& rows, const Points& cols, bool with_slope)
    : covariance_(covariance), rows_(rows), cols_(cols), with_slope_(with_slope) {
    block_.num_dims = static_cast<int>(rows.cols());
    block_.rows.resize(static_cast<std::size_t>(block_.num_dims) * kSide);
    block_.cols.resize(block_.rows.size());
    correlation_.resize(kSide * kSide);
    if (!with_slope) return;
    weight_.resize(correlation_.size());
    tile_weights_.resize(correlation_.size());
}

template <class T>
void CrossTiles<T>::compute(Eigen::Index row_tile, Eigen::Index col_tile, int) {
    tile_ = tile_at(row_tile * kSide, col_tile * kSide, kSide, rows_, cols_);
    const auto gather = [&](const Points& points, Eigen::Index first, linalg::LaneBufferOf<T>& to) {
        for (int p = 0; p < kSide; ++p) {
            const double* from = points.row(std::min(first + p, points.rows() - 1)).data();
            for (int dim = 0; dim < block_.num_dims; ++dim) to[dim * kSide + p] = static_cast<T>(from[dim]);
        }
    };
    gather(rows_, tile_.row, block_.rows);
    gather(cols_, tile_.col, block_.cols);
    covariance_.kernel->cross_correlations(covariance_.shape, block_, scratch_, with_slope_, correlation_.data());
}

template <class T>
void CrossTiles<T>::pull_back(const TileWeights& weights, std::span<double> gradient, double* location) {
    weights(tile_, tile_weights_.data(), kSide);
    const T scale = static_cast<T>(covariance_.outputscale);
    for (Eigen::Index q = 0; q < kSide; ++q) {
        const double* from = tile_weights_.data() + q * kSide;
        const T* correlation = correlation_.data() + q * kSide;
        T *to = weight_.data() + q * kSide, on_scale = 0;
        const Eigen::Index rows = q < tile_.cols ? tile_.rows : 0;
        for (Eigen::Index p = 0; p < rows; ++p) {
            to[p] = scale * static_cast<T>(from[p]);
            on_scale += to[p] * correlation[p];
        }
        std::fill(to + rows, to + kSide, T(0));
        gradient.back() += on_scale;
    }
    const std::size_t parameters = gradient.size() - 1;
    shape_gradient_.assign(parameters, T(0));
    if (location != nullptr) location_.assign(block_.rows.size(), T(0));
    covariance_.kernel->cross_contract(block_, scratch_, weight_.data(), shape_gradient_.data(),
                                       location != nullptr ? location_.data() : nullptr);
    for (std::size_t parameter = 0; parameter < parameters; ++parameter) gradient[parameter] += shape_gradient_[parameter];
    if (location == nullptr) return;
    for (int p = 0; p < kSide; ++p)
        for (int dim = 0; dim < block_.num_dims; ++dim) location[p * block_.num_dims + dim] += location_[dim * kSide + p];
}

template class CrossTiles<float>;
template class CrossTiles<double>;

}  // namespace vnngp::conditional
