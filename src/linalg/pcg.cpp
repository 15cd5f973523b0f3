#include "vnngp/linalg/pcg.hpp"

namespace vnngp::linalg {

PcgResult conjugate_gradients(const std::function<Vector(const Vector&)>& product, const Vector& diagonal, const Vector& b,
                              double tolerance, int max_iterations) {
    PcgResult result{Vector::Zero(b.size())};
    const double size = b.norm();
    if (size == 0.0) return result;
    Vector residual = b, preconditioned = residual.cwiseQuotient(diagonal), direction = preconditioned;
    double energy = residual.dot(preconditioned);
    for (result.relative_residual = 1.0; result.relative_residual > tolerance && result.iterations < max_iterations; ++result.iterations) {
        const Vector image = product(direction);
        const double step = energy / direction.dot(image);
        result.solution += step * direction;
        residual -= step * image;
        preconditioned = residual.cwiseQuotient(diagonal);
        const double next = residual.dot(preconditioned);
        direction = preconditioned + (next / energy) * direction;
        energy = next;
        result.relative_residual = residual.norm() / size;
    }
    return result;
}

}  // namespace vnngp::linalg
