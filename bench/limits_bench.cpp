// How near the machine's limits: the stages of a fit beside this machine's matrix product (arithmetic) and copy (memory), in one run.
// Absolute figures depend on the machine and on what else it is doing; the ratios do much less.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "inference/preconditioned_precision.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/linalg/lanes.hpp"
#include "vnngp/model/fit.hpp"
#include "vnngp/neighbors/numbering.hpp"
#include "vnngp/neighbors/search.hpp"

extern "C" {
void openblas_set_num_threads(int);  // NOLINT: these are not in every cblas.h
char* openblas_get_corename(void);   // NOLINT
}

namespace {

using namespace vnngp;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The shortest of several repetitions, of more where they are over soon: what follows a matrix product at once may find a core still taken
/// by OpenBLAS' threads.
double seconds_of(const std::function<void()>& body, int repetitions = 5) {
    constexpr double kLeast = 0.2;
    double best = 1e300;
    const auto first = Clock::now();
    for (int i = 0; i < repetitions || seconds_since(first) < kLeast; ++i) {
        const auto start = Clock::now();
        body();
        best = std::min(best, seconds_since(start));
    }
    return best;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Runs body(worker) on every thread at once.
void on_all_threads(const std::function<void(int)>& body) {
    const Context context;
    parallel_chunks(context, context.num_threads(), 1, [&](const Chunk& chunk) { body(static_cast<int>(chunk.begin)); });
}

template <class Number, class Multiply>
double matrix_product_rate(const Multiply& multiply) {
    const int n = 2048;
    const std::vector<Number> a(static_cast<std::size_t>(n) * n, 1), b(a.size(), 1);
    std::vector<Number> c(a.size());
    return 2e-9 * n * n * n / seconds_of([&] { multiply(n, a.data(), b.data(), c.data()); });
}

/// Memory of 256 MiB a vector on every thread, and two of STREAM's kernels: the library's copy, whose stores pass the caches by, and the
/// compiler's a = b + 3 c.
class Stream {
public:
    Stream() : a_(Context{}.num_threads()), b_(a_.size()), c_(a_.size()) {
        on_all_threads([&](int worker) {
            for (auto* vectors : {&a_, &b_, &c_}) (*vectors)[worker].assign(kSize, 1.0);
        });
    }
    void copy() {
        on_all_threads([&](int worker) { std::memcpy(a_[worker].data(), b_[worker].data(), sizeof(double) * kSize); });
    }
    void triad() {
        on_all_threads([&](int worker) {
            double* const a = a_[worker].data();
            const double *const b = b_[worker].data(), *const c = c_[worker].data();
            for (std::size_t i = 0; i < kSize; ++i) a[i] = b[i] + 3.0 * c[i];
        });
    }
    /// Read or written.
    double bytes(int vectors) const { return static_cast<double>(vectors * sizeof(double) * kSize * a_.size()); }

private:
    static constexpr std::size_t kSize = std::size_t{1} << 25;
    std::vector<std::vector<double>> a_, b_, c_;
};

struct Limits {
    double dgemm, sgemm;
};

Limits measured_limits() {
    openblas_set_num_threads(Context{}.num_threads());
    Limits limits{};
    limits.dgemm = matrix_product_rate<double>([](int n, const double* a, const double* b, double* c) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
    });
    limits.sgemm = matrix_product_rate<float>([](int n, const float* a, const float* b, float* c) {
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0F, a, n, b, n, 0.0F, c, n);
    });
    return limits;
}

void print(const std::string& operation, const std::string& size, double ours, double limit, const char* unit) {
    fmt::print("{:<44} {:<22} {:>8.1f} {:>8.1f} {} {:>7.0f} %\n", operation, size, ours, limit, unit, 100 * ours / limit);
    std::fflush(stdout);
}

