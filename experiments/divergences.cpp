#include "experiments/divergences.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "vnngp/base/error.hpp"

namespace vnngp::experiments {
namespace {

using ExtendedVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

ExtendedMatrix block(const ExtendedMatrix& matrix, std::span<const Index> rows) {
    const auto size = static_cast<Eigen::Index>(rows.size());
    ExtendedMatrix found(size, size);
    for (Eigen::Index i = 0; i < size; ++i)
        for (Eigen::Index j = 0; j < size; ++j) found(i, j) = matrix(rows[i], rows[j]);
    return found;
}

Eigen::LLT<ExtendedMatrix> factor(const ExtendedMatrix& matrix) {
    Eigen::LLT<ExtendedMatrix> found(matrix);
    if (found.info() != Eigen::Success) throw NumericalError("a covariance is not positive definite: more is needed on its diagonal");
    return found;
}

// KL of the marginals of some of the points: 1/2 (log|C| - sum log s - n + sum s_k (C^-1)_kk + m' C^-1 m)
long double marginal_divergence(const DivergenceProblem& problem, std::span<const Index> points) {
    const auto size = static_cast<Eigen::Index>(points.size());
    ExtendedVector m(size), s(size);
    for (Eigen::Index i = 0; i < size; ++i) m[i] = problem.mean[points[i]], s[i] = problem.variance[points[i]];
    const auto lower = factor(block(problem.covariance, points));
    const ExtendedMatrix half_inverse = lower.matrixL().solve(ExtendedMatrix::Identity(size, size));
    const ExtendedVector whitened = lower.matrixL().solve(m);
    const ExtendedMatrix l = lower.matrixL();
    const long double log_determinant = 2 * l.diagonal().array().log().sum();
    const long double trace = (half_inverse.cwiseAbs2() * s).sum();
    return (log_determinant - s.array().log().sum() - static_cast<long double>(size) + trace + whitened.squaredNorm()) / 2;
}

}  // namespace

double exact_divergence(const DivergenceProblem& problem) {
    std::vector<Index> all(static_cast<std::size_t>(problem.mean.size()));
    std::iota(all.begin(), all.end(), Index{0});
    return static_cast<double>(marginal_divergence(problem, all));
}

double vnngp_divergence(const DivergenceProblem& problem, const neighbors::NeighborGraph& predecessors) {
    long double sum = 0;
    for (Index j = 0; j < predecessors.num_rows(); ++j) {
        const auto n = predecessors.row(j);
        const auto size = static_cast<Eigen::Index>(n.size());
        ExtendedVector c(size);
        for (Eigen::Index i = 0; i < size; ++i) c[i] = problem.covariance(n[i], j);
        long double f = problem.covariance(j, j), t = problem.variance[j], r = problem.mean[j];
        if (size > 0) {
            const ExtendedVector b = factor(block(problem.covariance, n)).solve(c);
            f -= c.dot(b);
            for (Eigen::Index i = 0; i < size; ++i) t += b[i] * b[i] * problem.variance[n[i]], r -= b[i] * problem.mean[n[i]];
        }
        sum += (std::log(f) - std::log(static_cast<long double>(problem.variance[j])) - 1 + (t + r * r) / f) / 2;
    }
    return static_cast<double>(sum);
}

double swsgp_divergence(const DivergenceProblem& problem, const neighbors::NeighborGraph& nearest) {
    std::map<std::vector<Index>, long double> known;  // with many neighbours, points share theirs
    long double sum = 0;
    for (Index j = 0; j < nearest.num_rows(); ++j) {
        std::vector<Index> points(nearest.row(j).begin(), nearest.row(j).end());
        std::sort(points.begin(), points.end());
        const auto [place, is_new] = known.try_emplace(points, 0.0L);
        if (is_new) place->second = marginal_divergence(problem, points);
        sum += place->second;
    }
    return static_cast<double>(sum / nearest.num_rows());
}

}  // namespace vnngp::experiments
