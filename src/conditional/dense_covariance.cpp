#include "vnngp/conditional/dense_covariance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "conditional/tiles.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::conditional {

using linalg::Matrix;

namespace {

constexpr double kSmallestRaisedJitter = 1e-10, kLargestRaisedJitter = 1e-2;  ///< relative to the output scale

/// Calls body(tiles, row of tiles) for all tiles, or those on and below the diagonal, a few at a time; rows of tiles in parallel.
template <class Tiles, class Body>
void visit_tiles(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower, bool with_slope,
                 const Body& body) {
    std::vector<std::unique_ptr<Tiles>> workers(context.num_threads());
    parallel_chunks(context, num_tiles<Tiles>(rows), 1, [&](const Chunk& chunk) {
        auto& tiles = workers[chunk.worker];
        if (!tiles) tiles = std::make_unique<Tiles>(covariance, rows, cols, with_slope);
        const Eigen::Index end = lower ? chunk.number + 1 : num_tiles<Tiles>(cols);
        for (Eigen::Index first = 0; first < end; first += Tiles::kAtOnce) {
            tiles->compute(chunk.number, first, static_cast<int>(std::min<Eigen::Index>(Tiles::kAtOnce, end - first)));
            body(*tiles, chunk.number);
        }
    });
}

template <class Tiles, class To>
void fill_by(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower, To& to) {
    using T = std::remove_reference_t<decltype(to(0, 0))>;
    const auto scale = static_cast<typename Tiles::Value>(covariance.outputscale);
    visit_tiles<Tiles>(context, covariance, rows, cols, lower, false, [&](const Tiles& tiles, Eigen::Index) {
        for (int number = 0; number < tiles.count(); ++number) {
            const Tile& tile = tiles.tile(number);
            for (int q = 0; q < tile.cols; ++q) {
                T* column = &to(tile.row, tile.col + q);
                for (int p = 0; p < tile.rows; ++p) column[p] = static_cast<T>(scale * tiles.correlation(number, p, q));
            }
        }
    });
}

// Entries of a column of `to` follow one another within a tile.
template <class To>
void fill(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower, To& to) {
    using T = std::remove_reference_t<decltype(to(0, 0))>;
    if (rows.rows() == 0 || cols.rows() == 0) return;
    if (!covariance.kernel->has_cross() || (std::is_same_v<T, float> && !covariance.kernel->has_single_precision()))
        return fill_by<LaneTiles>(context, covariance, rows, cols, lower, to);
    fill_by<CrossTiles<T>>(context, covariance, rows, cols, lower, to);
}

template <class Tiles>
void contract_by(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower,
                 const TileWeights& weights, CovarianceGradient& gradient, Points* location_gradient) {
    const std::size_t parameters = covariance.shape.size() + 1;
    std::vector<double> partial(num_tiles<Tiles>(rows) * parameters, 0.0);
    // Whole tiles: the last one may stick out.
    const Eigen::Index dims = rows.cols();
    Points locations = Points::Zero(location_gradient != nullptr ? num_tiles<Tiles>(rows) * Tiles::kSide : 0, dims);
    visit_tiles<Tiles>(context, covariance, rows, cols, lower, true, [&](Tiles& tiles, Eigen::Index row_tile) {
        tiles.pull_back(weights, std::span(partial).subspan(row_tile * parameters, parameters),
                        location_gradient != nullptr ? locations.data() + row_tile * Tiles::kSide * dims : nullptr);
    });
    gradient.log_shape.resize(covariance.shape.size(), 0.0);
    for (std::size_t at = 0; at < partial.size(); at += parameters) {
        for (std::size_t p = 0; p + 1 < parameters; ++p) gradient.log_shape[p] += partial[at + p];
        gradient.log_outputscale += partial[at + parameters - 1];
    }
    if (location_gradient != nullptr) *location_gradient += locations.topRows(rows.rows());
}

void contract(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, bool lower,
              const TileWeights& weights, CovarianceGradient& gradient, Points* location_gradient) {
    const bool single = covariance.single_precision && covariance.kernel->has_single_precision();
    const auto by = !covariance.kernel->has_cross() ? contract_by<LaneTiles>
                    : single                        ? contract_by<CrossTiles<float>>
                                                    : contract_by<CrossTiles<double>>;
    by(context, covariance, rows, cols, lower, weights, gradient, location_gradient);
}

// The lower triangle with its diagonal.
void fill_lower(const Context& context, const Covariance& covariance, const Points& points, double noise, auto& to) {
    fill(context, covariance, points, points, true, to);
    const double diagonal = covariance.outputscale * (1.0 + covariance.jitter) + covariance.nugget + noise;
    for (Eigen::Index i = 0; i < points.rows(); ++i) to(i, i) = diagonal;
}

}  // namespace

Matrix cross_covariance(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols) {
    Matrix result(rows.rows(), cols.rows());
    fill(context, covariance, rows, cols, false, result);
    return result;
}

void cross_covariance(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, Matrix& result) {
    result.resize(rows.rows(), cols.rows());
    fill(context, covariance, rows, cols, false, result);
}

Matrix lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise) {
    Matrix result;
    lower_covariance(context, covariance, points, noise, result);
    return result;
}

void lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise, Matrix& result) {
    result.resize(points.rows(), points.rows());
    fill_lower(context, covariance, points, noise, result);
}

void lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise,
                      linalg::SymmetricPanels& result) {
    static_assert(linalg::SymmetricPanels::kRows % CrossTiles<float>::kSide == 0 && linalg::SymmetricPanels::kRows % LaneTiles::kSide == 0);
    result.resize(points.rows());
    fill_lower(context, covariance, points, noise, result);
}

Matrix factored_covariance(const Context& context, Covariance& covariance, const Points& points, double noise) {
    Matrix factor;
    factored_covariance(context, covariance, points, noise, factor);
    return factor;
}

void factored_covariance(const Context& context, Covariance& covariance, const Points& points, double noise, Matrix& factor) {
    while (true) {
        lower_covariance(context, covariance, points, noise, factor);
        if (linalg::cholesky(factor)) return;
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
