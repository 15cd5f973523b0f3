#include "vnngp/linalg/dense.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* stride, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* stride, int* info);
}

namespace vnngp::linalg {
namespace {

int stride(const auto& a) { return static_cast<int>(std::max<Eigen::Index>(a.rows(), 1)); }
int rows(const auto& a) { return static_cast<int>(a.rows()); }
int cols(const auto& a) { return static_cast<int>(a.cols()); }
CBLAS_TRANSPOSE cblas(Transposed transposed) { return transposed == Transposed::yes ? CblasTrans : CblasNoTrans; }

constexpr Eigen::Index kFewRows = 512;  ///< a product of such matrices takes milliseconds
constexpr int kPanel = 256;             ///< columns of a triangular or symmetric matrix that are computed or used together

}  // namespace

void set_dense_threads(int threads, Eigen::Index order) { openblas_set_num_threads(order < kFewRows ? 1 : threads); }

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
    if (cols(b) == 1)  // dtrmm copies all of L first
        return cblas_dtrmv(CblasColMajor, CblasLower, cblas(transposed), CblasNonUnit, rows(b), l.data(), stride(l), b.data(), 1);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, cblas(transposed), CblasNonUnit, rows(b), cols(b), 1.0, l.data(), stride(l), b.data(),
                stride(b));
}

void solve_lower_from_right(const Matrix& l, Matrix& b) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rows(b), cols(b), 1.0, l.data(), stride(l), b.data(),
                stride(b));
}

void solve_lower(const FloatMatrix& l, FloatMatrix& b, Transposed transposed) {
    cblas_strsm(CblasColMajor, CblasLeft, CblasLower, cblas(transposed), CblasNonUnit, rows(b), cols(b), 1.0F, l.data(), stride(l),
                b.data(), stride(b));
}

void solve_lower_from_right(const FloatMatrix& l, FloatMatrix& b) {
    cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rows(b), cols(b), 1.0F, l.data(), stride(l), b.data(),
                stride(b));
}

void multiply_lower(const FloatMatrix& l, FloatMatrix& b, Transposed transposed) {
    cblas_strmm(CblasColMajor, CblasLeft, CblasLower, cblas(transposed), CblasNonUnit, rows(b), cols(b), 1.0F, l.data(), stride(l),
                b.data(), stride(b));
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
    const int n = rows(b), columns = cols(b), step = stride(b);
    const auto add_product = [&](CBLAS_TRANSPOSE transposed, int height, int inner, const double* panel, int from, int to) {
        cblas_dgemm(CblasColMajor, transposed, CblasNoTrans, height, columns, inner, 1.0, panel, step, b.data() + from, step, 1.0,
                    c.data() + to, step);
    };
    for (int first = 0; first < n; first += kPanel) {
        const int width = std::min(kPanel, n - first), next = first + width;
        const double* diagonal = a_lower.data() + first + static_cast<std::size_t>(first) * a_lower.rows();
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, width, columns, 1.0, diagonal, step, b.data() + first, step, 1.0,
                    c.data() + first, step);
        if (next == n) break;
        add_product(CblasNoTrans, n - next, width, diagonal + width, first, next);
        add_product(CblasTrans, width, n - next, diagonal + width, next, first);
    }
    return c;
}

Matrix lower_product(const Matrix& a, const Matrix& b) {
    Matrix c;
    lower_product(a, b, c);
    return c;
}

void lower_product(const Matrix& a, const Matrix& b, Matrix& c) {
    c.resize(a.rows(), b.rows());
    for (int first = 0; first < cols(c); first += kPanel) {
        const int width = std::min(kPanel, cols(c) - first);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows(c) - first, width, cols(a), 1.0, a.data() + first, stride(a),
                    b.data() + first, stride(b), 0.0, c.data() + first + static_cast<std::size_t>(first) * c.rows(), stride(c));
    }
}

void lower_product(const FloatMatrix& a, const FloatMatrix& b, FloatMatrix& c) {
    c.resize(a.rows(), b.rows());
    for (int first = 0; first < cols(c); first += kPanel) {
        const int width = std::min(kPanel, cols(c) - first);
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows(c) - first, width, cols(a), 1.0F, a.data() + first, stride(a),
                    b.data() + first, stride(b), 0.0F, c.data() + first + static_cast<std::size_t>(first) * c.rows(), stride(c));
    }
}

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a refusal does no harm
#endif
}

}  // namespace vnngp::linalg
