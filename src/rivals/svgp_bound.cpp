#include <algorithm>
#include <cmath>

#include "rivals/observed_covariance.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/rivals/svgp.hpp"

namespace vnngp::rivals {

using linalg::Matrix;
using linalg::Transposed;

namespace {

constexpr std::int64_t kObservationsPerChunk = 256;
constexpr double kTrustedPivot = 1e-4;  ///< of the output scale: with a smaller one, solves with L lose too much in single precision

/// The expected log density of a batch and its derivatives in the latent marginals, each times the batch's weight.
struct DataTerm {
    double value = 0.0;
    Vector on_mean, on_variance;
    std::vector<double> on_parameters;
};

DataTerm data_term(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                   const Vector& targets, const Vector& mean, const Vector& variance, double weight) {
    const auto n = static_cast<std::size_t>(targets.size());
    const std::size_t parameters = hyper.likelihood.size();
    DataTerm term{0.0, Vector(n), Vector(n), std::vector<double>(parameters, 0.0)};
    Vector value(n);
    Matrix on_parameters(n, parameters);
    parallel_chunks(context, targets.size(), kObservationsPerChunk, [&](const Chunk& chunk) {
        const auto size = static_cast<std::size_t>(chunk.end - chunk.begin);
        const auto part = [&](auto& v) { return std::span(v.data() + chunk.begin, size); };
        std::vector<double> of_chunk(size * parameters);
        problem.likelihood->expected_log_density(
            hyper.likelihood, part(targets), {part(mean), part(variance)},
            {.value = part(value), .d_mean = part(term.on_mean), .d_variance = part(term.on_variance), .d_log_parameters = of_chunk});
        for (std::size_t p = 0; p < parameters; ++p)
            std::copy_n(of_chunk.data() + p * size, size, on_parameters.data() + p * n + chunk.begin);
    });
    term.value = weight * value.sum();
    term.on_mean *= weight;
    term.on_variance *= weight;
    for (std::size_t p = 0; p < parameters; ++p) term.on_parameters[p] = weight * on_parameters.col(p).sum();
    return term;
}

Points batch_inputs(const inference::Problem& problem, std::span<const Index> batch) {
    Points inputs(batch.size(), problem.inputs.cols());
    for (std::size_t i = 0; i < batch.size(); ++i) inputs.row(i) = problem.inputs.row(batch[i]);
    return inputs;
}

double lower_squares(const Matrix& factor) {
    double sum = 0.0;
    for (Eigen::Index j = 0; j < factor.cols(); ++j) sum += factor.col(j).tail(factor.rows() - j).squaredNorm();
    return sum;
}

double divergence(const WhitenedPosterior& posterior) {
    const double size = static_cast<double>(posterior.mean.size());
    const double squares = posterior.is_diagonal() ? posterior.factor.squaredNorm() : lower_squares(posterior.factor);
    const double logs =
        posterior.is_diagonal() ? posterior.factor.array().abs().log().sum() : posterior.factor.diagonal().array().abs().log().sum();
    return 0.5 * (squares + posterior.mean.squaredNorm() - size) - logs;
}

// The objective's derivatives may be given by a matrix or, as those in a symmetric matrix, by its symmetric part.
template <class T>
conditional::TileWeights entries_of(const linalg::MatrixOf<T>& weights) {
    return [&weights](const conditional::Tile& tile, double* to, Eigen::Index stride) {
        for (Eigen::Index q = 0; q < tile.cols; ++q) std::copy_n(&weights(tile.row, tile.col + q), tile.rows, to + q * stride);
    };
}
template <class T>
conditional::TileWeights symmetric_part_of(const linalg::MatrixOf<T>& weights) {
    return [&weights](const conditional::Tile& tile, double* to, Eigen::Index stride) {
        for (Eigen::Index q = 0; q < tile.cols; ++q)
            for (Eigen::Index p = 0; p < tile.rows; ++p)
                to[q * stride + p] = 0.5 * (static_cast<double>(weights(tile.row + p, tile.col + q)) + weights(tile.col + q, tile.row + p));
    };
}

/// b <- C'b or C b.
template <class T>
void multiply_factor(const linalg::MatrixOf<T>& c, linalg::MatrixOf<T>& b, Transposed transposed) {
    if (c.cols() == 1 && c.rows() > 1)
        b.array().colwise() *= c.col(0).array();
    else
        linalg::multiply_lower(c, b, transposed);
}

}  // namespace

WhitenedPosterior whitened_prior(Index inducing, bool diagonal) {
    return {Vector::Zero(inducing), diagonal ? Matrix(Matrix::Ones(inducing, 1)) : Matrix(Matrix::Identity(inducing, inducing))};
}

// C'A, of which the squares are wanted at first.
template <class T>
void SvgpBound::Products<T>::forward(const WhitenedPosterior& posterior, const Matrix& whitened) {
    c = posterior.factor.cast<T>();
    a = whitened.cast<T>();
    b = a;
    multiply_factor(c, b, Transposed::yes);
}

// The derivatives in C, and dA = m g' + 2 (C C'A - A) G for those in mean and variance, g and G.
template <class T>
void SvgpBound::Products<T>::backward(const WhitenedPosterior& posterior, const Vector& on_mean, const Vector& on_variance,
                                      Matrix& on_factor) {
    on_a = b;
    multiply_factor(c, on_a, Transposed::no);
    const linalg::MatrixOf<T> m = posterior.mean.cast<T>();
    for (Eigen::Index i = 0; i < a.cols(); ++i) {
        const T g = static_cast<T>(on_mean[i]), twice = static_cast<T>(2.0 * on_variance[i]);
        on_a.col(i) = twice * (on_a.col(i) - a.col(i)) + g * m;
        b.col(i) *= twice;
    }
    if (posterior.is_diagonal()) {
        on_factor = a.cwiseProduct(b).rowwise().sum().template cast<double>() - posterior.factor;
        on_factor.array() += posterior.factor.array().inverse();
        return;
    }
    linalg::lower_product(a, b, lower);
    on_factor.resize(lower.rows(), lower.cols());
    for (Eigen::Index j = 0; j < lower.cols(); ++j) {
        const Eigen::Index below = lower.rows() - j;
        on_factor.col(j).head(j).setZero();
        on_factor.col(j).tail(below) = lower.col(j).tail(below).template cast<double>() - posterior.factor.col(j).tail(below);
        on_factor(j, j) += 1.0 / posterior.factor(j, j);
    }
}

// From dA to dK_zx = L^{-T} dA, and the derivatives in K_zz = L L', which are the symmetric part of what `lower` becomes. Those in L are
// tril(-L^{-T} dA A'), which the adjoint of a Cholesky factor (Murray 2016) turns into L^{-T} Phi(-dA A') L^{-1}: L' times what tril leaves
// out is above the diagonal, and Phi keeps the lower triangle with half its diagonal.
template <class T>
void SvgpBound::Products<T>::through_factor(const Matrix& factor) {
    linalg::lower_product(on_a, a, lower);
    for (Eigen::Index j = 0; j < lower.cols(); ++j) {
        lower.col(j).head(j).setZero();
        lower.col(j).tail(lower.rows() - j) *= T(-1);
        lower(j, j) *= T(0.5);
    }
    c = factor.cast<T>();
    linalg::solve_lower(c, lower, Transposed::yes);
    linalg::solve_lower_from_right(c, lower);
    linalg::solve_lower(c, on_a, Transposed::yes);
}

double SvgpBound::operator()(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                             const WhitenedPosterior& posterior, std::span<const Index> batch, SvgpGradient* gradient,
                             conditional::JitterReport* jitter) {
    linalg::set_dense_threads(context.num_threads(), problem.num_inducing());
    conditional::Covariance covariance = inference::covariance(problem, hyper);
    covariance.single_precision = false;
    conditional::factored_covariance(context, covariance, problem.inducing, 0.0, factor_);
    if (jitter != nullptr && covariance.jitter > problem.jitter) jitter->merge({1, covariance.jitter});
    const double pivot = factor_.diagonal().array().square().minCoeff();
    return problem.single_precision && pivot >= kTrustedPivot * covariance.outputscale
               ? bound(single_, context, problem, hyper, covariance, posterior, batch, gradient)
               : bound(double_, context, problem, hyper, covariance, posterior, batch, gradient);
}

template <class T>
double SvgpBound::bound(Products<T>& products, const Context& context, const inference::Problem& problem,
                        const inference::Hyperparameters& hyper, const conditional::Covariance& covariance,
                        const WhitenedPosterior& posterior, std::span<const Index> batch, SvgpGradient* gradient) {
    const Points inputs = batch_inputs(problem, batch);
    conditional::cross_covariance(context, covariance, problem.inducing, inputs, whitened_);
    linalg::solve_lower(factor_, whitened_);
    products.forward(posterior, whitened_);
    const Vector mean = inference::prior_means(problem, hyper, inputs) + whitened_.transpose() * posterior.mean;
    const Vector variance = (covariance.outputscale + covariance.nugget - whitened_.colwise().squaredNorm().transpose().array()).max(0.0) +
                            products.b.colwise().squaredNorm().transpose().template cast<double>().array();
    Vector targets(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) targets[i] = problem.targets[batch[i]];
    const double weight = static_cast<double>(problem.num_observations()) / static_cast<double>(batch.size());
    const DataTerm data = data_term(context, problem, hyper, targets, mean, variance, weight);
    const double value = data.value - divergence(posterior);
    if (gradient == nullptr) return value;

    gradient->hyper.clear();
    gradient->hyper.log_likelihood_parameters = data.on_parameters;
    gradient->mean = whitened_ * data.on_mean - posterior.mean;
    products.backward(posterior, data.on_mean, data.on_variance, gradient->factor);
    products.through_factor(factor_);
    const auto &on_prior = products.lower, &on_cross = products.on_a;

    gradient->locations.setZero(problem.inducing.rows(), problem.inducing.cols());
    auto& on_covariance = gradient->hyper.covariance;
    // K_zz depends on each location twice, by its row and by its column.
    conditional::contract_cross(context, covariance, problem.inducing, problem.inducing, symmetric_part_of(on_prior), on_covariance,
                                &gradient->locations);
    gradient->locations *= 2.0;
    conditional::contract_cross(context, covariance, problem.inducing, inputs, entries_of(on_cross), on_covariance, &gradient->locations);
    const double own = data.on_variance.sum(), trace = on_prior.trace();
    on_covariance.log_outputscale += covariance.outputscale * (own + covariance.jitter * trace);
    on_covariance.log_nugget += covariance.nugget * (own + trace);
    gradient->hyper.prior_mean = data.on_mean.sum();
    for (std::size_t c = 0; c < problem.mean_columns.size(); ++c)
        gradient->hyper.prior_slopes[c] = data.on_mean.dot(inputs.col(problem.mean_columns[c]));
    return value;
}

double svgp_bound(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                  const WhitenedPosterior& posterior, std::span<const Index> batch, SvgpGradient* gradient,
                  conditional::JitterReport* jitter) {
    return SvgpBound()(context, problem, hyper, posterior, batch, gradient, jitter);
}

}  // namespace vnngp::rivals
