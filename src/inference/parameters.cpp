#include "vnngp/inference/parameters.hpp"

#include <algorithm>
#include <cmath>

namespace vnngp::inference {
namespace {

constexpr double kSmallest = 1e-6;  ///< of the output scale, in standardised units
constexpr double kLargest = 1e6;
/// A latent function that is nearly linear over the data fits as well with any larger output scale and length-scales.
constexpr double kLargestOutputscale = 100.0;
constexpr double kLargestMean = 1e6;  ///< either sign

}  // namespace

ParameterVector::ParameterVector(const Problem& problem, Learned learned)
    : shape_size_(problem.kernel->num_parameters()),
      likelihood_size_(problem.likelihood->parameters().size()),
      num_slopes_(problem.mean_columns.size()),
      learned_(learned) {
    for (const auto& parameter : problem.kernel->parameters()) add_positive(parameter.lower, parameter.upper);
    add_positive(kSmallest, kLargestOutputscale);
    for (const auto& parameter : problem.likelihood->parameters()) add_positive(parameter.lower, parameter.upper);
    if (learned.nugget) add_positive(learned.smallest_nugget, kLargest);
    num_positive_ = lower_.size();
    if (!learned.mean) return;
    lower_.insert(lower_.end(), 1 + num_slopes_, -kLargestMean);
    upper_.insert(upper_.end(), 1 + num_slopes_, kLargestMean);
}

void ParameterVector::add_positive(double lower, double upper) {
    lower_.push_back(std::log(lower));
    upper_.push_back(std::log(upper));
}

std::vector<double> ParameterVector::raw(const Hyperparameters& hyper) const {
    std::vector<double> values = hyper.shape;
    values.push_back(hyper.outputscale);
    values.insert(values.end(), hyper.likelihood.begin(), hyper.likelihood.end());
    if (learned_.nugget) values.push_back(hyper.nugget);
    for (double& value : values) value = std::log(value);
    if (learned_.mean) {
        values.push_back(hyper.mean);
        values.insert(values.end(), hyper.slopes.begin(), hyper.slopes.end());
    }
    clamp(values);
    return values;
}

void ParameterVector::assign(std::span<const double> raw, Hyperparameters& hyper) const {
    std::size_t p = 0;
    const auto next = [&] { return std::clamp(raw[p], lower_[p], upper_[p]); };
    const auto positive = [&](double& value) {
        value = std::exp(next());
        ++p;
    };
    const auto any = [&](double& value) {
        value = next();
        ++p;
    };
    hyper.shape.resize(shape_size_);
    hyper.likelihood.resize(likelihood_size_);
    for (double& value : hyper.shape) positive(value);
    positive(hyper.outputscale);
    for (double& value : hyper.likelihood) positive(value);
    if (learned_.nugget) positive(hyper.nugget);
    if (!learned_.mean) return;
    hyper.slopes.resize(num_slopes_);
    any(hyper.mean);
    for (double& value : hyper.slopes) any(value);
}

std::vector<double> ParameterVector::gradient(const ElboGradient& elbo) const {
    std::vector<double> gradient = elbo.covariance.log_shape;
    gradient.push_back(elbo.covariance.log_outputscale);
    gradient.insert(gradient.end(), elbo.log_likelihood_parameters.begin(), elbo.log_likelihood_parameters.end());
    if (learned_.nugget) gradient.push_back(elbo.covariance.log_nugget);
    if (learned_.mean) {
        gradient.push_back(elbo.prior_mean);
        gradient.insert(gradient.end(), elbo.prior_slopes.begin(), elbo.prior_slopes.end());
    }
    return gradient;
}

ParameterVector::Box ParameterVector::box_around(std::span<const double> raw, double factor) const {
    Box box{lower_, upper_};
    for (std::size_t p = 0; p < num_positive_; ++p) {
        box.lower[p] = std::max(lower_[p], raw[p] - std::log(factor));
        box.upper[p] = std::min(upper_[p], raw[p] + std::log(factor));
    }
    return box;
}

bool ParameterVector::is_held_back(std::span<const double> raw, const Box& box) const {
    constexpr double kTouching = 1e-6;
    for (std::size_t p = 0; p < num_positive_; ++p) {
        if (box.lower[p] > lower_[p] && raw[p] < box.lower[p] + kTouching) return true;
        if (box.upper[p] < upper_[p] && raw[p] > box.upper[p] - kTouching) return true;
    }
    return false;
}

void ParameterVector::clamp(std::span<double> raw) const {
    for (std::size_t p = 0; p < raw.size(); ++p) raw[p] = std::clamp(raw[p], lower_[p], upper_[p]);
}

}  // namespace vnngp::inference
