// The hyperparameters as one vector of unconstrained numbers, for optimisers.
#pragma once

#include <span>
#include <vector>

#include "vnngp/inference/elbo.hpp"

namespace vnngp::inference {

/// Which of the hyperparameters are learned besides those of the kernel and the likelihood.
struct Learned {
    bool nugget = true;
    bool mean = true;               ///< with its slopes
    double smallest_nugget = 1e-9;  ///< in standardised units
};

/// Positive quantities enter by their logarithms: a step of an optimiser then changes a large length-scale by the same factor as a small
/// one. Order: kernel shape, output scale, likelihood parameters, nugget, mean, slopes of the mean.
class ParameterVector {
public:
    ParameterVector(const Problem& problem, Learned learned);

    std::size_t size() const { return lower_.size(); }
    std::vector<double> raw(const Hyperparameters& hyper) const;
    /// `hyper` keeps what is not learned.
    void assign(std::span<const double> raw, Hyperparameters& hyper) const;
    /// The bound's derivatives in the raw numbers.
    std::vector<double> gradient(const ElboGradient& elbo) const;
    /// Of the raw numbers.
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    /// The bounds drawn in to where every positive quantity is within a factor of what it is at `raw`.
    struct Box {
        std::vector<double> lower, upper;
    };
    Box box_around(std::span<const double> raw, double factor) const;
    /// Whether a number is at a side of the box that is not a bound.
    bool is_held_back(std::span<const double> raw, const Box& box) const;
    /// Brings numbers that an optimiser pushed over a bound back to it.
    void clamp(std::span<double> raw) const;

private:
    void add_positive(double lower, double upper);

    std::vector<double> lower_, upper_;
    std::size_t shape_size_;
    std::size_t likelihood_size_;
    std::size_t num_slopes_;
    std::size_t num_positive_;  ///< the first so many numbers are logarithms
    Learned learned_;
};

}  // namespace vnngp::inference
