// Preconditioned conjugate gradients for a symmetric positive definite operator given by its product.
#pragma once

#include <functional>

#include "vnngp/base/types.hpp"

namespace vnngp::linalg {

using Operator = std::function<Vector(const Vector&)>;

struct PcgResult {
    Vector solution;
    int iterations = 0;
    double relative_residual = 0.0;  ///< |b - A x| / |b|, as tracked by the recurrence
};

/// Solves A x = b from `start` until the relative residual falls to `tolerance`, or for max_iterations: every iterate on the way lowers
/// the energy x'Ax / 2 - b'x, so a run cut short is still the best of its Krylov space. `preconditioner` applies an approximation of
/// A^{-1}, itself symmetric positive definite.
PcgResult conjugate_gradients(const Operator& product, const Operator& preconditioner, const Vector& b, Vector start, double tolerance,
                              int max_iterations);

}  // namespace vnngp::linalg
