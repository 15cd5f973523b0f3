// The evidence lower bound (Eq. E1 - E3) and its gradient (Eq. G1 - G2), over all terms or any minibatch of them.
#pragma once

#include <span>

#include "vnngp/base/context.hpp"
#include "vnngp/inference/problem.hpp"

namespace vnngp::inference {

/// Terms of the bound and what each counts for. For uniformly drawn terms the weights N / |I| and M / |J| make the sum unbiased.
struct Minibatch {
    std::span<const Index> observations;  ///< I
    std::span<const Index> inducing;      ///< J
    double observation_weight = 1.0;
    double inducing_weight = 1.0;
    std::span<const std::int64_t> inducing_groups = {};  ///< see conditional::RowList; only of all points
};

/// The weighted minibatch of the given terms of a problem.
Minibatch minibatch(const Problem& problem, std::span<const Index> observations, std::span<const Index> inducing);

/// Derivatives of the bound. Only entries of `touched` points are non-zero in the arrays over inducing points; clear() costs as much as
/// there are touched entries, so a step never costs O(M).
class ElboGradient {
public:
    /// with_locations: also differentiate in the inducing points' coordinates. with_posterior = false: in the hyperparameters alone, which
    /// is all that is not zero at the optimum of q(u).
    ElboGradient(const Problem& problem, bool with_locations, bool with_posterior = true);
    void clear();

    Vector mean;       ///< d/dm
    Vector variance;   ///< d/ds
    Points locations;  ///< d/dZ, empty unless asked for
    conditional::CovarianceGradient covariance;
    double prior_mean = 0.0;
    std::vector<double> prior_slopes;
    std::vector<double> log_likelihood_parameters;

    std::span<const Index> touched() const { return std::span(touched_).first(num_touched_); }
    /// Without a branch, which no processor could predict.
    void touch(Index j) {
        touched_[num_touched_] = j;
        num_touched_ += 1 - static_cast<std::size_t>(is_touched_[j]);
        is_touched_[j] = 1;
    }
    bool with_locations() const { return locations.rows() > 0; }
    bool with_posterior() const { return !is_touched_.empty(); }

private:
    std::vector<Index> touched_;  ///< room for all, and one more
    std::size_t num_touched_ = 0;
    std::vector<unsigned char> is_touched_;
};

/// Marks every inducing point whose q(u_j) or location the minibatch's terms depend on: before elbo() with a gradient in q(u).
void touch_terms(const Problem& problem, const Minibatch& batch, ElboGradient& gradient);

/// The bound's value on the minibatch; with a gradient, its derivatives are added to it. The value is the same either way, and neither
/// depends on the number of threads.
double elbo(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior,
            const Minibatch& batch, ElboGradient* gradient = nullptr, conditional::JitterReport* jitter = nullptr);

/// The bound over all terms.
double full_elbo(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior,
                 ElboGradient* gradient = nullptr, conditional::JitterReport* jitter = nullptr);

}  // namespace vnngp::inference
