#include "vnngp/neighbors/neighbor_graph.hpp"

#include <string>

#include "vnngp/base/error.hpp"

namespace vnngp::neighbors {

double fraction_changed(const NeighborGraph& a, const NeighborGraph& b) {
    if (a.num_rows() != b.num_rows())
        throw InputError("cannot compare neighbour graphs of " + std::to_string(a.num_rows()) + " and " + std::to_string(b.num_rows()) +
                         " rows");
    std::int64_t edges = 0, missing = 0;
    std::vector<Index> other;
    for (Index i = 0; i < a.num_rows(); ++i) {
        other.assign(b.row(i).begin(), b.row(i).end());
        std::sort(other.begin(), other.end());
        for (const Index neighbor : a.row(i)) missing += !std::binary_search(other.begin(), other.end(), neighbor);
        edges += static_cast<std::int64_t>(a.row(i).size());
    }
    return edges == 0 ? 0.0 : static_cast<double>(missing) / static_cast<double>(edges);
}

}  // namespace vnngp::neighbors
