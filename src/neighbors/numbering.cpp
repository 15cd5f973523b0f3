#include "vnngp/neighbors/numbering.hpp"

#include <algorithm>
#include <numeric>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {
constexpr std::int64_t kRowsPerChunk = 4096;
}

std::vector<Index> cache_order(const NeighborGraph& predecessors, const Points& points, const Context& context) {
    const Index count = predecessors.num_rows();
    if (count == 0) return {};
    std::vector<Index> depth(count, 0), starts(1, 0);
    for (Index i = 0; i < count; ++i) {
        for (const Index j : predecessors.row(i)) depth[i] = std::max(depth[i], depth[j] + 1);
        if (static_cast<std::size_t>(depth[i]) + 1 >= starts.size()) starts.resize(depth[i] + 2, 0);
        ++starts[depth[i] + 1];
    }
    for (std::size_t d = 1; d < starts.size(); ++d) starts[d] += starts[d - 1];
    std::vector<Index> order(count), spatial(count);
    std::iota(spatial.begin(), spatial.end(), 0);
    sort_spatially(points, scaling_of(points), spatial, context);
    for (const Index i : spatial) order[starts[depth[i]]++] = i;
    return order;
}

NeighborGraph renumbered(const NeighborGraph& graph, std::span<const Index> order, const Context& context) {
    const std::vector<Index> number = inverse_order(order);
    NeighborGraph result(graph.num_rows(), graph.stride());
    parallel_chunks(context, graph.num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        std::vector<Index> row;
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i) {
            row.clear();
            for (const Index j : graph.row(order[i])) row.push_back(number[j]);
            result.set_row(i, row);
        }
    });
    return result;
}

std::vector<Index> inverse_order(std::span<const Index> order) {
    std::vector<Index> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<Index>(i);
    return inverse;
}

}  // namespace vnngp::neighbors