void cholesky(int order, const Limits& limits) {
    using namespace linalg;
    const std::size_t size = packed_row(order) * kLanes;
    LaneBuffer matrix(size);
    RandomStream stream(1, StreamPurpose::test);
    for (int p = 0; p < order; ++p)
        for (int e = 0; e <= p; ++e)
            for (int lane = 0; lane < kLanes; ++lane) matrix[(packed_row(p) + e) * kLanes + lane] = p == e ? order : 0.3 * stream.uniform();
    struct Work {
        LaneBuffer factor, inverse;
        alignas(64) std::array<double, kLanes> pivot;
    };
    std::vector<Work> work(Context{}.num_threads(), {LaneBuffer(size), LaneBuffer(static_cast<std::size_t>(order) * kLanes), {}});
    const int repetitions = std::max(1, static_cast<int>(1e9 / (kLanes * std::pow(order, 3))));
    const auto seconds = [&](bool factor) {
        return seconds_of([&] {
            on_all_threads([&](int worker) {
                Work& w = work[worker];
                for (int i = 0; i < repetitions; ++i) {
                    std::copy(matrix.begin(), matrix.end(), w.factor.begin());
                    if (factor) batch_cholesky(order, w.factor.data(), w.inverse.data(), w.pivot.data());
                }
            });
        });
    };
    const double flops = static_cast<double>(work.size()) * repetitions * kLanes * std::pow(order, 3) / 3;
    print("Cholesky stage", fmt::format("K = {}", order), 1e-9 * flops / (seconds(true) - seconds(false)), limits.dgemm, "GFLOP/s");
}

struct Setting {
    std::unique_ptr<kernel::Kernel> kernel;
    std::unique_ptr<likelihood::Likelihood> likelihood = likelihood::make_likelihood("gaussian");
    inference::Problem problem;
    inference::Hyperparameters hyper;
};

Setting setting(Index count, int dims, Index neighbors) {
    Setting s;
    s.kernel = kernel::make_kernel("matern52", dims);
    RandomStream stream(1, StreamPurpose::test);
    inference::Problem& problem = s.problem;
    problem.kernel = s.kernel.get();
    problem.likelihood = s.likelihood.get();
    Points points(count, dims);
    for (double& x : points.reshaped()) x = stream.uniform();
    const auto graph = neighbors::predecessor_graph(points, neighbors, {});
    auto [order, regions] = neighbors::cache_numbering(graph, points, {});
    problem.inducing = points(order, Eigen::all);
    problem.prior_graph = neighbors::renumbered(graph, order, {});
    problem.regions = std::move(regions);
    problem.targets.resize(count);
    for (Index i = 0; i < count; ++i) problem.targets[i] = std::sin(6 * problem.inducing(i, 0)) + 0.3 * stream.normal();
    problem.sites.resize(count);
    std::iota(problem.sites.begin(), problem.sites.end(), 0);
    const double spacing = std::pow(count, -1.0 / dims);
    s.hyper = {std::vector<double>(dims, dims > 3 ? 0.5 : 10 * spacing), 1.0, 0.01, 0.0, {0.5}};
    return s;
}

/// Multiplications and additions of one row, without those of exp: Cholesky K^3 / 3; distances and length-scale gradients D K^2 each; four
/// triangular solves; weights of the pairs.
double row_flops(double k, double dims) { return k * k * (k / 3 + 2 * dims + 4 + 1.5); }

void rows_with_gradient(Index count, int dims, Index neighbors, bool single, const Limits& limits) {
    Setting s = setting(count, dims, neighbors);
    s.problem.single_precision = single;
    const inference::MeanField q{Vector::Zero(count), Vector::Constant(count, 0.1)};
    inference::ElboGradient gradient(s.problem, false, false);
    const double seconds = seconds_of([&] { inference::full_elbo({}, s.problem, s.hyper, q, &gradient); }, 3);
    print("row: kernel, Cholesky, solves, gradient", fmt::format("K = {}, {}-D{}", neighbors, dims, single ? ", single" : ""),
          1e-9 * static_cast<double>(count) * row_flops(neighbors, dims) / seconds, single ? limits.sgemm : limits.dgemm, "GFLOP/s");
}

