// The inner loops of stationary kernels over one block of neighbourhoods; see kernel/kernel.hpp for the packing.
#pragma once

#include "kernel/profiles.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

// T is float or double; lanes are kLanesOf<T>. Shaped profiles and locations have no single precision.

/// Where the values of all pairs go, [packed lower triangle][lanes]. The slopes may be null; shape_slope is one of shaped profiles only.
template <class T>
struct PairValues {
    T* correlation;
    T* slope;
    T* shape_slope;
};

/// scaled [num_points][num_columns][lanes]: the chosen coordinates seen from the last point of the block, times factors.
void scale_columns(const LaneBlock& block, int num_columns, const int* columns, const double* factors, double* scaled);
void scale_columns(const LaneBlockOf<float>& block, int num_columns, const int* columns, const double* factors, float* scaled);

/// scaled [num_points][num_columns][lanes] are coordinates divided by length-scales, seen from a point of the block so that they are not
/// much larger than their differences. norms [num_points][lanes] is memory to work in. alpha: of a shaped profile.
void stationary_correlations(Profile profile, double alpha, int num_points, int num_columns, const double* scaled, double* norms,
                             const PairValues<double>& out);
void stationary_correlations(Profile profile, double alpha, int num_points, int num_columns, const float* scaled, float* norms,
                             const PairValues<float>& out);

/// gradient [num_columns][lanes] += sum over pairs of weight slope (scaled difference)^2.
void stationary_lengthscale_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                     double* workspace, double* gradient);
void stationary_lengthscale_gradient(int num_points, int num_columns, const float* scaled, const float* weight, const float* slope,
                                     float* workspace, float* gradient);
/// Values of memory to work in that it needs.
template <class T>
constexpr std::size_t lengthscale_workspace(int num_points) {
    return 5 * static_cast<std::size_t>(num_points) * linalg::kLanesOf<T>;
}

/// location_gradient [num_points][num_dims][kLanes] += the derivatives in the coordinates. Scaled column c is coordinate columns[c] of the
/// num_dims, times inverse_lengthscales[c].
void stationary_location_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                  const double* inverse_lengthscales, const int* columns, int num_dims, double* location_gradient);

}  // namespace vnngp::kernel
