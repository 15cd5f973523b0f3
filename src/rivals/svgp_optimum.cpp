#include <algorithm>

#include "rivals/observed_covariance.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/rivals/svgp.hpp"

namespace vnngp::rivals {

using linalg::Matrix;

namespace {

/// C, lower triangular, with C C' = P^{-1}. P is factored from its last row to its first, so that no inverse has to be factored again.
Matrix factor_of_inverse(const Matrix& precision) {
    Matrix reversed = precision.reverse(), inverse = Matrix::Identity(precision.rows(), precision.cols());
    if (!linalg::cholesky(reversed) || !reversed.diagonal().allFinite())
        throw NumericalError("the best q(u) cannot be computed: the noise is too small");
    linalg::solve_lower(reversed, inverse);
    return inverse.transpose().reverse();
}

}  // namespace

WhitenedPosterior svgp_optimum(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                               Index batch, conditional::JitterReport* jitter) {
    const Eigen::Index n = problem.num_observations(), m = problem.num_inducing();
    linalg::set_dense_threads(context.num_threads(), problem.num_inducing());
    conditional::Covariance covariance = inference::covariance(problem, hyper);
    covariance.single_precision = false;
    const Matrix factor = conditional::factored_covariance(context, covariance, problem.inducing, 0.0);
    if (jitter != nullptr && covariance.jitter > problem.jitter) jitter->merge({1, covariance.jitter});
    const double noise = hyper.likelihood[0];
    const Vector residual = problem.targets - inference::prior_means(problem, hyper, problem.inputs);
    // The lower triangle of P = I + A A' / noise, and A (y - mu) / noise.
    Matrix precision = Matrix::Identity(m, m), whitened, product;
    Vector weighted = Vector::Zero(m);
    for (Eigen::Index first = 0; first < n; first += batch) {
        context.check_stop();
        const Eigen::Index count = std::min<Eigen::Index>(batch, n - first);
        conditional::cross_covariance(context, covariance, problem.inducing, problem.inputs.middleRows(first, count), whitened);
        linalg::solve_lower(factor, whitened);
        linalg::lower_product(whitened, whitened, product);
        precision.triangularView<Eigen::Lower>() += product / noise;
        weighted += whitened * residual.segment(first, count) / noise;
    }
    WhitenedPosterior posterior;
    posterior.factor = factor_of_inverse(precision.selfadjointView<Eigen::Lower>());
    posterior.mean = posterior.factor * (posterior.factor.transpose() * weighted);
    return posterior;
}

}  // namespace vnngp::rivals
