#include "vnngp/neighbors/neighbor_graph.hpp"

#include <string>

#include "vnngp/base/error.hpp"

namespace vnngp::neighbors {

double fraction_changed(const NeighborGraph& a, const NeighborGraph& b, std::span<const Index> number_in_a) {
    if (a.num_rows() != b.num_rows())
        throw InputError("cannot compare neighbour graphs of " + std::to_string(a.num_rows()) + " and " + std::to_string(b.num_rows()) +
                         " rows");
    std::int64_t edges = 0, missing = 0;
    std::vector<Index> other;
    const auto in_a = [&](Index i) { return number_in_a.empty() ? i : number_in_a[i]; };
    for (Index i = 0; i < b.num_rows(); ++i) {
        other.clear();
        for (const Index neighbor : b.row(i)) other.push_back(in_a(neighbor));
        std::sort(other.begin(), other.end());
        const auto row = a.row(in_a(i));
        for (const Index neighbor : row) missing += !std::binary_search(other.begin(), other.end(), neighbor);
        edges += static_cast<std::int64_t>(row.size());
    }
    return edges == 0 ? 0.0 : static_cast<double>(missing) / static_cast<double>(edges);
}

}  // namespace vnngp::neighbors
