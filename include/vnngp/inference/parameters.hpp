// The hyperparameters as one vector of unconstrained numbers, for optimisers.
#pragma once

#include <span>
#include <vector>

#include "vnngp/inference/elbo.hpp"

namespace vnngp::inference {

/// Positive quantities enter by their logarithms: a step of an optimiser then changes a large length-scale by the same factor as a small
/// one. Order: kernel shape, output scale, likelihood parameters, nugget (when learned), mean.
class ParameterVector {
public:
    ParameterVector(const Problem& problem, bool learn_nugget);

    std::size_t size() const { return bounds_.size() + 1; }
    std::vector<double> raw(const Hyperparameters& hyper) const;
    /// `hyper` keeps what is not learned.
    void assign(std::span<const double> raw, Hyperparameters& hyper) const;
    /// The bound's derivatives in the raw numbers.
    std::vector<double> gradient(const ElboGradient& elbo) const;
    /// Brings numbers that an optimiser pushed over a bound back to it.
    void clamp(std::span<double> raw) const;

private:
    struct Bounds {
        double lower, upper;
    };
    std::vector<Bounds> bounds_;  ///< of the positive quantities
    std::size_t shape_size_;
    std::size_t likelihood_size_;
    bool learn_nugget_;
};

}  // namespace vnngp::inference
