// Gardner et al. 2018 and Wang et al. 2019: everything from one run of conjugate gradients on several right-hand sides.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "rivals/observed_covariance.hpp"
#include "rivals/pivoted_cholesky.hpp"
#include "vnngp/linalg/tile_product.hpp"
#include "vnngp/rivals/exact.hpp"

namespace vnngp::rivals {

using linalg::Matrix;
using linalg::Transposed;

namespace {

constexpr Eigen::Index kPanel = 1024;  ///< rows of C that exist at a time when it is not kept

/// b -> C b
class ObservedCovariance {
public:
    ObservedCovariance(const Context& context, const conditional::Covariance& covariance, const Points& points, double noise,
                       const IterativeOptions& options, IterativeMemory& memory)
        : context_(context),
          covariance_(covariance),
          points_(points),
          diagonal_(covariance.outputscale * covariance.jitter + covariance.nugget + noise) {
        const auto order = static_cast<std::size_t>(points.rows());
        if ((options.single_precision ? linalg::SymmetricPanels::bytes(points.rows()) : sizeof(double) * order * order) >
            options.cache_bytes)
            return;
        if (options.single_precision) {
            conditional::lower_covariance(context, covariance, points, noise, memory.kept_single);
            kept_single_ = &memory.kept_single;
        } else {
            conditional::lower_covariance(context, covariance, points, noise, memory.kept);
            kept_ = &memory.kept;
        }
    }

    double diagonal() const { return diagonal_; }

