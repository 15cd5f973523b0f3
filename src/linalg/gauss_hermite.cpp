#include "vnngp/linalg/gauss_hermite.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "vnngp/base/error.hpp"

namespace vnngp::linalg {
namespace {

constexpr int kMaxNodes = 128;

struct Evaluation {
    double polynomial;  ///< p_n(x)
    double derivative;  ///< p_n'(x) = sqrt(n) p_{n-1}(x)
    double squares;     ///< sum_{k<n} p_k(x)^2, the inverse of the weight at a node
};

/// Orthonormal probabilists' Hermite polynomials: sqrt(k+1) p_{k+1} = x p_k - sqrt(k) p_{k-1}.
Evaluation evaluate(int n, double x) {
    double previous = 0.0, current = 1.0, squares = 0.0;
    for (int k = 0; k < n; ++k) {
        squares += current * current;
        const double next = (x * current - std::sqrt(double(k)) * previous) / std::sqrt(double(k + 1));
        previous = current;
        current = next;
    }
    return {current, std::sqrt(double(n)) * previous, squares};
}

}  // namespace

Quadrature gauss_hermite(int num_nodes) {
    if (num_nodes < 1 || num_nodes > kMaxNodes)
        throw InputError("a Gauss-Hermite rule has 1 to " + std::to_string(kMaxNodes) + " nodes, not " + std::to_string(num_nodes));
    Eigen::VectorXd off_diagonal(num_nodes - 1);
    for (int k = 1; k < num_nodes; ++k) off_diagonal[k - 1] = std::sqrt(double(k));
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> jacobi;
    jacobi.computeFromTridiagonal(Eigen::VectorXd::Zero(num_nodes), off_diagonal, Eigen::EigenvaluesOnly);

    Quadrature rule{std::vector<double>(num_nodes), std::vector<double>(num_nodes)};
    for (int k = 0; k <= num_nodes / 2; ++k) {
        const int mirror = num_nodes - 1 - k;
        if (mirror < k) break;
        // Eigenvalues carry absolute errors and squared eigenvector entries lose the small weights: polish the node by Newton and take the
        // weight from the recurrence, which is accurate in the relative sense.
        double x = mirror == k ? 0.0 : jacobi.eigenvalues()[mirror];
        for (int step = 0; step < 2 && mirror != k; ++step) {
            const Evaluation at = evaluate(num_nodes, x);
            x -= at.polynomial / at.derivative;
        }
        const double weight = 1.0 / evaluate(num_nodes, x).squares;
        rule.nodes[k] = -x;
        rule.nodes[mirror] = x;
        rule.weights[k] = rule.weights[mirror] = weight;
    }
    return rule;
}

}  // namespace vnngp::linalg
