#include <cmath>
#include <numbers>

#include "rivals/observed_covariance.hpp"
#include "vnngp/rivals/exact.hpp"

namespace vnngp::rivals {
void add_mean_gradient(const inference::Problem& problem, const Vector& weights, inference::ElboGradient& gradient) {
    gradient.prior_mean += weights.sum();
    for (std::size_t c = 0; c < problem.mean_columns.size(); ++c)
        gradient.prior_slopes[c] += weights.dot(problem.inducing.col(problem.mean_columns[c]));
}

void add_diagonal_gradient(const conditional::Covariance& covariance, double noise, double trace, inference::ElboGradient& gradient) {
    gradient.covariance.log_outputscale += covariance.outputscale * covariance.jitter * trace;
    gradient.covariance.log_nugget += covariance.nugget * trace;
    gradient.log_likelihood_parameters[0] += noise * trace;
}

Vector centered_observations(const inference::Problem& problem, const inference::Hyperparameters& hyper) {
    return inference::values_at_points(problem) - inference::prior_means(problem, hyper, problem.inducing);
}

double exact_log_likelihood(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                            inference::ElboGradient* gradient) {
    linalg::set_dense_threads(context.num_threads(), problem.num_inducing());
    conditional::Covariance covariance = inference::covariance(problem, hyper);
    const double noise = hyper.likelihood[0];
    linalg::Matrix factor = conditional::factored_covariance(context, covariance, problem.inducing, noise);
    const double log_determinant = 2.0 * factor.diagonal().array().log().sum();

    linalg::Matrix solution = centered_observations(problem, hyper);
    linalg::solve_lower(factor, solution);
    const double n = static_cast<double>(solution.size());
    const double value = -0.5 * (solution.squaredNorm() + log_determinant + n * std::log(2.0 * std::numbers::pi));
    if (gradient == nullptr) return value;

    linalg::solve_lower(factor, solution, linalg::Transposed::yes);
    const Vector alpha = solution.col(0);
    linalg::invert_cholesky(factor);
    context.check_stop();
    // d value / dC = (alpha alpha' - C^{-1}) / 2
    const auto weights = [&](const conditional::Tile& tile, double* to, Eigen::Index stride) {
        for (Eigen::Index q = 0; q < tile.cols; ++q)
            for (Eigen::Index p = 0; p < tile.rows; ++p) {
                const Eigen::Index i = tile.row + p, j = tile.col + q;
                to[q * stride + p] = 0.5 * (alpha[i] * alpha[j] - (i >= j ? factor(i, j) : factor(j, i)));
            }
    };
    conditional::contract_symmetric(context, covariance, problem.inducing, weights, gradient->covariance);
    add_diagonal_gradient(covariance, noise, 0.5 * (alpha.squaredNorm() - factor.diagonal().sum()), *gradient);
    add_mean_gradient(problem, alpha, *gradient);
    return value;
}

}  // namespace vnngp::rivals
