// A large symmetric matrix in single precision, kept for products with a few columns.
#pragma once

#include <Eigen/Core>

#include "vnngp/base/context.hpp"
#include "vnngp/linalg/dense.hpp"
#include "vnngp/linalg/lanes.hpp"

namespace vnngp::linalg {

/// The lower triangle in panels of kRows rows, each with its columns one behind another: half the memory of the whole matrix, which a
/// product reads from the first byte to the last.
class SymmetricPanels {
public:
    static constexpr Eigen::Index kRows = 256;

    /// Entries are zero then, unless the order is what it was: nothing changes in that case.
    void resize(Eigen::Index order);
    Eigen::Index order() const { return order_; }
    Eigen::Index num_panels() const { return panels_of(order_); }
    static std::size_t bytes(Eigen::Index order) { return sizeof(float) * first_of(panels_of(order)); }

    /// On or below the diagonal. Entries of a column follow one another as far as their panel goes.
    float& operator()(Eigen::Index row, Eigen::Index col) { return entries_[first_of(row / kRows) + col * kRows + row % kRows]; }
    /// [column][kRows], up to the columns of the block on the diagonal. Of that block what is above the diagonal is undefined; rows and
    /// columns behind the last are zero.
    const float* panel(Eigen::Index number) const { return entries_.data() + first_of(number); }

private:
    static Eigen::Index panels_of(Eigen::Index order) { return (order + kRows - 1) / kRows; }
    static std::size_t first_of(Eigen::Index panel) { return static_cast<std::size_t>(panel * (panel + 1) / 2) * kRows * kRows; }

    Eigen::Index order_ = 0;
    LaneBufferOf<float> entries_;
};

/// a b. By the library's own threads, the same at any number of them; for few columns.
FloatMatrix symmetric_product(const Context& context, const SymmetricPanels& a, const FloatMatrix& b);

}  // namespace vnngp::linalg
