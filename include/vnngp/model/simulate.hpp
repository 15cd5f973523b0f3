// Data drawn from a known Gaussian process, for trying things out and for measuring against the truth.
#pragma once

#include <string>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp {

struct SimulateOptions {
    Index points = 20000;
    int dims = 2;
    std::string kernel = "matern32";
    std::vector<double> lengthscales = {0.1};  ///< one for all dimensions, or one each; inputs fill the unit cube
    double outputscale = 1.0;                  ///< variance of the latent field
    double mean = 0.0;                         ///< of the latent field
    std::string likelihood = "gaussian";
    double noise = 0.05;              ///< variance of the noise (gaussian), squared scale (student-t)
    double degrees_of_freedom = 4.0;  ///< student-t
    Index neighbors = 64;             ///< each point is drawn given this many nearest earlier ones: the field is exact as this grows
};

struct Simulation {
    Points inputs;
    Vector latent;
    Vector targets;
};

/// Throws InputError naming the option for values that make no sense.
Simulation simulate(const SimulateOptions& options, const Context& context = {});

/// The field at given inputs, in any order, instead of `points` random ones in the unit cube (`points` and `dims` are taken from them).
Simulation simulate_at(Points inputs, SimulateOptions options, const Context& context = {});

}  // namespace vnngp
