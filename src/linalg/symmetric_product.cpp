#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "linalg/symmetric_lanes.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/linalg/dense.hpp"
#include "vnngp/linalg/lanes.hpp"

namespace vnngp::linalg {

namespace {

constexpr int kParts = 8;         ///< of the work, each with its own sums
constexpr int kCopiedStrip = 64;  ///< columns

/// Blocks of rows of A x, each with the block of columns that is its mirror image. All arrays are padded with zeros to whole blocks.
class Part {
public:
    Part(const FloatMatrix& a_lower, int num_columns, int padded, const float* x, float* y)
        : a_(a_lower),
          num_columns_(num_columns),
          padded_(padded),
          x_(x),
          y_(y),
          x_rows_(static_cast<std::size_t>(num_columns) * kSymmetricRows),
          y_rows_(x_rows_.size()),
          copy_(static_cast<std::size_t>(kSymmetricRows) * kSymmetricRows) {}

    void add_block(int first) {
        const int n = static_cast<int>(a_.rows()), rows = std::min(kSymmetricRows, n - first);
        for (int j = 0; j < num_columns_; ++j) std::copy_n(x_ + offset(j, first), kSymmetricRows, x_rows_.data() + j * kSymmetricRows);
        std::fill(y_rows_.begin(), y_rows_.end(), 0.0F);
        if (rows == kSymmetricRows) {
            if (first > 0) add(first, &a_(first, 0), a_.rows(), 0);
        } else {
            std::fill_n(copy_.begin(), kCopiedStrip * kSymmetricRows, 0.0F);
            for (int q = 0; q < first; q += kCopiedStrip) {
                for (int k = 0; k < kCopiedStrip; ++k) std::copy_n(&a_(first, q + k), rows, copy_.data() + k * kSymmetricRows);
                add(kCopiedStrip, copy_.data(), kSymmetricRows, q);
            }
        }
        // The triangle on the diagonal with half of the diagonal: both products together are the whole.
        std::fill(copy_.begin(), copy_.end(), 0.0F);
        for (int k = 0; k < rows; ++k) {
            std::copy_n(&a_(first + k, first + k), rows - k, copy_.data() + k * kSymmetricRows + k);
            copy_[k * kSymmetricRows + k] *= 0.5F;
        }
        add(kSymmetricRows, copy_.data(), kSymmetricRows, first);
        for (int j = 0; j < num_columns_; ++j)
            for (int p = 0; p < kSymmetricRows; ++p) y_[offset(j, first) + p] += y_rows_[j * kSymmetricRows + p];
    }

private:
    std::size_t offset(int column, int row) const { return static_cast<std::size_t>(column) * padded_ + row; }
    void add(int cols, const float* a, Eigen::Index stride, int first_col) {
        add_both_products(cols, a, static_cast<std::size_t>(stride), num_columns_, x_rows_.data(), y_rows_.data(), x_ + first_col,
                          y_ + first_col, static_cast<std::size_t>(padded_));
    }

    const FloatMatrix& a_;
    int num_columns_, padded_;
    const float* x_;
    float* y_;
    LaneBufferOf<float> x_rows_, y_rows_, copy_;
};

}  // namespace

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a refusal does no harm
#endif
}

// BLAS packs all of A anew for every product, twice, which costs more than the product when b has few columns.
FloatMatrix symmetric_product(const Context& context, const FloatMatrix& a_lower, const FloatMatrix& b) {
    const int n = static_cast<int>(b.rows()), blocks = (n + kSymmetricRows - 1) / kSymmetricRows, padded = blocks * kSymmetricRows;
    const int num_columns = (static_cast<int>(b.cols()) + kSymmetricColumns - 1) / kSymmetricColumns * kSymmetricColumns;
    const std::size_t size = static_cast<std::size_t>(num_columns) * padded;
    LaneBufferOf<float> x(size, 0.0F), sums(kParts * size, 0.0F);
    for (Eigen::Index j = 0; j < b.cols(); ++j) std::copy_n(b.col(j).data(), n, x.data() + j * padded);
    parallel_chunks(context, kParts, 1, [&](const Chunk& chunk) {
        Part part(a_lower, num_columns, padded, x.data(), sums.data() + chunk.number * size);
        for (int block = static_cast<int>(chunk.number); block < blocks; block += kParts) part.add_block(block * kSymmetricRows);
    });
    FloatMatrix product = FloatMatrix::Zero(n, b.cols());
    for (int part = 0; part < kParts; ++part)
        for (Eigen::Index j = 0; j < b.cols(); ++j)
            product.col(j) += Eigen::Map<const Eigen::VectorXf>(sums.data() + part * size + j * padded, n);
    return product;
}

}  // namespace vnngp::linalg
