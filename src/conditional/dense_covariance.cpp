#include "vnngp/conditional/dense_covariance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::conditional {

using linalg::kLanes;
using linalg::Matrix;
using linalg::packed_row;

namespace {

constexpr int kSide = 32;                                                     ///< points along each side of a tile
constexpr double kSmallestRaisedJitter = 1e-10, kLargestRaisedJitter = 1e-2;  ///< relative to the output scale

Eigen::Index num_tiles(Eigen::Index points) { return (points + kSide - 1) / kSide; }

/// kLanes tiles of one row of tiles: the first kSide places of the block hold the points of the rows, the others those of the columns.
/// Pairs within the one or the other are computed for nothing.
class TileLanes {
public:
    TileLanes(const Covariance& covariance, const Points& rows, const Points& cols, bool with_slope)
        : covariance_(covariance), rows_(rows), cols_(cols), with_slope_(with_slope) {
        block_.num_points = 2 * kSide;
        block_.num_dims = static_cast<int>(rows.cols());
        block_.coordinates.resize(static_cast<std::size_t>(block_.num_points) * block_.num_dims * kLanes);
        correlation_.resize(packed_row(block_.num_points) * kLanes);
        if (with_slope) weight_.resize(correlation_.size());
    }

    /// Tiles (row_tile, first_col_tile) ... (row_tile, first_col_tile + count - 1).
    void compute(Eigen::Index row_tile, Eigen::Index first_col_tile, int count) {
        count_ = count;
        for (int lane = 0; lane < kLanes; ++lane) {
            tiles_[lane] = tile(row_tile, first_col_tile + std::min(lane, count - 1));
            for (int p = 0; p < kSide; ++p) {
                gather(rows_, std::min(tiles_[lane].row + p, rows_.rows() - 1), p, lane);
                gather(cols_, std::min(tiles_[lane].col + p, cols_.rows() - 1), kSide + p, lane);
            }
        }
        covariance_.kernel->correlations(covariance_.shape, block_, scratch_, with_slope_, correlation_.data());
    }

    int count() const { return count_; }
    const Tile& tile_of(int lane) const { return tiles_[lane]; }

    double correlation(int lane, int p, int q) const { return correlation_[place(p, q) + lane]; }

