// The few value types every room shares.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace vnngp {

/// Number of a point within one data set: rows of a neighbour graph, entries of m and s.
/// 32 bits by role: the neighbour graph is the largest array of the program and stores one per edge.
using Index = std::int32_t;

/// Points, one per row, row-major so that a point's coordinates are contiguous.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One number per point.
using Vector = Eigen::VectorXd;

}  // namespace vnngp
