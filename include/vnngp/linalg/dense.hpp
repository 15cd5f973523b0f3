// Algebra on large dense matrices, by BLAS and LAPACK (OpenBLAS), in place and by columns. Only the methods that vnngp is compared with
// need it. OpenBLAS's own threads do the work: results agree between numbers of threads to rounding, not to the bit.
#pragma once

#include <Eigen/Core>
#include <string>

#include "vnngp/base/context.hpp"

namespace vnngp::linalg {

template <class T>
using MatrixOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using Matrix = Eigen::MatrixXd;
using FloatMatrix = Eigen::MatrixXf;  ///< where half the memory and twice the speed are worth more than the digits

/// For all calls that follow, in the whole process: one thread, or up to `threads` where matrices have `order` rows and that is enough to
/// gain by it. The library's threads wait for each other by giving their time away, so that on a busy machine a short call takes as long as
/// the others' turns: hundreds of times as long.
void set_dense_threads(int threads, Eigen::Index order);

/// What would make the library faster here, for a note to the user; empty when nothing would: an OpenBLAS that is older than the processor
/// falls back to its smallest instruction set, which costs a factor of four.
std::string dense_advice();

/// Asks for large pages for memory that has not been written to yet: walks through large matrices otherwise wait for addresses.
void prefer_large_pages(void* memory, std::size_t bytes);

enum class Transposed { no, yes };

/// Factors a = L L' in place, reading and writing the lower triangle alone. false: not positive definite, `a` is spoilt.
bool cholesky(Matrix& a);
/// From L to the inverse of L L': the lower triangle alone is written.
void invert_cholesky(Matrix& l);
/// b <- L^{-1} b, or L^{-T} b.
void solve_lower(const Matrix& l, Matrix& b, Transposed transposed = Transposed::no);
void solve_lower(const FloatMatrix& l, FloatMatrix& b, Transposed transposed = Transposed::no);
/// b <- b L^{-1}.
void solve_lower_from_right(const Matrix& l, Matrix& b);
void solve_lower_from_right(const FloatMatrix& l, FloatMatrix& b);
/// b <- L b, or L' b.
void multiply_lower(const Matrix& l, Matrix& b, Transposed transposed = Transposed::no);
void multiply_lower(const FloatMatrix& l, FloatMatrix& b, Transposed transposed = Transposed::no);
/// a b, with either transposed.
Matrix product(const Matrix& a, Transposed a_transposed, const Matrix& b, Transposed b_transposed);
/// a b for a symmetric matrix of which the lower triangle is given.
Matrix symmetric_product(const Matrix& a_lower, const Matrix& b);
/// The lower triangle of a b', both with the same number of rows; above the diagonal is undefined.
Matrix lower_product(const Matrix& a, const Matrix& b);
void lower_product(const Matrix& a, const Matrix& b, Matrix& c);
void lower_product(const FloatMatrix& a, const FloatMatrix& b, FloatMatrix& c);

}  // namespace vnngp::linalg
