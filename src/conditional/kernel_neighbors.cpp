#include "vnngp/conditional/kernel_neighbors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/kernel/correlations_to.hpp"

namespace vnngp::conditional {

namespace {
constexpr std::int64_t kRowsPerChunk = 256;
}

neighbors::NeighborGraph rerank_by_correlation(const Context& context, const kernel::Kernel& kernel, std::span<const double> parameters,
                                               const Points& inducing, const Points& targets,
                                               const neighbors::NeighborGraph& candidate_graph, Index max_neighbors) {
    if (max_neighbors < 1) throw InputError(fmt::format("the number of neighbours must be at least 1, not {}", max_neighbors));
    neighbors::NeighborGraph graph(candidate_graph.num_rows(), std::min(max_neighbors, candidate_graph.stride()));
    parallel_chunks(context, graph.num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        std::vector<double> strength(candidate_graph.stride());
        std::vector<Index> places, chosen;
        for (Index row = static_cast<Index>(chunk.begin); row < chunk.end; ++row) {
            const auto candidates = candidate_graph.row(row);
            const auto correlation = std::span(strength).first(candidates.size());
            kernel::correlations_to(kernel, parameters, inducing, candidates, targets.row(row).data(), correlation);
            for (double& k : correlation) k = std::abs(k);

            places.resize(candidates.size());
            std::iota(places.begin(), places.end(), 0);
            const auto kept = std::min<std::ptrdiff_t>(graph.stride(), places.size());
            std::partial_sort(places.begin(), places.begin() + kept, places.end(),
                              [&](Index a, Index b) { return strength[a] > strength[b] || (strength[a] == strength[b] && a < b); });
            chosen.resize(kept);
            for (std::ptrdiff_t i = 0; i < kept; ++i) chosen[i] = candidates[places[i]];
            graph.set_row(row, chosen);
        }
    });
    return graph;
}

}  // namespace vnngp::conditional
