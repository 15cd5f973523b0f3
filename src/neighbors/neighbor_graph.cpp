#include "vnngp/neighbors/neighbor_graph.hpp"

#include <string>

#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/linalg/dense.hpp"

namespace vnngp::neighbors {
namespace {
constexpr std::int64_t kRowsPerChunk = 4096;
}

NeighborGraph::NeighborGraph(Index num_rows, Index stride) : num_rows_(num_rows), stride_(stride) {
    const std::size_t edges = static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(stride);
    edges_.reserve(edges);
    linalg::prefer_large_pages(edges_.data(), sizeof(Index) * edges);
    edges_.resize(edges, kNone);
}

NeighborGraph::NeighborGraph(std::vector<Index> lists, std::vector<Part> rows)
    : num_rows_(static_cast<Index>(rows.size())), edges_(std::move(lists)), parts_(std::move(rows)) {
    for (const Part& part : parts_) stride_ = std::max(stride_, part.length);
}

double fraction_changed(const NeighborGraph& a, const NeighborGraph& b, const Context& context, std::span<const Index> number_in_a) {
    if (a.num_rows() != b.num_rows())
        throw InputError("cannot compare neighbour graphs of " + std::to_string(a.num_rows()) + " and " + std::to_string(b.num_rows()) +
                         " rows");
    struct Count {
        std::int64_t edges = 0, missing = 0;
    };
    std::vector<Count> counts(num_chunks(b.num_rows(), kRowsPerChunk));
    const auto in_a = [&](Index i) { return number_in_a.empty() ? i : number_in_a[i]; };
    parallel_chunks(context, b.num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        std::vector<Index> other;
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i) {
            other.clear();
            for (const Index neighbor : b.row(i)) other.push_back(in_a(neighbor));
            std::sort(other.begin(), other.end());
            const auto row = a.row(in_a(i));
            Count& count = counts[chunk.number];
            for (const Index neighbor : row) count.missing += !std::binary_search(other.begin(), other.end(), neighbor);
            count.edges += static_cast<std::int64_t>(row.size());
        }
    });
    Count total;
    for (const Count& count : counts) {
        total.edges += count.edges;
        total.missing += count.missing;
    }
    return total.edges == 0 ? 0.0 : static_cast<double>(total.missing) / static_cast<double>(total.edges);
}

}  // namespace vnngp::neighbors
