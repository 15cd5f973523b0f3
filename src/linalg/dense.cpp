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

namespace {

void add_symmetric_product(int n, int columns, const double* a, int a_stride, const double* b, int b_stride, double* c, int c_stride) {
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, n, columns, 1.0, a, a_stride, b, b_stride, 1.0, c, c_stride);
}
void add_symmetric_product(int n, int columns, const float* a, int a_stride, const float* b, int b_stride, float* c, int c_stride) {
    cblas_ssymm(CblasColMajor, CblasLeft, CblasLower, n, columns, 1.0F, a, a_stride, b, b_stride, 1.0F, c, c_stride);
}
void add_product(CBLAS_TRANSPOSE transposed, int n, int columns, int inner, const double* a, int a_stride, const double* b, int b_stride,
                 double* c, int c_stride) {
    cblas_dgemm(CblasColMajor, transposed, CblasNoTrans, n, columns, inner, 1.0, a, a_stride, b, b_stride, 1.0, c, c_stride);
}
void add_product(CBLAS_TRANSPOSE transposed, int n, int columns, int inner, const float* a, int a_stride, const float* b, int b_stride,
                 float* c, int c_stride) {
    cblas_sgemm(CblasColMajor, transposed, CblasNoTrans, n, columns, inner, 1.0F, a, a_stride, b, b_stride, 1.0F, c, c_stride);
}

// OpenBLAS's dsymm copies all of A in a slow order, half of its time when b has few columns: below the diagonal each panel is multiplied
// twice instead.
template <class AnyMatrix>
AnyMatrix symmetric_product_by_panels(const AnyMatrix& a_lower, const AnyMatrix& b) {
    AnyMatrix c = AnyMatrix::Zero(b.rows(), b.cols());
    const int n = static_cast<int>(b.rows()), columns = static_cast<int>(b.cols()), stride = std::max(n, 1);
    for (int first = 0; first < n; first += kPanel) {
        const int width = std::min(kPanel, n - first), next = first + width;
        const auto* diagonal = a_lower.data() + first + static_cast<std::size_t>(first) * a_lower.rows();
        const auto* below = diagonal + width;
        add_symmetric_product(width, columns, diagonal, stride, b.data() + first, stride, c.data() + first, stride);
        if (next == n) break;
        add_product(CblasNoTrans, n - next, columns, width, below, stride, b.data() + first, stride, c.data() + next, stride);
        add_product(CblasTrans, width, columns, n - next, below, stride, b.data() + next, stride, c.data() + first, stride);
    }
    return c;
}

}  // namespace

Matrix symmetric_product(const Matrix& a_lower, const Matrix& b) { return symmetric_product_by_panels(a_lower, b); }
FloatMatrix symmetric_product(const FloatMatrix& a_lower, const FloatMatrix& b) { return symmetric_product_by_panels(a_lower, b); }

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
