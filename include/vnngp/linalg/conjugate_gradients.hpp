// Conjugate gradients for a symmetric positive definite operator given by its product. A preconditioner is the caller's: with R'R close to
// A, the system R^{-T} A R^{-1} y = R^{-T} b is the one to solve.
#pragma once

#include <functional>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::linalg {

/// image <- A x
using Operator = std::function<void(const Vector& x, Vector& image)>;

struct LinearSolution {
    Vector x;
    int iterations = 0;
    double relative_residual = 0.0;  ///< |b - A x| / |b|, as tracked by the recurrence
};

/// Solves A x = b from `start` until the relative residual falls to `tolerance`, or for max_iterations: every iterate on the way lowers
/// the energy x'Ax / 2 - b'x, so a run cut short is still the best of its Krylov space. The result does not depend on the number of
/// threads, if the operator's does not.
LinearSolution conjugate_gradients(const Context& context, const Operator& product, const Vector& b, Vector start, double tolerance,
                                   int max_iterations);

}  // namespace vnngp::linalg
