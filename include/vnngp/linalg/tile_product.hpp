// A product of two thin matrices, tile by tile: for threads that each compute tiles of it, where BLAS would use threads of its own.
#pragma once

#include <cstddef>

namespace vnngp::linalg {

/// to[q * to_stride + p] = sum_k a[k * a_stride + p] b[q * depth + k] for p < rows, q < cols and k < depth.
void tile_product(int rows, int cols, int depth, const double* a, std::size_t a_stride, const double* b, double* to, std::size_t to_stride);

}  // namespace vnngp::linalg
