// Arithmetic on the values of all pairs of a block, [packed lower triangle][kLanes]. The diagonal is neither read nor written.
#pragma once

namespace vnngp::kernel {

/// out = a b; out may be a.
void multiply_pairs(int num_points, const double* a, const double* b, double* out);

/// out = scale values.
void scale_pairs(int num_points, double scale, const double* values, double* out);

/// out += scale values.
void add_scaled_pairs(int num_points, double scale, const double* values, double* out);

/// sums [kLanes] += sum over pairs of weight values.
void add_pair_sums(int num_points, const double* weight, const double* values, double* sums);

}  // namespace vnngp::kernel