    Matrix operator()(const Matrix& b) const {
        context_.check_stop();
        if (kept_ != nullptr) return linalg::symmetric_product(*kept_, b);
        if (kept_single_ != nullptr) return linalg::symmetric_product(context_, *kept_single_, b.cast<float>()).cast<double>();
        Matrix c(b.rows(), b.cols());
        for (Eigen::Index first = 0; first < c.rows(); first += kPanel) {
            const Eigen::Index count = std::min(kPanel, c.rows() - first);
            const Matrix panel = conditional::cross_covariance(context_, covariance_, points_.middleRows(first, count), points_);
            c.middleRows(first, count) = linalg::product(panel, Transposed::no, b, Transposed::no);
        }
        return c + diagonal_ * b;
    }

private:
    const Context& context_;
    const conditional::Covariance& covariance_;
    const Points& points_;
    double diagonal_;  ///< what the diagonal has besides the output scale
    const Matrix* kept_ = nullptr;
    const linalg::SymmetricPanels* kept_single_ = nullptr;
};

/// The coefficients of one right-hand side's conjugate gradients are those of a Lanczos run: T is P^{-1/2} C P^{-1/2} in its Krylov space.
struct Lanczos {
    std::vector<double> step, carry;  ///< alpha_k, beta_k
    /// e_1' log(T) e_1
    double log_quadrature() const {
        const auto size = static_cast<Eigen::Index>(step.size());
        if (size == 0) return 0.0;
        Vector diagonal(size), off(std::max<Eigen::Index>(size - 1, 0));
        for (Eigen::Index k = 0; k < size; ++k) {
            diagonal[k] = 1.0 / step[k] + (k > 0 ? carry[k - 1] / step[k - 1] : 0.0);
            if (k + 1 < size) off[k] = std::sqrt(carry[k]) / step[k];
        }
        Eigen::SelfAdjointEigenSolver<Matrix> eigen;
        eigen.computeFromTridiagonal(diagonal, off);
        return (eigen.eigenvectors().row(0).transpose().array().square() * eigen.eigenvalues().array().max(1e-300).log()).sum();
    }
};

struct BlockSolution {
    Matrix x;
    std::vector<Lanczos> lanczos;
    Vector start_norm;  ///< b'P^{-1}b
    int iterations = 0;
    double relative_residual = 0.0;
};

// Every column has its own coefficients; a finished one stands still.
BlockSolution conjugate_gradients(const ObservedCovariance& product, const LowRankPlusNoise& preconditioner, const Matrix& b,
                                  const IterativeOptions& options) {
    const Eigen::Index count = b.cols();
    BlockSolution solution{Matrix::Zero(b.rows(), count), std::vector<Lanczos>(count), {}, 0, 0.0};
    Matrix residual = b, direction = preconditioner.solve(b);
    Vector rz = residual.cwiseProduct(direction).colwise().sum();
    const Vector target = options.tolerance * b.colwise().norm();
    solution.start_norm = rz;
    std::vector<bool> active(count, true);
    Vector norm = b.colwise().norm();
    const auto any_active = [&] {
        bool any = false;
        for (Eigen::Index c = 0; c < count; ++c) {
            active[c] = active[c] && norm[c] > (solution.iterations < options.least_iterations ? 0.0 : target[c]);
            any = any || active[c];
        }
        return any;
    };
    while (any_active() && solution.iterations < options.iterations) {
        const Matrix image = product(direction);
        Vector step = Vector::Zero(count);
        for (Eigen::Index c = 0; c < count; ++c) {
            if (!active[c]) continue;
            step[c] = rz[c] / direction.col(c).dot(image.col(c));
            solution.x.col(c) += step[c] * direction.col(c);
            residual.col(c) -= step[c] * image.col(c);
        }
        const Matrix preconditioned = preconditioner.solve(residual);
        for (Eigen::Index c = 0; c < count; ++c) {
            if (!active[c]) continue;
            const double next = residual.col(c).dot(preconditioned.col(c)), carry = next / rz[c];
            solution.lanczos[c].step.push_back(step[c]);
            solution.lanczos[c].carry.push_back(carry);
            direction.col(c) = preconditioned.col(c) + carry * direction.col(c);
            rz[c] = next;
            norm[c] = residual.col(c).norm();
        }
        ++solution.iterations;
    }
    for (Eigen::Index c = 0; c < count; ++c)
        if (target[c] > 0.0) solution.relative_residual = std::max(solution.relative_residual, options.tolerance * norm[c] / target[c]);
    return solution;
}

}  // namespace

IterativeLikelihood iterative_log_likelihood(const Context& context, const inference::Problem& problem,
                                             const inference::Hyperparameters& hyper, const Matrix& probes, const IterativeOptions& options,
                                             inference::ElboGradient* gradient, IterativeMemory* memory) {
    linalg::set_dense_threads(context.num_threads(), problem.num_inducing());
    conditional::Covariance covariance = inference::covariance(problem, hyper);
    covariance.single_precision = options.single_precision;
    const double noise = hyper.likelihood[0];
    IterativeMemory own;
    const ObservedCovariance product(context, covariance, problem.inducing, noise, options, memory != nullptr ? *memory : own);
    const LowRankPlusNoise preconditioner(context, covariance, problem.inducing, product.diagonal(), options.preconditioner_rank);

    // Column 0 is y - mu, the others are probes z ~ N(0, P).
    const Eigen::Index n = problem.num_inducing(), count = probes.cols();
    Matrix right(n, 1 + count);
    right.col(0) = centered_observations(problem, hyper);
    right.rightCols(count) = preconditioner.colored(probes);
    const BlockSolution solved = conjugate_gradients(product, preconditioner, right, options);

    // log|C| = log|P| + E[z'P^{-1}z  e_1' log(T) e_1]
    double log_determinant = preconditioner.log_determinant();
    for (Eigen::Index c = 1; c <= count; ++c)
        log_determinant += solved.start_norm[c] * solved.lanczos[c].log_quadrature() / static_cast<double>(count);

    IterativeLikelihood result;
    result.weights = solved.x.col(0);
    result.linear_iterations = solved.iterations;
    result.relative_residual = solved.relative_residual;
    result.value = -0.5 * (right.col(0).dot(result.weights) + log_determinant + static_cast<double>(n) * std::log(2.0 * std::numbers::pi));
    if (gradient == nullptr) return result;

    // tr(C^{-1} dC) = E[(C^{-1}z)' dC (P^{-1}z)], symmetrised
    const Matrix u = solved.x.rightCols(count), v = preconditioner.solve(right).rightCols(count);
    const Vector& alpha = result.weights;
    const double share = 0.25 / static_cast<double>(count);
    Matrix left(n, 1 + 2 * count);
    Points other(n, left.cols());
    left << 0.5 * alpha, -share * u, -share * v;
    other << alpha, v, u;
    const auto weights = [&](const conditional::Tile& tile, double* to, Eigen::Index stride) {
        linalg::tile_product(static_cast<int>(tile.rows), static_cast<int>(tile.cols), static_cast<int>(left.cols()), &left(tile.row, 0), n,
                             &other(tile.col, 0), to, stride);
    };
    conditional::contract_symmetric(context, covariance, problem.inducing, weights, gradient->covariance);
    add_diagonal_gradient(covariance, noise, 0.5 * (alpha.squaredNorm() - u.cwiseProduct(v).sum() / static_cast<double>(count)), *gradient);
    add_mean_gradient(problem, alpha, *gradient);
    return result;
}

}  // namespace vnngp::rivals
