#include "rivals/pivoted_cholesky.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "vnngp/base/parallel.hpp"
#include "vnngp/kernel/correlations_to.hpp"

namespace vnngp::rivals {

using linalg::Matrix;
using linalg::Transposed;

namespace {

constexpr double kNothingLeft = 1e-10;  ///< of the output scale
constexpr std::int64_t kPointsPerChunk = 512;

/// Covariances of all points with one of them.
Vector covariances_with(const Context& context, const conditional::Covariance& covariance, const Points& points, Eigen::Index one) {
    Vector column(points.rows());
    parallel_chunks(context, points.rows(), kPointsPerChunk, [&](const Chunk& chunk) {
        std::vector<Index> candidates(chunk.end - chunk.begin);
        std::iota(candidates.begin(), candidates.end(), static_cast<Index>(chunk.begin));
        kernel::correlations_to(*covariance.kernel, covariance.shape, points, candidates, points.row(one).data(),
                                {column.data() + chunk.begin, candidates.size()});
    });
    column[one] = 1.0;
    return covariance.outputscale * column;
}

Matrix pivoted_factor(const Context& context, const conditional::Covariance& covariance, const Points& points, Index rank) {
    const Eigen::Index n = points.rows();
    Matrix factor(n, std::min<Eigen::Index>(rank, n));
    Vector left = Vector::Constant(n, covariance.outputscale);
    for (Eigen::Index k = 0; k < factor.cols(); ++k) {
        Eigen::Index pivot = 0;
        const double largest = left.maxCoeff(&pivot);
        if (!(largest > kNothingLeft * covariance.outputscale)) return factor.leftCols(k);
        Vector column = covariances_with(context, covariance, points, pivot);
        column.noalias() -= factor.leftCols(k) * factor.row(pivot).head(k).transpose();
        column /= std::sqrt(largest);
        factor.col(k) = column;
        left = (left.array() - column.array().square()).max(0.0);
        left[pivot] = 0.0;
    }
    return factor;
}

}  // namespace

LowRankPlusNoise::LowRankPlusNoise(const Context& context, const conditional::Covariance& covariance, const Points& points, double noise,
                                   Index rank)
    : factor_(pivoted_factor(context, covariance, points, rank)), noise_(noise) {
    inner_ = linalg::product(factor_, Transposed::yes, factor_, Transposed::no);
    inner_.diagonal().array() += noise_;
    linalg::cholesky(inner_);
}

Matrix LowRankPlusNoise::solve(const Matrix& b) const {
    if (rank() == 0) return b / noise_;
    Matrix inner = linalg::product(factor_, Transposed::yes, b, Transposed::no);
    linalg::solve_lower(inner_, inner);
    linalg::solve_lower(inner_, inner, Transposed::yes);
    return (b - linalg::product(factor_, Transposed::no, inner, Transposed::no)) / noise_;
}

double LowRankPlusNoise::log_determinant() const {
    return 2.0 * inner_.diagonal().array().log().sum() + static_cast<double>(factor_.rows() - rank()) * std::log(noise_);
}

Matrix LowRankPlusNoise::colored(const Matrix& normal) const {
    Matrix drawn = std::sqrt(noise_) * normal.bottomRows(factor_.rows());
    if (rank() > 0) drawn += linalg::product(factor_, Transposed::no, normal.topRows(rank()), Transposed::no);
    return drawn;
}

}  // namespace vnngp::rivals
