// Time, work and memory of the predecessor graph, on simulated points or on CSV files (also .gz; numbers only; the inputs standardised, the
// rows in random order), and its agreement with brute force on a few rows.
//
//     bench_neighbors [--k 32] [--rows 372000] [--drop 1] [--uniform 1000000x2] [file.csv ...]
//
// --k: neighbours; --rows: no more than so many rows of a file; --drop: that many of the last columns are not inputs.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/points.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/neighbors/search.hpp"

namespace {

using namespace vnngp;

constexpr Index kCheckedRows = 8;

struct Options {
    Index neighbors = 32;
    Eigen::Index rows = 0;
    Eigen::Index drop = 1;
};

Points uniform_points(Index count, Index dim) {
    RandomStream stream(1, StreamPurpose::simulation);
    Points points(count, dim);
    for (Eigen::Index i = 0; i < points.size(); ++i) points.data()[i] = stream.uniform();
    return points;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_memory_mb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024.0;
    return 0.0;
}

// The share of some rows that brute force finds too.
double agreement(const Points& points, const neighbors::NeighborGraph& graph, Index max_neighbors) {
    Index same = 0;
    for (Index i = 1; i <= kCheckedRows; ++i) {
        const auto row = static_cast<Index>(static_cast<std::int64_t>(graph.num_rows() - 1) * i / kCheckedRows);
        const auto reference =
            neighbors::nearest_graph(points.topRows(row), points.row(row), max_neighbors, {}, neighbors::SearchMethod::brute_force);
        same += std::ranges::equal(graph.row(row), reference.row(0)) ? 1 : 0;
    }
    return static_cast<double>(same) / kCheckedRows;
}

void print_row(const std::string& name, const Points& points, const Options& options) {
    reset_peak_memory();
    std::int64_t pairs = 0;
    const auto start = std::chrono::steady_clock::now();
    const auto graph = neighbors::predecessor_graph(points, options.neighbors, {}, neighbors::SearchMethod::boxes, &pairs);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double peak = peak_memory_mb();
    const auto count = static_cast<double>(points.rows());
    const double graph_mb = count * graph.stride() * sizeof(Index) / 1048576.0;
    fmt::print("{:<28} {:>9} {:>3} {:>4} {:>9.2f} {:>12.5f} {:>9.0f} {:>9.0f} {:>9.2f}\n", name, points.rows(), points.cols(),
               options.neighbors, seconds, static_cast<double>(pairs) / (0.5 * count * (count - 1.0)), graph_mb, peak,
               agreement(points, graph, options.neighbors));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    bool given = false;
    fmt::print("{:<28} {:>9} {:>3} {:>4} {:>9} {:>12} {:>9} {:>9} {:>9}\n", "points", "N", "D", "K", "seconds", "pairs / all", "graph MB",
               "peak MB", "agreement");
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
        if (argument == "--k") {
            options.neighbors = std::atoi(value());
        } else if (argument == "--rows") {
            options.rows = std::atol(value());
        } else if (argument == "--drop") {
            options.drop = std::atol(value());
        } else if (argument == "--uniform") {
            Index count = 0, dim = 0;
            if (std::sscanf(value(), "%dx%d", &count, &dim) != 2) return 2;
            print_row("uniform", uniform_points(count, dim), options);
            given = true;
        } else {
            print_row(argument, bench::standardized_csv(argument, options.drop, options.rows), options);
            given = true;
        }
    }
    if (given) return 0;
    for (const Index dim : {2, 3, 5, 8, 16, 54}) print_row("uniform", uniform_points(20000, dim), options);
    for (const Index dim : {2, 3, 5}) print_row("uniform", uniform_points(100000, dim), options);
}
