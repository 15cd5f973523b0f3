// The inner loops of stationary kernels over all points of one set against all of another; see CrossBlockOf for the layout.
#pragma once

#include "kernel/stationary_lanes.hpp"

namespace vnngp::kernel {

// T is float or double. x and y [num_columns][kCrossSide] are coordinates divided by length-scales; memory is 64-byte aligned.

void cross_values(Profile profile, double alpha, int num_columns, const double* x, const double* y, const PairValues<double>& out);
void cross_values(Profile profile, double alpha, int num_columns, const float* x, const float* y, const PairValues<float>& out);

/// With v = weight slope and d = x_p - y_q: stretch [num_columns] = sum over pairs of v d^2; pull [num_columns][kCrossSide], unless null,
/// = sum over q of v d. v [kCrossSide][kCrossSide] is memory to work in.
void cross_moments(int num_columns, const double* x, const double* y, const double* weight, const double* slope, double* v, double* stretch,
                   double* pull);
void cross_moments(int num_columns, const float* x, const float* y, const float* weight, const float* slope, float* v, float* stretch,
                   float* pull);

}  // namespace vnngp::kernel
