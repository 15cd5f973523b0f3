// The inner loops of stationary kernels over one block of neighbourhoods; see kernel/kernel.hpp for the packing.
#pragma once

#include "kernel/profiles.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

/// Where the values of all pairs go, [packed lower triangle][kLanes]. The slopes may be null; shape_slope is one of shaped profiles only.
struct PairValues {
    double* correlation;
    double* slope;
    double* shape_slope;
};

/// scaled [num_points][num_columns][kLanes]: the chosen coordinates seen from the last point of the block, times factors.
void scale_columns(const LaneBlock& block, int num_columns, const int* columns, const double* factors, double* scaled);

/// scaled [num_points][num_columns][kLanes] are coordinates divided by length-scales, seen from a point of the block so that they are not
/// much larger than their differences. norms [num_points][kLanes] is memory to work in. alpha: of a shaped profile.
void stationary_correlations(Profile profile, double alpha, int num_points, int num_columns, const double* scaled, double* norms,
                             const PairValues& out);

/// gradient [num_columns][kLanes] += sum over pairs of weight slope (scaled difference)^2.
void stationary_lengthscale_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                     double* workspace, double* gradient);
/// Values of memory to work in that it needs.
constexpr std::size_t lengthscale_workspace(int num_points) { return 5 * static_cast<std::size_t>(num_points) * linalg::kLanes; }

/// location_gradient [num_points][num_dims][kLanes] += the derivatives in the coordinates. Scaled column c is coordinate columns[c] of the
/// num_dims, times inverse_lengthscales[c].
void stationary_location_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                  const double* inverse_lengthscales, const int* columns, int num_dims, double* location_gradient);

}  // namespace vnngp::kernel