void solver_passes(Index count, int dims, Index neighbors) {
    const Setting s = setting(count, dims, neighbors);
    const Context context;
    const inference::StoredRows rows(context, covariance(s.problem, s.hyper),
                                     {s.problem.inducing, s.problem.inducing, s.problem.prior_graph}, s.problem.regions);
    const std::string size = fmt::format("{} x {}-D, K = {}", count, dims, neighbors);
    const Vector x = Vector::Ones(count), half = Vector::Constant(count, 0.5);
    const inference::Factor factor{half, x};
    Vector y = x;
    struct Pass {
        std::string name;
        double bytes;
        std::function<void()> run;
        std::vector<double> rates = {};  ///< GB/s, round by round
    };
    std::vector<Pass> passes;
    // What a pass must move: a weight and a number per edge, and the vectors once (twice where they are read and written).
    const auto pass = [&](const char* name, int walks, int vectors, const std::function<void()>& run) {
        passes.push_back({name, static_cast<double>(count) * (12.0 * neighbors * walks + 8.0 * vectors), run});
    };
    Stream stream;
    passes.push_back({"copy", stream.bytes(2), [&] { stream.copy(); }});
    passes.push_back({"triad", stream.bytes(3), [&] { stream.triad(); }});
    pass("solver: product with B", 1, 2, [&] { y = rows.multiply(context, x); });
    pass("solver: product with B'", 1, 3, [&] { rows.add_transposed(context, x, y); });
    pass("solver: triangular solve", 1, 4, [&] { rows.solve(context, factor, x, y); });
    pass("solver: transposed triangular solve", 1, 4, [&] { rows.solve_transposed(context, factor, y); });
    const inference::DataRows data(context, covariance(s.problem, s.hyper), s.problem);
    inference::PreconditionedPrecision system(context, rows, data, half);
    pass("solver: preconditioned product", 2, 9, [&] { system.multiply(x, y); });
    // In turns: memory is shared with other machines, and what it can do changes from second to second. So ratios are those of a round.
    constexpr int kRounds = 21;
    for (int round = 0; round < kRounds; ++round)
        for (Pass& any : passes) any.rates.push_back(1e-9 * any.bytes / seconds_of(any.run, 1));
    const auto share = [&](const Pass& any, const Pass& limit) {
        std::vector<double> ratios(kRounds);
        std::ranges::transform(any.rates, limit.rates, ratios.begin(), std::divides{});
        return 100 * median(ratios);
    };
    const Pass &copy = passes[0], &triad = passes[1];
    fmt::print("memory: copy {:.1f} GB/s, triad {:.1f} GB/s, medians of {} rounds\n", median(copy.rates), median(triad.rates), kRounds);
    for (std::size_t i = 2; i < passes.size(); ++i)
        fmt::print("{:<44} {:<22} {:>8.1f} GB/s {:>5.0f} % of the copy {:>5.0f} % of the triad\n", passes[i].name, size,
                   median(passes[i].rates), share(passes[i], copy), share(passes[i], triad));
    std::fflush(stdout);
}

/// What the other threads bring.
void threads(const Setting& s, const std::string& size) {
    const auto count = s.problem.num_inducing();
    const inference::MeanField q{Vector::Zero(count), Vector::Constant(count, 0.1)};
    inference::ElboGradient gradient(s.problem, false, false);
    const auto rows = [&](int number) {
        return seconds_of([&] { inference::full_elbo({.threads = number}, s.problem, s.hyper, q, &gradient); }, 3);
    };
    FitOptions options;
    options.kernel = "matern52";
    const auto whole = [&](int number) {
        return seconds_of([&] { fit(s.problem.inducing, s.problem.targets, options, {.threads = number}); }, 1);
    };
    const int all = Context{}.num_threads();
    fmt::print("{:<44} {:<22} {:.2f} times as fast\n", fmt::format("rows with gradients on {} threads", all), size, rows(1) / rows(all));
    fmt::print("{:<44} {:<22} {:.2f} times as fast\n", fmt::format("default fit on {} threads", all), size, whole(1) / whole(all));
}

}  // namespace

/// bench_limits [cholesky] [rows] [solver] [threads]: all of them, or those named.
int main(int argc, char** argv) {
    const std::vector<std::string_view> named(argv + 1, argv + argc);
    const auto asked = [&](std::string_view part) { return named.empty() || std::ranges::find(named, part) != named.end(); };
    fmt::print("instruction set {}, {} threads\n", linalg::instruction_set(), Context{}.num_threads());
    const Limits limits = measured_limits();
    fmt::print("machine: DGEMM {:.1f} GFLOP/s, SGEMM {:.1f} GFLOP/s (OpenBLAS as for {})\n\n", limits.dgemm, limits.sgemm,
               openblas_get_corename());
    fmt::print("{:<44} {:<22} {:>8} {:>8} {:<7} {:>9}\n", "operation", "size", "ours", "machine", "unit", "ratio");
    if (asked("cholesky"))
        for (const int order : {16, 32, 64, 128, 256}) cholesky(order, limits);
    if (asked("rows"))
        for (const bool single : {false, true}) {
            for (const Index neighbors : {16, 32, 64, 128, 256}) rows_with_gradient(8192, 8, neighbors, single, limits);
            rows_with_gradient(8192, 26, 256, single, limits);
        }
    if (asked("solver")) {
        solver_passes(1'000'000, 2, 16);
        solver_passes(300'000, 3, 32);
    }
    if (asked("threads")) threads(setting(20'000, 8, 32), "20000 x 8-D, K = 32");
}
