#include "vnngp/linalg/dense.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* stride, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* stride, int* info);
}

namespace vnngp::linalg {
namespace {

int stride(const Matrix& a) { return static_cast<int>(std::max<Eigen::Index>(a.rows(), 1)); }
int rows(const Matrix& a) { return static_cast<int>(a.rows()); }
int cols(const Matrix& a) { return static_cast<int>(a.cols()); }
CBLAS_TRANSPOSE cblas(Transposed transposed) { return transposed == Transposed::yes ? CblasTrans : CblasNoTrans; }

constexpr int kPanel = 256;  ///< columns of a triangular or symmetric matrix that are computed or used together

}  // namespace

void set_dense_threads(int threads) { openblas_set_num_threads(threads); }

std::string dense_advice() {
#if defined(__x86_64__)
    const std::string_view core = openblas_get_corename();
    if (core == "Prescott" || core == "Core2" || core == "Nehalem") {
        const char* better = __builtin_cpu_supports("avx512dq") ? "SkylakeX" : __builtin_cpu_supports("avx2") ? "Haswell" : nullptr;
        if (better != nullptr)
            return fmt::format(
                "OpenBLAS does not know this processor and works as on an old one ({}): with OPENBLAS_CORETYPE={} in the "
                "environment this method is several times as fast",
                core, better);
    }
#endif
    return "";
}

bool cholesky(Matrix& a) {
    const int n = rows(a), step = stride(a);
    int info = 0;
    dpotrf_("L", &n, a.data(), &step, &info);
    if (info < 0) throw std::invalid_argument("cholesky: argument");
    return info == 0;
}

void invert_cholesky(Matrix& l) {
    const int n = rows(l), step = stride(l);
    int info = 0;
    dpotri_("L", &n, l.data(), &step, &info);
    if (info != 0) throw std::invalid_argument("invert_cholesky: not a factor");
}

void solve_lower(const Matrix& l, Matrix& b, Transposed transposed) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, cblas(transposed), CblasNonUnit, rows(b), cols(b), 1.0, l.data(), stride(l), b.data(),
                stride(b));
}

void multiply_lower(const Matrix& l, Matrix& b, Transposed transposed) {
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, cblas(transposed), CblasNonUnit, rows(b), cols(b), 1.0, l.data(), stride(l), b.data(),
                stride(b));
}

Matrix product(const Matrix& a, Transposed a_transposed, const Matrix& b, Transposed b_transposed) {
    const bool left = a_transposed == Transposed::yes, right = b_transposed == Transposed::yes;
    Matrix c(left ? a.cols() : a.rows(), right ? b.rows() : b.cols());
    const int inner = left ? rows(a) : cols(a);
    cblas_dgemm(CblasColMajor, cblas(a_transposed), cblas(b_transposed), rows(c), cols(c), inner, 1.0, a.data(), stride(a), b.data(),
                stride(b), 0.0, c.data(), stride(c));
    return c;
}

// OpenBLAS's dsymm copies all of A in a slow order, half of its time when b has few columns: below the diagonal each panel is multiplied
// twice instead.
Matrix symmetric_product(const Matrix& a_lower, const Matrix& b) {
    Matrix c = Matrix::Zero(b.rows(), b.cols());
    const int n = rows(b);
    for (int first = 0; first < n; first += kPanel) {
        const int width = std::min(kPanel, n - first), next = first + width;
        const double* diagonal = a_lower.data() + first + static_cast<std::size_t>(first) * a_lower.rows();
        const double* below = diagonal + width;
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, width, cols(b), 1.0, diagonal, stride(a_lower), b.data() + first, stride(b), 1.0,
                    c.data() + first, stride(c));
        if (next == n) break;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n - next, cols(b), width, 1.0, below, stride(a_lower), b.data() + first,
                    stride(b), 1.0, c.data() + next, stride(c));
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, width, cols(b), n - next, 1.0, below, stride(a_lower), b.data() + next,
                    stride(b), 1.0, c.data() + first, stride(c));
    }
    return c;
}

Matrix lower_product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows(), b.rows());
    for (int first = 0; first < cols(c); first += kPanel) {
        const int width = std::min(kPanel, cols(c) - first);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows(c) - first, width, cols(a), 1.0, a.data() + first, stride(a),
                    b.data() + first, stride(b), 0.0, c.data() + first + static_cast<std::size_t>(first) * c.rows(), stride(c));
    }
    return c;
}

}  // namespace vnngp::linalg
