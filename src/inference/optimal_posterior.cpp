#include "vnngp/inference/optimal_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/data_rows.hpp"
#include "inference/preconditioned_precision.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/linalg/conjugate_gradients.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kObservationsPerChunk = 512;
constexpr int kHalvings = 12;
constexpr double kRounding = 1e-9;  ///< of the bound
constexpr double kSafeShare = 0.2;
/// Where a likelihood is not log-concave, its curvature may take at most this share of the prior's from the precision of a point.
constexpr double kLargestLoss = 0.9;

/// What the bound and the likelihood look like at some q.
struct Evaluation {
    double elbo = 0.0;
    Vector latent;     ///< A (m - mu)
    Vector slope;      ///< g
    Vector site;       ///< lambda, for the step in m
    Vector curvature;  ///< -2 d ell / d variance, for the step in s
};

class Solver {
public:
    Solver(const Context& context, const Problem& problem, const Hyperparameters& hyper)
        : context_(context),
          problem_(problem),
          hyper_(hyper),
          prior_(context, covariance(problem, hyper), {problem.inducing, problem.inducing, problem.prior_graph}, problem.regions,
                 problem.prior_groups),
          data_(context, covariance(problem, hyper), problem),
          mean_at_inducing_(prior_means(problem, hyper, problem.inducing)),
          mean_at_data_(problem.at_sites() ? Vector(mean_at_inducing_(problem.sites)) : prior_means(problem, hyper, problem.inputs)),
          prior_precision_(prior_.variance.cwiseInverse()) {
        const Vector inverse = prior_precision_;
        prior_.add_transposed_squares(context, inverse, prior_precision_);
        jitter_ = prior_.jitter;
        jitter_.merge(data_.jitter());
    }

    Evaluation evaluate(const MeanField& q) const {
        const Vector centered = q.mean - mean_at_inducing_;
        Evaluation at;
        at.latent = data_.multiply(context_, centered);
        const Vector mean = at.latent + mean_at_data_, variance = data_.variances(context_, q.variance);
        const Eigen::Index count = problem_.num_observations();
        at.slope.resize(count);
        at.site.resize(count);
        at.curvature.resize(count);
        std::vector<double> ell(num_chunks(count, kObservationsPerChunk));
        parallel_chunks(context_, count, kObservationsPerChunk, [&](const Chunk& chunk) {
            const auto part = [&chunk](auto& v) { return std::span(v.data() + chunk.begin, chunk.end - chunk.begin); };
            std::vector<double> value(chunk.end - chunk.begin);
            problem_.likelihood->expected_log_density(
                hyper_.likelihood, part(problem_.targets), {part(mean), part(variance)},
                {.value = value, .d_mean = part(at.slope), .d_variance = part(at.curvature), .site_precision = part(at.site)});
            ell[chunk.number] = std::accumulate(value.begin(), value.end(), 0.0);
        });
        at.curvature *= -2.0;
        // Any positive lambda has the same fixed point. The likelihood's own curvature converges fastest; where it is small or negative,
        // a share of the safe one keeps the step bounded.
        at.site = at.curvature.cwiseMax(kSafeShare * at.site);
        at.elbo = std::accumulate(ell.begin(), ell.end(), 0.0) - divergence(centered, q.variance);
        return at;
    }

    /// Where a full step leads; m from the linear system.
    MeanField step(const MeanField& q, const Evaluation& at, const PosteriorOptions& options, OptimalPosterior& record) const {
        const Vector right = data_.multiply_transposed(context_, at.site.cwiseProduct(at.latent) + at.slope);
        PreconditionedPrecision system(context_, prior_, data_, at.site);
        const auto solved = linalg::conjugate_gradients(
            context_, [&](const Vector& y, Vector& image) { system.multiply(y, image); }, system.right_side(right),
            system.coordinates(q.mean - mean_at_inducing_), options.linear_tolerance, options.linear_iterations);
        record.linear_iterations = std::max(record.linear_iterations, solved.iterations);
        record.relative_residual = solved.relative_residual;
        const Vector curvature = data_.diagonal(context_, at.curvature).cwiseMax(-kLargestLoss * prior_precision_);
        return {system.at(solved.x) + mean_at_inducing_, (prior_precision_ + curvature).cwiseInverse()};
    }

    const conditional::JitterReport& jitter() const { return jitter_; }

private:
    // Eq. E3
    double divergence(const Vector& centered, const Vector& variance) const {
        const Vector r = centered - prior_.multiply(context_, centered);
        return 0.5 * (prior_.variance.array().log() - variance.array().log() - 1.0 + r.array().square() / prior_.variance.array() +
                      variance.array() * prior_precision_.array())
                         .sum();
    }

    const Context& context_;
    const Problem& problem_;
    const Hyperparameters& hyper_;
    StoredRows prior_;
    DataRows data_;
    Vector mean_at_inducing_, mean_at_data_;
    Vector prior_precision_;  ///< diag(Q)
    conditional::JitterReport jitter_;
};

MeanField between(const MeanField& a, const MeanField& b, double rho) {
    if (rho == 1.0) return b;
    return {(1.0 - rho) * a.mean + rho * b.mean,
            ((1.0 - rho) * a.variance.cwiseInverse() + rho * b.variance.cwiseInverse()).cwiseInverse()};
}

}  // namespace

MeanField prior_marginals(const Problem& problem, const Hyperparameters& hyper) {
    return {prior_means(problem, hyper, problem.inducing), Vector::Constant(problem.num_inducing(), hyper.outputscale + hyper.nugget)};
}

OptimalPosterior optimal_posterior(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& start,
                                   const PosteriorOptions& options) {
    const Solver solver(context, problem, hyper);
    OptimalPosterior best{start};
    best.jitter = solver.jitter();
    Evaluation at = solver.evaluate(best.q);
    best.trace.push_back(at.elbo);
    while (best.steps < options.steps && !best.converged) {
        const MeanField full = solver.step(best.q, at, options, best);
        double rho = 1.0;
        MeanField next = full;
        Evaluation there = solver.evaluate(next);
        for (int halving = 0; !(there.elbo >= at.elbo) && halving < kHalvings; ++halving) {
            rho *= 0.5;
            next = between(best.q, full, rho);
            there = solver.evaluate(next);
        }
        ++best.steps;
        const double gain = there.elbo - at.elbo;
        if (!std::isfinite(gain)) break;
        if (gain >= 0.0) {
            best.q = std::move(next);
            at = std::move(there);
            best.trace.push_back(at.elbo);
        }
        // A step that at no length rises has met the rounding of the bound, unless it falls by more than that.
        const double enough = options.tolerance * problem.num_observations();
        if (gain < -std::max(enough, kRounding * std::abs(at.elbo))) break;
        best.converged = gain <= enough;
    }
    best.elbo = at.elbo;
    return best;
}

}  // namespace vnngp::inference
