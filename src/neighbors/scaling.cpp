#include "scaling.hpp"

#include <algorithm>
#include <cmath>

namespace vnngp::neighbors {
namespace {

constexpr int kSmallestExponent = -1000;  // 2^1000 is still finite

}  // namespace

Scaling scaling_of(const Points& points) {
    Scaling result{points.colwise().mean(), 1.0, 0.0};
    double largest = 0.0;
    for (Eigen::Index i = 0; i < points.rows(); ++i)
        for (Eigen::Index k = 0; k < points.cols(); ++k) largest = std::max(largest, std::abs(points(i, k) - result.centre(k)));
    if (largest == 0.0) return result;
    int exponent = 0;
    std::frexp(largest, &exponent);
    result.scale = std::ldexp(1.0, -std::max(exponent, kSmallestExponent));
    double largest_square = 0.0;
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        double square = 0.0;
        for (Eigen::Index k = 0; k < points.cols(); ++k) {
            const double value = result(points(i, k), k);
            square += value * value;
        }
        largest_square = std::max(largest_square, square);
    }
    result.largest_norm = std::sqrt(largest_square) * (1.0 + 1e-10);
    return result;
}

}  // namespace vnngp::neighbors
