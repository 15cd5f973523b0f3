// The inner loops of stationary kernels over one block of neighbourhoods; see kernel/kernel.hpp for the packing.
#pragma once

#include "kernel/profiles.hpp"

namespace vnngp::kernel {

/// scaled [num_points][num_dims][kLanes] are coordinates divided by length-scales. slope may be null.
void stationary_correlations(Profile profile, int num_points, int num_dims, const double* scaled, double* correlation, double* slope);

/// gradient [num_dims][kLanes] += sum over pairs of weight slope (scaled difference)^2.
void stationary_lengthscale_gradient(int num_points, int num_dims, const double* scaled, const double* weight, const double* slope,
                                     double* gradient);

/// location_gradient [num_points][num_dims][kLanes] += the derivatives in the coordinates; inverse_lengthscales [num_dims].
void stationary_location_gradient(int num_points, int num_dims, const double* scaled, const double* weight, const double* slope,
                                  const double* inverse_lengthscales, double* location_gradient);

}  // namespace vnngp::kernel
