#include "vnngp/linalg/conjugate_gradients.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "vnngp/base/parallel.hpp"

namespace vnngp::linalg {
namespace {

constexpr std::int64_t kEntriesPerChunk = 8192;

/// The sum of body(first, size) over pieces of a vector, always the same pieces in the same order.
template <class Body>
double sum_over_pieces(const Context& context, Eigen::Index size, const Body& body) {
    std::vector<double> sums(num_chunks(size, kEntriesPerChunk));
    parallel_chunks(context, size, kEntriesPerChunk,
                    [&](const Chunk& chunk) { sums[chunk.number] = body(chunk.begin, chunk.end - chunk.begin); });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

LinearSolution conjugate_gradients(const Context& context, const Operator& product, const Vector& b, Vector start, double tolerance,
                                   int max_iterations) {
    LinearSolution result{std::move(start)};
    const Eigen::Index size = b.size();
    const double norm = b.norm();
    if (norm == 0.0) {
        result.x.setZero();
        return result;
    }
    Vector image(size);
    product(result.x, image);
    Vector residual = b - image, direction = Vector::Zero(size);
    double before = 1.0, squares = residual.squaredNorm();
    result.relative_residual = std::sqrt(squares) / norm;
    while (result.relative_residual > tolerance && result.iterations < max_iterations) {
        sum_over_pieces(context, size, [&](Eigen::Index first, Eigen::Index count) {
            direction.segment(first, count) = residual.segment(first, count) + (squares / before) * direction.segment(first, count);
            return 0.0;
        });
        product(direction, image);
        const double curvature = sum_over_pieces(context, size, [&](Eigen::Index first, Eigen::Index count) {
            return direction.segment(first, count).dot(image.segment(first, count));
        });
        before = squares;
        const double step = squares / curvature;
        squares = sum_over_pieces(context, size, [&](Eigen::Index first, Eigen::Index count) {
            result.x.segment(first, count) += step * direction.segment(first, count);
            residual.segment(first, count) -= step * image.segment(first, count);
            return residual.segment(first, count).squaredNorm();
        });
        result.relative_residual = std::sqrt(squares) / norm;
        ++result.iterations;
    }
    return result;
}

}  // namespace vnngp::linalg
