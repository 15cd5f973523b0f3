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

/// C'A or C A.
Matrix times_factor(const WhitenedPosterior& posterior, Matrix a, Transposed transposed) {
    if (posterior.is_diagonal()) return posterior.factor.col(0).asDiagonal() * a;
    linalg::multiply_lower(posterior.factor, a, transposed);
    return a;
}

double divergence(const WhitenedPosterior& posterior) {
    const double size = static_cast<double>(posterior.mean.size());
    const double squares =
        posterior.is_diagonal() ? posterior.factor.squaredNorm() : Matrix(posterior.factor.triangularView<Eigen::Lower>()).squaredNorm();
    const double logs =
        posterior.is_diagonal() ? posterior.factor.array().abs().log().sum() : posterior.factor.diagonal().array().abs().log().sum();
    return 0.5 * (squares + posterior.mean.squaredNorm() - size) - logs;
}

/// The derivatives in K_zz = L L' of an objective of A = L^{-1} K_zx, as a full symmetric matrix. Those in L are tril(-L^{-T} dA A'), which
/// the adjoint of a Cholesky factor (Murray 2016) turns into L^{-T} Phi(-dA A') L^{-1}, symmetrised: L' times what tril leaves out is above
/// the diagonal, and Phi keeps the lower triangle with half its diagonal.
Matrix prior_adjoint(const Matrix& factor, const Matrix& on_whitened, const Matrix& whitened) {
    Matrix phi = -0.5 * linalg::lower_product(on_whitened, whitened);
    phi.triangularView<Eigen::StrictlyUpper>() = phi.transpose();
    linalg::solve_lower(factor, phi, Transposed::yes);
    phi.transposeInPlace();
    linalg::solve_lower(factor, phi, Transposed::yes);
    return phi;
}

conditional::TileWeights entries_of(const Matrix& weights) {
    return [&weights](const conditional::Tile& tile, double* to, Eigen::Index stride) {
        for (Eigen::Index q = 0; q < tile.cols; ++q)
            for (Eigen::Index p = 0; p < tile.rows; ++p) to[q * stride + p] = weights(tile.row + p, tile.col + q);
    };
}

}  // namespace

WhitenedPosterior whitened_prior(Index inducing, bool diagonal) {
    return {Vector::Zero(inducing), diagonal ? Matrix(Matrix::Ones(inducing, 1)) : Matrix(Matrix::Identity(inducing, inducing))};
}

double svgp_bound(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                  const WhitenedPosterior& posterior, std::span<const Index> batch, SvgpGradient* gradient,
                  conditional::JitterReport* jitter) {
    linalg::set_dense_threads(context.num_threads());
    conditional::Covariance covariance = inference::covariance(problem, hyper);
    const Points inputs = batch_inputs(problem, batch);
    const Matrix factor = conditional::factored_covariance(context, covariance, problem.inducing, 0.0);
    if (jitter != nullptr && covariance.jitter > problem.jitter) jitter->merge({1, covariance.jitter});

    Matrix a = conditional::cross_covariance(context, covariance, problem.inducing, inputs);
    linalg::solve_lower(factor, a);
    const Matrix b = times_factor(posterior, a, Transposed::yes);
    const Vector mean = inference::prior_means(problem, hyper, inputs) + a.transpose() * posterior.mean;
    const Vector variance = (covariance.outputscale + covariance.nugget - a.colwise().squaredNorm().transpose().array()).max(0.0) +
                            b.colwise().squaredNorm().transpose().array();
    Vector targets(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) targets[i] = problem.targets[batch[i]];
    const double weight = static_cast<double>(problem.num_observations()) / static_cast<double>(batch.size());
    const DataTerm data = data_term(context, problem, hyper, targets, mean, variance, weight);
    const double bound = data.value - divergence(posterior);
    if (gradient == nullptr) return bound;

    gradient->hyper.clear();
    gradient->hyper.log_likelihood_parameters = data.on_parameters;
    gradient->mean = a * data.on_mean - posterior.mean;
    const Matrix weighted = a * (2.0 * data.on_variance).asDiagonal();
    if (posterior.is_diagonal()) {
        gradient->factor = (weighted.cwiseProduct(b)).rowwise().sum() - posterior.factor;
        gradient->factor.array() += posterior.factor.array().inverse();
    } else {
        gradient->factor = linalg::lower_product(weighted, b) - posterior.factor;
        gradient->factor.diagonal().array() += posterior.factor.diagonal().array().inverse();
    }

    // dA = m g' + 2 (C C'A - A) G, then through A = L^{-1} K_zx.
    Matrix on_cross = posterior.mean * data.on_mean.transpose() - weighted;
    on_cross += times_factor(posterior, b, Transposed::no) * (2.0 * data.on_variance).asDiagonal();
    const Matrix on_prior = prior_adjoint(factor, on_cross, a);
    linalg::solve_lower(factor, on_cross, Transposed::yes);

    gradient->locations.setZero(problem.inducing.rows(), problem.inducing.cols());
    auto& on_covariance = gradient->hyper.covariance;
    // K_zz depends on each location twice, by its row and by its column.
    conditional::contract_cross(context, covariance, problem.inducing, problem.inducing, entries_of(on_prior), on_covariance,
                                &gradient->locations);
    gradient->locations *= 2.0;
    conditional::contract_cross(context, covariance, problem.inducing, inputs, entries_of(on_cross), on_covariance, &gradient->locations);
    const double own = data.on_variance.sum(), trace = on_prior.trace();
    on_covariance.log_outputscale += covariance.outputscale * (own + covariance.jitter * trace);
    on_covariance.log_nugget += covariance.nugget * (own + trace);
    gradient->hyper.prior_mean = data.on_mean.sum();
    for (std::size_t c = 0; c < problem.mean_columns.size(); ++c)
        gradient->hyper.prior_slopes[c] = data.on_mean.dot(inputs.col(problem.mean_columns[c]));
    return bound;
}

}  // namespace vnngp::rivals
