// The kernels of which expressions are made, one function for each kind. `name` is what Kernel::name() returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/profiles.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

/// The coordinates of the inputs that a kernel depends on, and the length-scales they are measured in.
struct ScaledColumns {
    int num_dims = 0;                     ///< coordinates of a point, those of all inputs
    std::vector<int> columns;             ///< which of them matter
    std::vector<int> lengthscale;         ///< for each of these, the number of its length-scale
    std::vector<Parameter> lengthscales;  ///< one per input
};

/// alpha: the parameter of a shaped profile, nothing for the others.
std::unique_ptr<Kernel> make_stationary(std::string name, Profile profile, ScaledColumns inputs, std::optional<Parameter> alpha);

struct PeriodicColumn {
    int num_dims = 0;
    int column = 0;
    Parameter lengthscale;               ///< of the sine, without unit
    Parameter period;                    ///< learned when it is not given
    std::optional<double> given_period;  ///< in units of the coordinate
};
std::unique_ptr<Kernel> make_periodic(std::string name, PeriodicColumn input);

/// The product of its parts.
std::unique_ptr<Kernel> make_product(std::string name, std::vector<std::unique_ptr<Kernel>> parts);

/// (k_1 + sum_i w_i k_i) / (1 + sum_i w_i): parameters are those of the parts, then the weights of all parts but the first.
std::unique_ptr<Kernel> make_mixture(std::string name, std::vector<std::unique_ptr<Kernel>> parts, std::vector<Parameter> weights);

}  // namespace vnngp::kernel
