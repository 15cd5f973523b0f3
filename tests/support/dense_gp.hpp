// Slow, obvious Gaussian-process algebra: the oracle that the fast paths are compared with. Formulas are written out anew, from the text.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "vnngp/base/random.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::testing {

using Eigen::MatrixXd;

inline double correlation(const std::string& kernel, double r) {
    if (kernel == "matern12") return std::exp(-r);
    if (kernel == "matern32") return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    if (kernel == "matern52") return (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
    return std::exp(-r * r / 2);
}

/// Covariance matrix of points a and b, without nugget.
inline MatrixXd covariance_matrix(const std::string& kernel, const Points& a, const Points& b, const std::vector<double>& lengthscales,
                                  double outputscale) {
    MatrixXd k(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < b.rows(); ++j) {
            double squared = 0;
            for (Eigen::Index d = 0; d < a.cols(); ++d) squared += std::pow((a(i, d) - b(j, d)) / lengthscales[d], 2);
            k(i, j) = outputscale * correlation(kernel, std::sqrt(squared));
        }
    return k;
}

inline MatrixXd select(const MatrixXd& matrix, std::span<const Index> rows, std::span<const Index> columns) {
    MatrixXd out(rows.size(), columns.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) out(i, j) = matrix(rows[i], columns[j]);
    return out;
}

/// Rows of Eq. K1 as dense matrices: B strictly lower triangular, F the conditional variances. `k` is the covariance without nugget.
struct DenseRows {
    MatrixXd b;
    Vector f;
};
inline DenseRows dense_rows(const MatrixXd& k, const neighbors::NeighborGraph& graph, double nugget) {
    const Eigen::Index size = k.rows();
    DenseRows rows{MatrixXd::Zero(size, size), Vector(size)};
    for (Index j = 0; j < size; ++j) {
        const auto n = graph.row(j);
        const std::vector<Index> self{j};
        rows.f[j] = k(j, j) + nugget;
        if (n.empty()) continue;
        const MatrixXd c_block = select(k, n, n) + nugget * MatrixXd::Identity(n.size(), n.size());
        const Vector c = select(k, n, self);
        const Vector solved = c_block.ldlt().solve(c);
        for (std::size_t p = 0; p < n.size(); ++p) rows.b(j, n[p]) = solved[p];
        rows.f[j] -= c.dot(solved);
    }
    return rows;
}

/// Rows of Eq. K3: a_i' in row i of b, and -c_i' a_i in f, to which the variance of the target itself is to be added. `k` is the
/// covariance of the inducing points without nugget, `cross` that of inducing points (rows) and targets.
inline DenseRows dense_data_rows(const MatrixXd& k, const MatrixXd& cross, const neighbors::NeighborGraph& graph, double nugget) {
    DenseRows rows{MatrixXd::Zero(cross.cols(), k.rows()), Vector(cross.cols())};
    for (Index i = 0; i < cross.cols(); ++i) {
        const auto n = graph.row(i);
        const std::vector<Index> self{i};
        const Vector c = select(cross, n, self);
        const Vector solved = (select(k, n, n) + nugget * MatrixXd::Identity(n.size(), n.size())).ldlt().solve(c);
        for (std::size_t p = 0; p < n.size(); ++p) rows.b(i, n[p]) = solved[p];
        rows.f[i] = -c.dot(solved);
    }
    return rows;
}

/// Q of Eq. K2.
inline MatrixXd precision(const DenseRows& rows) {
    const MatrixXd lower = MatrixXd::Identity(rows.f.size(), rows.f.size()) - rows.b;
    return lower.transpose() * rows.f.cwiseInverse().asDiagonal() * lower;
}

inline double log_determinant(const MatrixXd& spd) { return 2.0 * MatrixXd(spd.llt().matrixL()).diagonal().array().log().sum(); }

/// log N(x; 0, covariance)
inline double log_normal_density(const Vector& x, const MatrixXd& covariance) {
    return -0.5 * (x.dot(covariance.ldlt().solve(x)) + log_determinant(covariance) + x.size() * std::log(2 * std::numbers::pi));
}

inline Points random_points(Index count, int dims, std::uint64_t seed) {
    RandomStream stream(seed, StreamPurpose::test);
    Points points(count, dims);
    for (Eigen::Index i = 0; i < points.size(); ++i) points.data()[i] = stream.normal();
    return points;
}

inline Vector random_vector(Index count, std::uint64_t seed) {
    RandomStream stream(seed, StreamPurpose::test, 1);
    Vector v(count);
    for (double& x : v) x = stream.normal();
    return v;
}

}  // namespace vnngp::testing
