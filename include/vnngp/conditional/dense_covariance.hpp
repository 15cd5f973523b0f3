// Covariances between all points of one set and all of another as dense matrices, and their adjoint: what methods without neighbours need.
// Everything goes by tiles of the matrix.
#pragma once

#include <functional>

#include "vnngp/base/context.hpp"
#include "vnngp/conditional/covariance.hpp"
#include "vnngp/linalg/dense.hpp"
#include "vnngp/linalg/symmetric_panels.hpp"

namespace vnngp::conditional {

/// The smooth part: outputscale times correlation, rows.rows() x cols.rows().
linalg::Matrix cross_covariance(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols);
/// The same into memory that is there already, like its like below.
void cross_covariance(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols, linalg::Matrix& result);

/// The lower triangle of the smooth part among the points, and on its diagonal outputscale * (1 + jitter) + nugget + `noise`.
linalg::Matrix lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise);
void lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise, linalg::Matrix& result);
void lower_covariance(const Context& context, const Covariance& covariance, const Points& points, double noise,
                      linalg::SymmetricPanels& result);

/// The Cholesky factor L of that; raises covariance.jitter where it has to be. Throws NumericalError when no tolerable jitter is enough.
linalg::Matrix factored_covariance(const Context& context, Covariance& covariance, const Points& points, double noise = 0.0);
void factored_covariance(const Context& context, Covariance& covariance, const Points& points, double noise, linalg::Matrix& factor);

/// Receives where a tile of the matrix begins, and writes the derivative of an objective in each of its entries, by columns of the given
/// stride. Called from several threads at once.
struct Tile {
    Eigen::Index row, col, rows, cols;
};
using TileWeights = std::function<void(const Tile& tile, double* weights, Eigen::Index stride)>;

/// Adds to `gradient` the derivatives in log shape and log outputscale of an objective of the smooth part, each tile's in single precision
/// where Covariance::single_precision allows it. location_gradient, unless null,
/// is rows.rows() x dims and receives (is added) the derivatives in the coordinates of `rows`, as if `cols` were other points.
void contract_cross(const Context& context, const Covariance& covariance, const Points& rows, const Points& cols,
                    const TileWeights& weights, CovarianceGradient& gradient, Points* location_gradient = nullptr);

/// The same among the points of one set, for an objective with a symmetric matrix of derivatives: only tiles on and below the diagonal are
/// asked for. What the diagonal carries besides the output scale is the caller's.
void contract_symmetric(const Context& context, const Covariance& covariance, const Points& points, const TileWeights& weights,
                        CovarianceGradient& gradient);

}  // namespace vnngp::conditional
