#include "vnngp/neighbors/numbering.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kRowsPerChunk = 4096;
constexpr int kMostRegions = 4;
constexpr double kLargestBorder = 0.15;  ///< of all rows, beyond which a cut costs more than a second thread brings
constexpr Index kFewRows = 8192;         ///< not worth a cut

using RegionNumber = std::uint8_t;

/// Per row, whether it has neighbours in another region.
std::vector<char> border(const NeighborGraph& predecessors, std::span<const RegionNumber> region, const Context& context) {
    std::vector<char> is_border(region.size());
    parallel_chunks(context, predecessors.num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i)
            is_border[i] = std::ranges::any_of(predecessors.row(i), [&](Index j) { return region[j] != region[i]; });
    });
    return is_border;
}

struct Cut {
    std::vector<RegionNumber> region;  ///< per row
    std::vector<char> is_border;       ///< per row
};

// Regions are equal parts of the spatial order.
Cut cut(const NeighborGraph& predecessors, std::span<const Index> spatial, const Context& context) {
    const Index count = predecessors.num_rows();
    // Shared lists do not ascend, as those who look for what is in a region want it.
    const bool is_worth_it = count >= kFewRows && !predecessors.shares_lists();
    Cut found{std::vector<RegionNumber>(count), std::vector<char>(count)};
    for (int num_regions = kMostRegions; num_regions > 1 && is_worth_it; num_regions /= 2) {
        for (Index i = 0; i < count; ++i) found.region[spatial[i]] = static_cast<RegionNumber>(std::int64_t{i} * num_regions / count);
        auto is_border = border(predecessors, found.region, context);
        if (static_cast<double>(std::ranges::count(is_border, 1)) <= kLargestBorder * count)
            return {std::move(found.region), std::move(is_border)};
    }
    std::ranges::fill(found.region, 0);
    return found;
}

// `rows` are those of one region. In their order, but each preceded by those of its neighbours in the region that are not numbered yet,
// these by theirs, and so on.
std::vector<Index> neighbors_first(const NeighborGraph& predecessors, std::span<const Index> rows, std::span<const RegionNumber> region,
                                   std::vector<char>& is_numbered, const Context& context) {
    struct Visit {
        Index row;
        std::size_t next;  // of its neighbours
    };
    std::vector<Index> order;
    order.reserve(rows.size());
    std::vector<Visit> open;
    const auto begin = [&](Index row) {
        if (region[row] != region[rows.front()] || is_numbered[row]) return;
        is_numbered[row] = true;
        open.push_back({row, 0});
    };
    for (const Index first : rows) {
        begin(first);
        if (order.size() % kRowsPerChunk == 0) context.check_stop();
        while (!open.empty()) {
            const auto n = predecessors.row(open.back().row);
            if (open.back().next < n.size()) {
                begin(n[open.back().next++]);
            } else {
                order.push_back(open.back().row);
                open.pop_back();
            }
        }
    }
    return order;
}

}  // namespace

Numbering cache_numbering(const NeighborGraph& predecessors, const Points& points, const Context& context) {
    const Index count = predecessors.num_rows();
    if (count == 0) return {};
    std::vector<Index> spatial(count);
    std::iota(spatial.begin(), spatial.end(), 0);
    sort_spatially(points, scaling_of(points), spatial, context);
    const Cut cut = neighbors::cut(predecessors, spatial, context);

    Numbering numbering{std::vector<Index>(count), {}};
    std::vector<char> is_numbered(count, false);  // bits would be shared by threads
    for (Index first = 0; first < count;) {
        const auto end =
            std::find_if(spatial.begin() + first, spatial.end(), [&](Index i) { return cut.region[i] != cut.region[spatial[first]]; });
        numbering.regions.push_back({first, static_cast<Index>(end - spatial.begin())});
        first = numbering.regions.back().end;
    }
    parallel_chunks(context, std::ssize(numbering.regions), 1, [&](const Chunk& chunk) {
        Region& region = numbering.regions[chunk.number];
        const auto rows = std::span(spatial).subspan(region.begin, region.end - region.begin);
        std::ranges::copy(neighbors_first(predecessors, rows, cut.region, is_numbered, context), numbering.order.begin() + region.begin);
        for (Index i = region.begin; i < region.end; ++i)
            if (cut.is_border[numbering.order[i]]) region.border.push_back(i);
    });
    return numbering;
}

NeighborGraph renumbered(const NeighborGraph& graph, std::span<const Index> order, const Context& context) {
    const std::vector<Index> number = inverse_order(order);
    NeighborGraph result(graph.num_rows(), graph.stride());
    parallel_chunks(context, graph.num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        std::vector<Index> row;
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i) {
            row.clear();
            for (const Index j : graph.row(order[i])) row.push_back(number[j]);
            std::sort(row.begin(), row.end());
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
