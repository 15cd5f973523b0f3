// Stochastic variational Gaussian processes (Hensman et al. 2013): M inducing points with a joint posterior, whitened.
//
//     u = mu + L v,  L L' = K_zz,   q(v) = N(m, C C'),   A = L^{-1} K_zx:
//     q(f_i) = N(mu_i + A_i'm, k_ii - A_i'A_i + |C'A_i|^2),   KL = (|C|_F^2 + |m|^2 - M) / 2 - sum_j log|C_jj|.
#pragma once

#include <span>

#include "vnngp/inference/parameters.hpp"
#include "vnngp/linalg/dense.hpp"

namespace vnngp::rivals {

/// q(v).
struct WhitenedPosterior {
    Vector mean;
    linalg::Matrix factor;  ///< C, of which the lower triangle counts; M x 1 for mean field: the diagonal of C

    bool is_diagonal() const { return factor.cols() == 1 && factor.rows() > 1; }
};

/// The prior: m = 0, C = I.
WhitenedPosterior whitened_prior(Index inducing, bool diagonal);

/// Derivatives of the bound.
struct SvgpGradient {
    Vector mean;
    linalg::Matrix factor;  ///< of the shape of WhitenedPosterior::factor; zero above the diagonal
    Points locations;       ///< d/dZ
    inference::ElboGradient hyper;
};

/// The bound on the observations `batch`, each counted N / |batch| times. problem: every observation has its input, none a site; graphs are
/// not used. gradient, unless null, is overwritten. With Problem::single_precision, what follows A is in single precision,
/// unless K_zz is too close to singular for that; covariances, their factor and A never are.
double svgp_bound(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                  const WhitenedPosterior& posterior, std::span<const Index> batch, SvgpGradient* gradient = nullptr,
                  conditional::JitterReport* jitter = nullptr);

/// The same for one batch after another, whose large matrices it keeps.
class SvgpBound {
public:
    double operator()(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                      const WhitenedPosterior& posterior, std::span<const Index> batch, SvgpGradient* gradient = nullptr,
                      conditional::JitterReport* jitter = nullptr);

private:
    template <class T>
    struct Products {
        linalg::MatrixOf<T> c, a, b, on_a, lower;  ///< C or L, A, C'A, dA, and of a product the lower triangle

        void forward(const WhitenedPosterior& posterior, const linalg::Matrix& whitened);
        void backward(const WhitenedPosterior& posterior, const Vector& on_mean, const Vector& on_variance, linalg::Matrix& on_factor);
        void through_factor(const linalg::Matrix& factor);
    };
    template <class T>
    double bound(Products<T>& products, const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                 const conditional::Covariance& covariance, const WhitenedPosterior& posterior, std::span<const Index> batch,
                 SvgpGradient* gradient);

    linalg::Matrix factor_, whitened_;  ///< L, A
    Products<double> double_;
    Products<float> single_;
};

/// Where the bound on all observations is largest, for a Gaussian likelihood and given hyperparameters (Titsias 2009):
///     q(v) = N(P^{-1} A (y - mu) / noise, P^{-1}),   P = I + A A' / noise.
/// A is computed for `batch` observations at a time.
WhitenedPosterior svgp_optimum(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                               Index batch, conditional::JitterReport* jitter = nullptr);

struct SvgpOptions {
    int epochs = 300;
    Index batch = 1024;
    double learning_rate = 0.01;
    bool learn_hyperparameters = true;
    bool learn_mean = true;
    bool learn_locations = true;
    bool diagonal = false;  ///< mean field
};

struct SvgpResult {
    inference::Hyperparameters hyper;
    WhitenedPosterior posterior;
    double elbo = 0.0;
    std::vector<double> trace;  ///< the bound per observation, averaged over each epoch's minibatches
    std::int64_t steps = 0;
    bool converged = false;
    conditional::JitterReport jitter;
};

/// Adam on minibatches, as published; problem.inducing follows the learned locations. Where nothing but a joint q(v) and locations is left
/// to learn of a Gaussian likelihood, no steps are taken: q(v) is the optimum, and locations stay as they are.
SvgpResult fit_svgp(const Context& context, inference::Problem& problem, inference::Hyperparameters hyper, const SvgpOptions& options);

}  // namespace vnngp::rivals
