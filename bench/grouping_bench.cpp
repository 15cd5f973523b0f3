// What one factorisation for several rows would save: rows are put into groups, the neighbours of a group and its members are factored
// once, and every member conditions on all of them that precede it. Counted, not timed: work as a share of what single rows take.
//
//     bench_grouping [--k 32] [--rows 30000] [--drop 1] file.csv ...
//
// Two groups are merged when that lowers the sum of |union|^3 over groups, beginning with nearest neighbours (the greedy rule of Guinness
// 2018, with the power of a factorisation in place of a square).
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "bench/points.hpp"
#include "vnngp/neighbors/search.hpp"

namespace {

using namespace vnngp;

constexpr std::size_t kPasses = 16;  ///< nearest neighbours of a row whose groups it may join

struct Group {
    std::vector<Index> members, all;  ///< all: members and the neighbours of each, ascending
};

double cube(double x) { return x * x * x; }
double size_of(const std::vector<Index>& list) { return static_cast<double>(list.size()); }

std::vector<Group> grouped(const neighbors::NeighborGraph& graph) {
    const Index n = graph.num_rows();
    std::vector<Group> groups(n);
    std::vector<Index> group_of(n), both;
    std::iota(group_of.begin(), group_of.end(), 0);
    for (Index i = 0; i < n; ++i) {
        const auto row = graph.row(i);
        groups[i] = {{i}, {row.begin(), row.end()}};
        std::sort(groups[i].all.begin(), groups[i].all.end());
        groups[i].all.push_back(i);  // after all that precede it
    }
    for (std::size_t pass = 0; pass < kPasses; ++pass)
        for (Index i = 0; i < n; ++i) {
            if (pass >= graph.row(i).size()) continue;
            Index a = group_of[i], b = group_of[graph.row(i)[pass]];
            if (a == b) continue;
            both.clear();
            std::set_union(groups[a].all.begin(), groups[a].all.end(), groups[b].all.begin(), groups[b].all.end(),
                           std::back_inserter(both));
            if (cube(size_of(both)) > cube(size_of(groups[a].all)) + cube(size_of(groups[b].all))) continue;
            if (groups[a].members.size() < groups[b].members.size()) std::swap(a, b);
            for (const Index member : groups[b].members) group_of[member] = a;
            groups[a].members.insert(groups[a].members.end(), groups[b].members.begin(), groups[b].members.end());
            groups[a].all = both;
            groups[b] = {};
        }
    std::erase_if(groups, [](const Group& group) { return group.members.empty(); });
    return groups;
}

void print_row(const std::string& name, const Points& points, Index neighbors) {
    const auto graph = neighbors::predecessor_graph(points, neighbors, {});
    double factor = 0.0, values = 0.0, length = 0.0;
    for (Index i = 0; i < graph.num_rows(); ++i) {
        const auto k = static_cast<double>(graph.row(i).size());
        factor += cube(k), values += k * k, length += k;
    }
    const auto groups = grouped(graph);
    double grouped_factor = 0.0, grouped_values = 0.0, grouped_length = 0.0;
    for (const Group& group : groups) {
        const double size = size_of(group.all);
        grouped_factor += cube(size), grouped_values += size * size;
        for (const Index member : group.members)
            grouped_length += static_cast<double>(std::lower_bound(group.all.begin(), group.all.end(), member) - group.all.begin());
    }
    const auto n = static_cast<double>(points.rows());
    fmt::print("{:<36} {:>7} {:>3} {:>4} {:>10.2f} {:>10.1f} {:>10.2f} {:>10.2f} {:>10.2f}\n", name, points.rows(), points.cols(),
               neighbors, n / static_cast<double>(groups.size()), grouped_length / n, grouped_factor / factor, grouped_values / values,
               grouped_length / length);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    Index neighbors = 32;
    Eigen::Index rows = 30000, drop = 1;
    fmt::print("{:<36} {:>7} {:>3} {:>4} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "points", "N", "D", "K", "rows/group", "neighbours",
               "factoring", "kernel", "stored");
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
