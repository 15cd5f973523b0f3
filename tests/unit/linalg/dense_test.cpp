#include "vnngp/linalg/dense.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "support/dense_gp.hpp"
#include "vnngp/linalg/symmetric_panels.hpp"
#include "vnngp/linalg/tile_product.hpp"

namespace vnngp::linalg {
namespace {

Matrix random_matrix(Index rows, int cols, std::uint64_t seed) { return testing::random_points(rows, cols, seed); }

Matrix positive_definite(Index size) {
    const Matrix root = random_matrix(size, size, 11);
    return root * root.transpose() + Matrix::Identity(size, size);
}

// The upper triangle is neither read nor relied on.
Matrix spoilt_above(Matrix lower) {
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e30);
    return lower;
}

constexpr Index kSizes[] = {1, 5, 300};  // 300: more than one panel

TEST(Dense, CholeskyAndInverseReadTheLowerTriangleAlone) {
    for (const Index size : kSizes) {
        const Matrix a = positive_definite(size);
        Matrix factor = spoilt_above(a);
        ASSERT_TRUE(cholesky(factor));
        const Matrix lower = factor.triangularView<Eigen::Lower>();
        EXPECT_LT((lower * lower.transpose() - a).norm(), 1e-12 * a.norm());
        invert_cholesky(factor);
        const Matrix inverse = factor.selfadjointView<Eigen::Lower>();
        EXPECT_LT((inverse * a - Matrix::Identity(size, size)).norm(), 1e-8);
    }
}

TEST(Dense, CholeskySaysWhenAMatrixIsNotPositiveDefinite) {
    Matrix a = -Matrix::Identity(4, 4);
    EXPECT_FALSE(cholesky(a));
}

// Of all numbers of rows and columns that remain behind whole vectors, and nothing is written beside the tile.
TEST(Dense, TileProductsAreThoseOfTheMatrices) {
    constexpr int kStride = 40;
    const Matrix a = random_matrix(kStride, 21, 14);
    const Points b = random_matrix(9, 21, 15);
    for (int rows = 0; rows < kStride; ++rows)
        for (int cols = 0; cols <= b.rows(); ++cols) {
            Matrix c = Matrix::Constant(kStride, b.rows(), 7.0), expected = c;
            expected.topLeftCorner(rows, cols) = a.topRows(rows) * b.topRows(cols).transpose();
            tile_product(rows, cols, static_cast<int>(a.cols()), a.data(), kStride, b.data(), c.data(), kStride);
            EXPECT_LT((c - expected).norm(), 1e-13 * expected.norm()) << rows << " x " << cols;
        }
}

TEST(Dense, TriangularProductsAndSolvesUndoEachOther) {
    for (const Index size : kSizes) {
        Matrix factor = positive_definite(size);
        ASSERT_TRUE(cholesky(factor));
        const Matrix lower = factor.triangularView<Eigen::Lower>();
        for (const auto& [transposed, columns] :
             {std::pair{Transposed::no, 1}, {Transposed::yes, 1}, {Transposed::no, 7}, {Transposed::yes, 7}}) {
            const Matrix b = random_matrix(size, columns, 12);
            Matrix x = b;
            multiply_lower(spoilt_above(factor), x, transposed);
            const Matrix expected = transposed == Transposed::yes ? Matrix(lower.transpose() * b) : Matrix(lower * b);
            EXPECT_LT((x - expected).norm(), 1e-12 * expected.norm());
            solve_lower(spoilt_above(factor), x, transposed);
            EXPECT_LT((x - b).norm(), 1e-9 * b.norm());
            FloatMatrix single = b.cast<float>();
            multiply_lower(spoilt_above(factor).cast<float>(), single, transposed);
            EXPECT_LT((single.cast<double>() - expected).norm(), 1e-6 * expected.norm());
            solve_lower(spoilt_above(factor).cast<float>(), single, transposed);
            EXPECT_LT((single.cast<double>() - b).norm(), 1e-3 * b.norm());
        }
        const Matrix rows = random_matrix(7, size, 13);
        Matrix x = rows * lower;
        solve_lower_from_right(spoilt_above(factor), x);
        EXPECT_LT((x - rows).norm(), 1e-9 * rows.norm());
        FloatMatrix single = (rows * lower).cast<float>();
        solve_lower_from_right(spoilt_above(factor).cast<float>(), single);
        EXPECT_LT((single.cast<double>() - rows).norm(), 1e-3 * rows.norm());
    }
}

TEST(Dense, ProductsAreThoseOfEigen) {
    const Matrix a = random_matrix(300, 9, 13), b = random_matrix(9, 4, 14), c = random_matrix(300, 9, 15);
    EXPECT_LT((product(a, Transposed::no, b, Transposed::no) - a * b).norm(), 1e-12);
    EXPECT_LT((product(a, Transposed::yes, c, Transposed::no) - a.transpose() * c).norm(), 1e-11);
    EXPECT_LT((product(a, Transposed::no, c, Transposed::yes) - a * c.transpose()).norm(), 1e-11);
    EXPECT_LT((product(b, Transposed::yes, a, Transposed::yes) - b.transpose() * a.transpose()).norm(), 1e-12);
    const Matrix lower = lower_product(a, c), full = a * c.transpose();
    EXPECT_LT(Matrix((lower - full).triangularView<Eigen::Lower>()).norm(), 1e-11);
    FloatMatrix single_lower;
    lower_product(FloatMatrix(a.cast<float>()), FloatMatrix(c.cast<float>()), single_lower);
    EXPECT_LT(Matrix((single_lower.cast<double>() - full).triangularView<Eigen::Lower>()).norm(), 1e-6 * full.norm());
    const Matrix s = positive_definite(300);
    EXPECT_LT((symmetric_product(spoilt_above(s), a) - s * a).norm(), 1e-9 * (s * a).norm());
}

TEST(Dense, SymmetricProductsInSinglePrecisionAreTheSameToItsDigitsAndAtAnyNumberOfThreads) {
    for (const Index size : {1, 255, 256, 1400})
        for (const int columns : {1, 6, 9, 11}) {
            const Matrix s = positive_definite(size), b = random_matrix(size, columns, 16), expected = s * b;
            const FloatMatrix right = b.cast<float>();
            SymmetricPanels lower;
            lower.resize(size);
            for (Index q = 0; q < size; ++q)
                for (Index p = q - q % SymmetricPanels::kRows; p < size; ++p) lower(p, q) = p < q ? 1e9F : static_cast<float>(s(p, q));
            const FloatMatrix product = symmetric_product({.threads = 1}, lower, right);
            EXPECT_LT((product.cast<double>() - expected).norm(), 1e-5 * expected.norm());
            EXPECT_EQ(product, symmetric_product({.threads = 3}, lower, right));
        }
}

}  // namespace
}  // namespace vnngp::linalg
