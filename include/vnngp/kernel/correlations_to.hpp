// Correlations of one point with many.
#pragma once

#include <span>

#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

/// out[i] = k(target, points.row(candidates[i])). target has points.cols() coordinates.
void correlations_to(const Kernel& kernel, std::span<const double> parameters, const Points& points, std::span<const Index> candidates,
                     const double* target, std::span<double> out);

}  // namespace vnngp::kernel
