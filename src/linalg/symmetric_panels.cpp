#include "vnngp/linalg/symmetric_panels.hpp"

#include <algorithm>

#include "linalg/symmetric_lanes.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::linalg {

namespace {

constexpr int kParts = 8;  ///< of the work, each with its own sums

/// Panels of A x, each with its mirror image. x and y are [num_columns][padded], padded with zeros to whole panels.
class Part {
public:
    Part(const SymmetricPanels& a, int num_columns, int padded, const float* x, float* y)
        : a_(a),
          num_columns_(num_columns),
          padded_(padded),
          x_(x),
          y_(y),
          x_rows_(static_cast<std::size_t>(num_columns) * kPanelRows),
          y_rows_(x_rows_.size()),
          triangle_(static_cast<std::size_t>(kPanelRows) * kPanelRows, 0.0F) {}

    void add_panel(int number) {
        const float* const panel = a_.panel(number);
        const int first = number * kPanelRows;
        for (int j = 0; j < num_columns_; ++j) std::copy_n(x_ + offset(j, first), kPanelRows, x_rows_.data() + j * kPanelRows);
        std::fill(y_rows_.begin(), y_rows_.end(), 0.0F);
        add(first, panel, 0);
        // The triangle on the diagonal with half of the diagonal: both products together are the whole.
        const float* const block = panel + static_cast<std::size_t>(first) * kPanelRows;
        for (int k = 0; k < kPanelRows; ++k) {
            const int diagonal = k * kPanelRows + k;
            std::copy(block + diagonal, block + (k + 1) * kPanelRows, triangle_.begin() + diagonal);
            triangle_[diagonal] *= 0.5F;
        }
        add(kPanelRows, triangle_.data(), first);
        for (int j = 0; j < num_columns_; ++j)
            for (int p = 0; p < kPanelRows; ++p) y_[offset(j, first) + p] += y_rows_[j * kPanelRows + p];
    }

private:
    std::size_t offset(int column, int row) const { return static_cast<std::size_t>(column) * padded_ + row; }
    void add(int cols, const float* a, int first_col) {
        add_both_products(cols, a, num_columns_, x_rows_.data(), y_rows_.data(), x_ + first_col, y_ + first_col,
                          static_cast<std::size_t>(padded_));
    }

    const SymmetricPanels& a_;
    int num_columns_, padded_;
    const float* x_;
    float* y_;
    LaneBufferOf<float> x_rows_, y_rows_, triangle_;
};

}  // namespace

void SymmetricPanels::resize(Eigen::Index order) {
    if (order == order_) return;
    order_ = order;
    entries_ = {};
    entries_.reserve(first_of(num_panels()));
    prefer_large_pages(entries_.data(), bytes(order));
    entries_.resize(first_of(num_panels()), 0.0F);
}

// BLAS packs all of A anew for every product, twice, which costs more than the product when b has few columns.
FloatMatrix symmetric_product(const Context& context, const SymmetricPanels& a, const FloatMatrix& b) {
    const int n = static_cast<int>(b.rows()), panels = static_cast<int>(a.num_panels()), padded = panels * kPanelRows;
    const int num_columns = (static_cast<int>(b.cols()) + kSymmetricColumns - 1) / kSymmetricColumns * kSymmetricColumns;
    const std::size_t size = static_cast<std::size_t>(num_columns) * padded;
    LaneBufferOf<float> x(size, 0.0F), sums(kParts * size, 0.0F);
    for (Eigen::Index j = 0; j < b.cols(); ++j) std::copy_n(b.col(j).data(), n, x.data() + j * padded);
    parallel_chunks(context, kParts, 1, [&](const Chunk& chunk) {
        Part part(a, num_columns, padded, x.data(), sums.data() + chunk.number * size);
        for (int panel = static_cast<int>(chunk.number); panel < panels; panel += kParts) part.add_panel(panel);
    });
    FloatMatrix product = FloatMatrix::Zero(n, b.cols());
    for (int part = 0; part < kParts; ++part)
        for (Eigen::Index j = 0; j < b.cols(); ++j)
            product.col(j) += Eigen::Map<const Eigen::VectorXf>(sums.data() + part * size + j * padded, n);
    return product;
}

}  // namespace vnngp::linalg
