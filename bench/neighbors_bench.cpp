// Time of the neighbour search methods on simulated points, or on CSV files given as arguments (a header, numbers only; all columns but the
// last, standardised). "chosen / best" is what SearchMethod::automatic costs over the faster of the two methods.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "vnngp/base/random.hpp"
#include "vnngp/neighbors/ordering.hpp"
#include "vnngp/neighbors/search.hpp"

namespace {

using namespace vnngp;
using neighbors::SearchMethod;

constexpr Index kNeighbors = 32;

Points uniform_points(Index count, Index dim) {
    RandomStream stream(1, StreamPurpose::simulation);
    Points points(count, dim);
    for (Eigen::Index i = 0; i < points.size(); ++i) points.data()[i] = stream.uniform();
    return points;
}

Points standardized_csv(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const Eigen::Index columns = std::count(line.begin(), line.end(), ',') + 1;
    std::vector<double> values;
    while (std::getline(file, line)) {
        const char* cursor = line.c_str();
        for (Eigen::Index k = 0; k < columns; ++k) {
            char* end = nullptr;
            values.push_back(std::strtod(cursor, &end));
            cursor = *end == ',' ? end + 1 : end;
        }
    }
    Points points =
        Eigen::Map<const Points>(values.data(), static_cast<Eigen::Index>(values.size()) / columns, columns).leftCols(columns - 1);
    points.rowwise() -= points.colwise().mean().eval();
    const Eigen::RowVectorXd deviation = (points.colwise().squaredNorm() / static_cast<double>(points.rows())).cwiseSqrt();
    for (Eigen::Index k = 0; k < points.cols(); ++k)
        if (deviation(k) > 0.0) points.col(k) /= deviation(k);
    const auto order = neighbors::ordering_permutation(neighbors::Ordering::random, points, {});
    return points(order, Eigen::all);
}

template <class Work>
double seconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_row(const std::string& name, const Points& points) {
    const auto time = [&](SearchMethod method) { return seconds([&] { neighbors::predecessor_graph(points, kNeighbors, {}, method); }); };
    const double tree = time(SearchMethod::kd_tree), scan = time(SearchMethod::scan), chosen = time(SearchMethod::automatic);
    fmt::print("{:<24} {:>8} {:>4} {:>9.3f} {:>9.3f} {:>11.2f} {:>9.3f} {:>14.2f}\n", name, points.rows(), points.cols(), tree, scan,
               tree / scan, chosen, chosen / std::min(tree, scan));
}

}  // namespace

int main(int argc, char** argv) {
    fmt::print("predecessor graph, {} neighbours, seconds\n", kNeighbors);
    fmt::print("{:<24} {:>8} {:>4} {:>9} {:>9} {:>11} {:>9} {:>14}\n", "points", "N", "D", "kd_tree", "scan", "tree / scan", "automatic",
               "chosen / best");
    for (int i = 1; i < argc; ++i) print_row(argv[i], standardized_csv(argv[i]));
    if (argc > 1) return 0;
    for (const Index dim : {2, 3, 5, 8, 16, 54}) print_row("uniform", uniform_points(20000, dim));
    for (const Index dim : {2, 3, 5}) print_row("uniform", uniform_points(100000, dim));

    const Points few = uniform_points(10000, 8);
    const double brute = seconds([&] { neighbors::predecessor_graph(few, kNeighbors, {}, SearchMethod::brute_force); });
    const double scan = seconds([&] { neighbors::predecessor_graph(few, kNeighbors, {}, SearchMethod::scan); });
    fmt::print("\nbrute force / scan, 10000 x 8: {:.3f} / {:.3f} = {:.1f}\n", brute, scan, brute / scan);
    const Points plane = uniform_points(100000, 2);
    const double maximin = seconds([&] { neighbors::ordering_permutation(neighbors::Ordering::maximin, plane, {}); });
    fmt::print("maximin order, 100000 x 2: {:.3f} s\n", maximin);
}