    /// Adds the derivatives in log shape and, last, in log outputscale; `location` [kSide][dims] receives those of the rows' points.
    void pull_back(const TileWeights& weights, std::span<double> gradient, double* location) {
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

private:
    static std::size_t place(Eigen::Index p, Eigen::Index q) { return (packed_row(static_cast<int>(kSide + q)) + p) * kLanes; }

    Tile tile(Eigen::Index row_tile, Eigen::Index col_tile) const {
        const Eigen::Index row = row_tile * kSide, col = col_tile * kSide;
        return {row, col, std::min<Eigen::Index>(kSide, rows_.rows() - row), std::min<Eigen::Index>(kSide, cols_.rows() - col)};
    }

    void gather(const Points& points, Eigen::Index from, int to, int lane) {
        for (int dim = 0; dim < block_.num_dims; ++dim) block_.point(to)[dim * kLanes + lane] = points(from, dim);
    }

    const Covariance& covariance_;
    const Points &rows_, &cols_;
    bool with_slope_;
    int count_ = 0;
    std::array<Tile, kLanes> tiles_{};
    kernel::LaneBlock block_;
    kernel::KernelScratch scratch_;
    linalg::LaneBuffer correlation_, weight_, shape_gradient_, location_;
    std::array<double, kSide * kSide> tile_weights_{};
};

/// Calls body(lanes, row of tiles) for all tiles, or those on and below the diagonal, kLanes at a time; rows of tiles in parallel.
template <class Body>
void visit_tiles(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower, bool with_slope,
                 const Body& body) {
    std::vector<std::unique_ptr<TileLanes>> workers(context.num_threads());
    parallel_chunks(context, num_tiles(rows.rows()), 1, [&](const Chunk& chunk) {
        auto& lanes = workers[chunk.worker];
        if (!lanes) lanes = std::make_unique<TileLanes>(covariance, rows, cols, with_slope);
        const Eigen::Index end = lower ? chunk.number + 1 : num_tiles(cols.rows());
        for (Eigen::Index first = 0; first < end; first += kLanes) {
            lanes->compute(chunk.number, first, static_cast<int>(std::min<Eigen::Index>(kLanes, end - first)));
            body(*lanes, chunk.number);
        }
    });
}

void fill(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower, Matrix& to) {
    visit_tiles(context, covariance, rows, cols, lower, false, [&](const TileLanes& lanes, Eigen::Index) {
        for (int lane = 0; lane < lanes.count(); ++lane) {
            const Tile& tile = lanes.tile_of(lane);
            for (int q = 0; q < tile.cols; ++q)
                for (int p = 0; p < tile.rows; ++p) to(tile.row + p, tile.col + q) = covariance.outputscale * lanes.correlation(lane, p, q);
        }
    });
}

void contract(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower,
              const TileWeights& weights, CovarianceGradient& gradient, Points* location_gradient) {
    const std::size_t parameters = covariance.shape.size() + 1;
    std::vector<double> partial(num_tiles(rows.rows()) * parameters, 0.0);
    // Whole tiles: the last one may stick out.
    const Eigen::Index dims = rows.cols();
    Points locations = Points::Zero(location_gradient != nullptr ? num_tiles(rows.rows()) * kSide : 0, dims);
    visit_tiles(context, covariance, rows, cols, lower, true, [&](TileLanes& lanes, Eigen::Index row_tile) {
        lanes.pull_back(weights, std::span(partial).subspan(row_tile * parameters, parameters),
                        location_gradient != nullptr ? locations.data() + row_tile * kSide * dims : nullptr);
    });
    gradient.log_shape.resize(covariance.shape.size(), 0.0);
    for (std::size_t at = 0; at < partial.size(); at += parameters) {
        for (std::size_t p = 0; p + 1 < parameters; ++p) gradient.log_shape[p] += partial[at + p];
        gradient.log_outputscale += partial[at + parameters - 1];
    }
    if (location_gradient != nullptr) *location_gradient += locations.topRows(rows.rows());
}

}  // namespace

Matrix cross_covariance(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols) {
    Matrix result(rows.rows(), cols.rows());
    if (result.size() > 0) fill(context, covariance, rows, cols, false, result);
    return result;
}

Matrix lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise) {
    Matrix result(points.rows(), points.rows());
    fill(context, covariance, points, points, true, result);
    result.diagonal().setConstant(covariance.outputscale * (1.0 + covariance.jitter) + covariance.nugget + noise);
    return result;
}

Matrix factored_covariance(const Context& context, Covariance& covariance, const Points& points, double noise) {
    while (true) {
        Matrix factor = lower_covariance(context, covariance, points, noise);
        if (linalg::cholesky(factor)) return factor;
        covariance.jitter = std::max(10.0 * covariance.jitter, kSmallestRaisedJitter);
        if (covariance.jitter > kLargestRaisedJitter)
            throw NumericalError(fmt::format("the covariance of {} points cannot be factored, even with a jitter of {:g}", points.rows(),
                                             kLargestRaisedJitter));
    }
}

void contract_cross(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols,
                    const TileWeights& weights, CovarianceGradient& gradient, Points* location_gradient) {
    contract(context, covariance, rows, cols, false, weights, gradient, location_gradient);
}

// A tile below the diagonal stands for its mirror image too; one on the diagonal holds both triangles.
void contract_symmetric(const Context& context, const Covariance& covariance, const Points& points, const TileWeights& weights,
                        CovarianceGradient& gradient) {
    const TileWeights doubled = [&](const Tile& tile, double* values, Eigen::Index stride) {
        weights(tile, values, stride);
        if (tile.row == tile.col) return;
        for (Eigen::Index q = 0; q < tile.cols; ++q)
            for (Eigen::Index p = 0; p < tile.rows; ++p) values[q * stride + p] *= 2.0;
    };
    contract(context, covariance, points, points, true, doubled, gradient, nullptr);
}

}  // namespace vnngp::conditional
