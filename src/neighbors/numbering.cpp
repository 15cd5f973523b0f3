#include "vnngp/neighbors/numbering.hpp"

#include "kd_tree.hpp"

namespace vnngp::neighbors {

std::vector<Index> cache_order(const NeighborGraph& predecessors, const Points& points) {
    const Index count = predecessors.num_rows();
    if (count == 0) return {};
    std::vector<Index> depth(count, 0), starts(1, 0);
    for (Index i = 0; i < count; ++i) {
        for (const Index j : predecessors.row(i)) depth[i] = std::max(depth[i], depth[j] + 1);
        if (static_cast<std::size_t>(depth[i]) + 1 >= starts.size()) starts.resize(depth[i] + 2, 0);
        ++starts[depth[i] + 1];
    }
    for (std::size_t d = 1; d < starts.size(); ++d) starts[d] += starts[d - 1];
    std::vector<Index> order(count);
    const KdTree tree(points, count);
    for (const Index i : tree.leaf_order()) order[starts[depth[i]]++] = i;
    return order;
}

NeighborGraph renumbered(const NeighborGraph& graph, std::span<const Index> order) {
    const std::vector<Index> number = inverse_order(order);
    NeighborGraph result(graph.num_rows(), graph.stride());
    std::vector<Index> row;
    for (Index i = 0; i < graph.num_rows(); ++i) {
        row.clear();
        for (const Index j : graph.row(order[i])) row.push_back(number[j]);
        result.set_row(i, row);
    }
    return result;
}

std::vector<Index> inverse_order(std::span<const Index> order) {
    std::vector<Index> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<Index>(i);
    return inverse;
}

}  // namespace vnngp::neighbors
