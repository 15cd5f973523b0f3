// A symmetric matrix in single precision times a few columns, one block of its rows at a time.
#pragma once

#include <cstddef>

namespace vnngp::linalg {

inline constexpr int kSymmetricRows = 512;   ///< of a block
inline constexpr int kSymmetricColumns = 3;  ///< the number of columns must be a multiple of this

/// With A [cols][stride], kSymmetricRows rows by `cols` columns (a multiple of 4), and x, y [num_columns][...]:
///     y_rows += A x_cols,  y_cols += A' x_rows.
/// x_rows and y_rows are [num_columns][kSymmetricRows], x_cols and y_cols [num_columns][cols_stride].
void add_both_products(int cols, const float* a, std::size_t stride, int num_columns, const float* x_rows, float* y_rows,
                       const float* x_cols, float* y_cols, std::size_t cols_stride);

}  // namespace vnngp::linalg
