// What one factorisation for several rows is worth: rows by themselves and in groups (neighbors/grouping.hpp), in turns.
//
//     bench_grouping [--k 32] [--rows 30000] [--drop 1] file.csv ...
//
// Columns: rows in a group; neighbours of a row; seconds for the rows of the linear system, and for rows with gradients, each alone and in
// groups; a product of the solver; bytes of neighbours and rows; the time that forming the groups takes.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "bench/points.hpp"
#include "inference/preconditioned_precision.hpp"
#include "vnngp/inference/elbo.hpp"
#include "vnngp/neighbors/search.hpp"

namespace {

using namespace vnngp;

double seconds_of(const std::function<void()>& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inference::Problem problem_of(const Points& points, const kernel::Kernel& kernel, const likelihood::Likelihood& likelihood,
                              neighbors::GroupedGraph graph, const Context& context) {
    auto [order, regions] = neighbors::cache_numbering(graph.graph, points, context);
    inference::Problem problem;
    problem.kernel = &kernel;
    problem.likelihood = &likelihood;
    problem.inducing = points(order, Eigen::all);
    problem.regions = std::move(regions);
    graph = neighbors::renumbered(graph, order, context);
    problem.prior_graph = std::move(graph.graph);
    problem.prior_groups = std::move(graph.groups);
    problem.targets = Vector::Zero(points.rows());
    problem.sites.resize(points.rows());
    std::iota(problem.sites.begin(), problem.sites.end(), 0);
    return problem;
}

struct Times {
    double rows = 1e300, gradient = 1e300, product = 1e300;
};

void measure(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper, Times& best) {
    const Vector ones = Vector::Ones(problem.num_inducing());
    const inference::MeanField q{ones, 0.1 * ones};
    inference::ElboGradient gradient(problem, false, false);
    inference::StoredRows stored;
    best.rows = std::min(best.rows, seconds_of([&] {
                             stored = {context,
                                       covariance(problem, hyper),
                                       {problem.inducing, problem.inducing, problem.prior_graph},
                                       problem.regions,
                                       problem.prior_groups};
                         }));
    best.gradient = std::min(best.gradient, seconds_of([&] { inference::full_elbo(context, problem, hyper, q, &gradient); }));
    const inference::DataRows data(context, covariance(problem, hyper), problem);
    inference::PreconditionedPrecision system(context, stored, data, ones);
    Vector image(ones.size());
    for (int i = 0; i < 5; ++i) best.product = std::min(best.product, seconds_of([&] { system.multiply(ones, image); }));
}

void print_row(const std::string& name, const Points& points, Index neighbors) {
    const Context context;
    const auto kernel = kernel::make_kernel("matern32", static_cast<int>(points.cols()));
    const auto likelihood = likelihood::make_likelihood("gaussian");
    const inference::Hyperparameters hyper{std::vector<double>(points.cols(), 1.0), 1.0, 0.05, 0.0, {0.05}};
    const auto graph = neighbors::predecessor_graph(points, neighbors, context);
    neighbors::GroupedGraph together;
    const double grouping = seconds_of([&] { together = neighbors::grouped(graph, points, context); });
    const auto single = problem_of(points, *kernel, *likelihood, {graph, {}}, context);
    const auto grouped = problem_of(points, *kernel, *likelihood, together, context);

    Times alone, in_groups;
    for (int turn = 0; turn < 3; ++turn) {
        measure(context, single, hyper, alone);
        measure(context, grouped, hyper, in_groups);
    }
    double edges = 0.0, lists = 0.0;
    for (Index i = 0; i < points.rows(); ++i) edges += static_cast<double>(together.graph.row(i).size());
    for (std::int64_t g = 0; g < together.groups.count(); ++g)
        lists += static_cast<double>(together.graph.row(together.groups.group(g).back()).size());
    const auto n = static_cast<double>(points.rows());
    fmt::print(
        "{:<30} {:>7} {:>3} {:>4} {:>6.2f} {:>7.1f} | {:>6.3f} {:>6.3f} {:>5.2f} | {:>6.3f} {:>6.3f} {:>5.2f} | {:>5.2f} | {:>5.2f} | "
        "{:>6.3f}\n",
        name.substr(name.size() > 30 ? name.size() - 30 : 0), points.rows(), points.cols(), neighbors,
        n / static_cast<double>(together.groups.count()), edges / n, alone.rows, in_groups.rows, in_groups.rows / alone.rows,
        alone.gradient, in_groups.gradient, in_groups.gradient / alone.gradient, in_groups.product / alone.product,
        (8.0 * edges + 4.0 * lists + 24.0 * n) / (12.0 * n * neighbors), grouping);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    Index neighbors = 32;
    Eigen::Index rows = 30000, drop = 1;
    fmt::print("{:<30} {:>7} {:>3} {:>4} {:>6} {:>7} | {:>20}| {:>20}| {:>6}| {:>6}| {:>6}\n", "points", "N", "D", "K", "rows", "neighb.",
               "rows: alone, groups", "gradient: a., g.", "solver", "bytes", "form");
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] { return std::atol(i + 1 < argc ? argv[++i] : ""); };
        if (argument == "--k")
            neighbors = static_cast<Index>(value());
        else if (argument == "--rows")
            rows = value();
        else if (argument == "--drop")
            drop = value();
        else
            print_row(argument, bench::standardized_csv(argument, drop, rows), neighbors);
    }
}
