#include "vnngp/linalg/pcg.hpp"

namespace vnngp::linalg {

PcgResult conjugate_gradients(const Operator& product, const Operator& preconditioner, const Vector& b, Vector start, double tolerance,
                              int max_iterations) {
    PcgResult result{std::move(start)};
    const double size = b.norm();
    if (size == 0.0) {
        result.solution.setZero();
        return result;
    }
    Vector residual = b - product(result.solution);
    result.relative_residual = residual.norm() / size;
    Vector direction = Vector::Zero(b.size());
    double energy = 1.0;
    while (result.relative_residual > tolerance && result.iterations < max_iterations) {
        const Vector preconditioned = preconditioner(residual);
        const double next = residual.dot(preconditioned);
        direction = preconditioned + (next / energy) * direction;
        energy = next;
        const Vector image = product(direction);
        const double step = energy / direction.dot(image);
        result.solution += step * direction;
        residual -= step * image;
        result.relative_residual = residual.norm() / size;
        ++result.iterations;
    }
    return result;
}

}  // namespace vnngp::linalg
