// Conjugate gradients with a diagonal preconditioner for a symmetric positive definite operator given by its product.
#pragma once

#include <functional>

#include "vnngp/base/types.hpp"

namespace vnngp::linalg {

struct PcgResult {
    Vector solution;
    int iterations = 0;
    double relative_residual = 0.0;  ///< |b - A x| / |b|, as tracked by the recurrence
};

/// Solves A x = b from x = 0 until the relative residual falls to `tolerance`, or for max_iterations: every iterate on the way lowers
/// the energy x'Ax / 2 - b'x, so a run cut short is still the best of its Krylov space.
PcgResult conjugate_gradients(const std::function<Vector(const Vector&)>& product, const Vector& diagonal, const Vector& b,
                              double tolerance, int max_iterations);

}  // namespace vnngp::linalg
