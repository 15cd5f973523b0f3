#include "vnngp/inference/parameters.hpp"

#include <algorithm>
#include <cmath>

namespace vnngp::inference {
namespace {

constexpr double kSmallest = 1e-6;  ///< of the output scale, in standardised units
constexpr double kSmallestNugget = 1e-9;
constexpr double kLargest = 1e6;

}  // namespace

ParameterVector::ParameterVector(const Problem& problem, bool learn_nugget)
    : shape_size_(problem.kernel->num_parameters()),
      likelihood_size_(problem.likelihood->parameters().size()),
      learn_nugget_(learn_nugget) {
    for (const auto& parameter : problem.kernel->parameters()) bounds_.push_back({parameter.lower, parameter.upper});
    bounds_.push_back({kSmallest, kLargest});
    for (const auto& parameter : problem.likelihood->parameters()) bounds_.push_back({parameter.lower, parameter.upper});
    if (learn_nugget) bounds_.push_back({kSmallestNugget, kLargest});
}

std::vector<double> ParameterVector::raw(const Hyperparameters& hyper) const {
    std::vector<double> values = hyper.shape;
    values.push_back(hyper.outputscale);
    values.insert(values.end(), hyper.likelihood.begin(), hyper.likelihood.end());
    if (learn_nugget_) values.push_back(hyper.nugget);
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = std::log(std::clamp(values[p], bounds_[p].lower, bounds_[p].upper));
    values.push_back(hyper.mean);
    return values;
}

void ParameterVector::assign(std::span<const double> raw, Hyperparameters& hyper) const {
    const auto value = [&](std::size_t p) { return std::clamp(std::exp(raw[p]), bounds_[p].lower, bounds_[p].upper); };
    hyper.shape.resize(shape_size_);
    hyper.likelihood.resize(likelihood_size_);
    for (std::size_t p = 0; p < shape_size_; ++p) hyper.shape[p] = value(p);
    hyper.outputscale = value(shape_size_);
    for (std::size_t p = 0; p < likelihood_size_; ++p) hyper.likelihood[p] = value(shape_size_ + 1 + p);
    if (learn_nugget_) hyper.nugget = value(bounds_.size() - 1);
    hyper.mean = raw[bounds_.size()];
}

std::vector<double> ParameterVector::gradient(const ElboGradient& elbo) const {
    std::vector<double> gradient = elbo.covariance.log_shape;
    gradient.push_back(elbo.covariance.log_outputscale);
    gradient.insert(gradient.end(), elbo.log_likelihood_parameters.begin(), elbo.log_likelihood_parameters.end());
    if (learn_nugget_) gradient.push_back(elbo.covariance.log_nugget);
    gradient.push_back(elbo.prior_mean);
    return gradient;
}

void ParameterVector::clamp(std::span<double> raw) const {
    for (std::size_t p = 0; p < bounds_.size(); ++p) raw[p] = std::clamp(raw[p], std::log(bounds_[p].lower), std::log(bounds_[p].upper));
}

}  // namespace vnngp::inference
