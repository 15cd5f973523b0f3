// The law of an observation y given the latent value f at its input, and what follows when f is itself uncertain, f ~ N(mean, variance).
// Every member works on a batch; all spans of one call have one length n (n = 0 is allowed). Objects are immutable: any number of threads
// may call one at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/base/random.hpp"

namespace vnngp::likelihood {

/// A positive number that is learned with the model, on its natural scale. Variances in units of the (standardized) target squared.
struct ParameterInfo {
    std::string name;  ///< "noise" (variance), "scale" (squared scale of Student-t), "degrees_of_freedom"
    double initial;
    double lower;
    double upper;
    bool is_variance = true;  ///< scales with the square of the target's unit
};

/// 0.6931: where variances start, as in the published training.
inline constexpr double kInitialVariance = std::numbers::ln2;

/// What is known of f at n points: independent normals. variance >= 0.
struct LatentMarginals {
    std::span<const double> mean;
    std::span<const double> variance;
    std::size_t size() const { return mean.size(); }
};

/// Where expected_log_density writes. An empty span is not wanted; what is written does not depend, to the bit, on what else is wanted.
struct ExpectedLogDensity {
    std::span<double> value = {};       ///< ell_i = E log p(y_i | f_i)   (E1)
    std::span<double> d_mean = {};      ///< d ell_i / d mean_i
    std::span<double> d_variance = {};  ///< d ell_i / d variance_i = E[(log p)''(f_i)] / 2
    /// A non-negative curvature to take Newton-like steps in the mean with (C3): -2 d_variance where log p is concave in f, and
    /// E[(nu+1) / (nu scale + (y-f)^2)] for Student-t. May underflow to 0.
    std::span<double> site_precision = {};
    /// d ell_i / d log(parameter_p) at [p * n + i]: num_parameters * n long.
    std::span<double> d_log_parameters = {};
};

/// Names row i of the user's data in a message, e.g. "line 12".
using RowDescription = std::function<std::string(std::size_t)>;

class Likelihood {
public:
    virtual ~Likelihood() = default;

    virtual std::string_view name() const = 0;
    /// Whether y given f is normal, with one parameter: its variance.
    virtual bool is_gaussian() const { return false; }
    /// In the order in which every `parameters` argument below lists their values.
    virtual std::span<const ParameterInfo> parameters() const = 0;
    /// Whether targets are centred and scaled before fitting; false where only their own values have a meaning (classes, counts).
    virtual bool standardizes_targets() const = 0;
    /// Throws InputError naming the first target that the law cannot produce. Any sample of possible values is usable, also a constant one.
    virtual void check_targets(std::span<const double> y, const RowDescription& describe_row) const = 0;
    /// Rough latent values behind the targets, up to scale and shift: what a Gaussian model may be fitted to for a first guess of the
    /// kernel's parameters. No target, however far out, has much leverage.
    virtual std::vector<double> rough_latent(std::span<const double> y) const = 0;
    /// A constant latent mean to start from; 0 for no targets.
    virtual double initial_mean(std::span<const double> y) const = 0;

    virtual void expected_log_density(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                                      const ExpectedLogDensity& out) const = 0;
    /// log p(y_i), p(y) = int p(y | f) N(f; mean_i, variance_i) df: a density, or a probability where y is discrete.
    virtual void log_predictive_density(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                                        std::span<double> out) const = 0;
    /// Mean and variance of y. The variance is +infinity where it does not exist (Student-t with degrees_of_freedom <= 2).
    virtual void predictive_moments(std::span<const double> parameters, const LatentMarginals& f, std::span<double> out_mean,
                                    std::span<double> out_variance) const = 0;
    /// The smallest value that y does not exceed with at least the given probability, in (0,1) (else InputError). Integers where y is
    /// discrete.
    virtual void predictive_quantile(std::span<const double> parameters, double probability, const LatentMarginals& f,
                                     std::span<double> out) const = 0;
    /// P(y <= y_i): the distribution function that predictive_quantile inverts.
    virtual void predictive_cdf(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                                std::span<double> out) const = 0;
    /// Continuous ranked probability score of the law of y at y_i: int (F(t) - 1{t >= y_i})^2 dt, in the unit of y; smaller is better.
    virtual void crps(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                      std::span<double> out) const = 0;
    /// An observation drawn given the latent value f.
    virtual double draw(std::span<const double> parameters, double f, RandomStream& stream) const = 0;
};

/// Throws InputError listing the known names.
std::unique_ptr<Likelihood> make_likelihood(std::string_view name);

/// "gaussian", "student-t", "bernoulli" (probit), "bernoulli-logit", "poisson" (log link).
std::vector<std::string> likelihood_names();

}  // namespace vnngp::likelihood
