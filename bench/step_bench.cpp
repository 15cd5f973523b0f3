// What a training step costs: that it does not grow with the number of points, and how it grows with the number of neighbours.
// Ratios within one run; absolute times depend on the machine and on what else it is doing.
#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "vnngp/base/random.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/inference/stochastic.hpp"
#include "vnngp/linalg/lanes.hpp"
#include "vnngp/neighbors/search.hpp"

namespace {

using namespace vnngp;
using Clock = std::chrono::steady_clock;

double seconds_of(const auto& body) {
    const auto start = Clock::now();
    body();
    return std::chrono::duration<double>(Clock::now() - start).count();
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
    s.problem.kernel = s.kernel.get();
    s.problem.likelihood = s.likelihood.get();
    s.problem.inducing.resize(count, dims);
    for (Eigen::Index e = 0; e < s.problem.inducing.size(); ++e) s.problem.inducing.data()[e] = stream.uniform();
    s.problem.prior_graph = neighbors::predecessor_graph(s.problem.inducing, neighbors, {});
    s.problem.targets.resize(count);
    for (double& y : s.problem.targets) y = stream.normal();
    s.problem.sites.resize(count);
    std::iota(s.problem.sites.begin(), s.problem.sites.end(), 0);
    s.hyper = {std::vector<double>(dims, 0.3), 1.0, 0.0, 0.0, {0.5}};
    return s;
}

double seconds_per_step(const Setting& s, std::int64_t steps) {
    inference::Problem problem = s.problem;
    inference::StochasticOptions options{.batch = 1024};
    const std::int64_t steps_per_epoch = (problem.num_observations() + options.batch - 1) / options.batch;
    options.epochs = static_cast<int>(std::max<std::int64_t>(1, steps / steps_per_epoch));
    auto state = inference::initial_state(problem, s.hyper, options.learned);
    const double seconds = seconds_of([&] { inference::fit_stochastic({}, problem, s.hyper, options, std::move(state)); });
    return seconds / static_cast<double>(options.epochs * steps_per_epoch);
}

}  // namespace

int main() {
    fmt::print("instruction set {}, {} threads\n\n", linalg::instruction_set(), Context{}.num_threads());
    fmt::print("One step (batch 1024, K = 32, 3-D) against the number of points\n{:>10} {:>12} {:>8}\n", "points", "ms/step", "ratio");
    double reference = 0.0;
    for (const Index count : {10'000, 100'000, 1'000'000}) {
        const Setting s = setting(count, 3, 32);
        const double ms = 1e3 * seconds_per_step(s, 1000);
        if (reference == 0.0) reference = ms;
        fmt::print("{:>10} {:>12.3f} {:>8.2f}\n", count, ms, ms / reference);
    }

    fmt::print("\nOne pass over 8,192 prior rows with gradients, 8-D, against the number of neighbours\n{:>6} {:>10} {:>12} {:>12}\n", "K",
               "seconds", "rows/s", "GFLOP/s");
    for (const Index neighbors : {16, 32, 64, 128, 256}) {
        Setting s = setting(8192, 8, neighbors);
        inference::ElboGradient gradient(s.problem, false);
        const inference::MeanField q{Vector::Zero(8192), Vector::Constant(8192, 0.1)};
        const double seconds = seconds_of([&] { inference::full_elbo({}, s.problem, s.hyper, q, &gradient); });
        // Cholesky K^3 / 3; four triangular solves 4 K^2; distances 3 D K^2 / 2; length-scale gradients 4 D K^2 / 2; weights 3 K^2 / 2.
        const double k = neighbors, flops = 8192 * (k * k * k / 3 + k * k * (4 + 1.5 + 3.5 * 8));
        fmt::print("{:>6} {:>10.3f} {:>12.0f} {:>12.1f}\n", neighbors, seconds, 8192 / seconds, 1e-9 * flops / seconds);
    }
}
