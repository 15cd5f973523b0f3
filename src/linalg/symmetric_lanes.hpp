// A panel of a symmetric matrix in single precision times a few columns, and its mirror image as well.
#pragma once

#include <cstddef>

#include "vnngp/linalg/symmetric_panels.hpp"

namespace vnngp::linalg {

inline constexpr int kPanelRows = SymmetricPanels::kRows;
inline constexpr int kSymmetricColumns = 3;  ///< the number of columns must be a multiple of this

/// With A [cols][kPanelRows] (cols: a multiple of 4) and x, y [num_columns][...]:
///     y_rows += A x_cols,  y_cols += A' x_rows.
/// x_rows and y_rows are [num_columns][kPanelRows], x_cols and y_cols [num_columns][cols_stride].
void add_both_products(int cols, const float* a, int num_columns, const float* x_rows, float* y_rows, const float* x_cols, float* y_cols,
                       std::size_t cols_stride);

}  // namespace vnngp::linalg
