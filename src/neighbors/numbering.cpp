#include "vnngp/neighbors/numbering.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <numeric>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kRowsPerChunk = 4096;
constexpr int kCuts = 2;                         ///< one below another: four ranges in the last stage
constexpr double kLargestSeparator = 2.0 / 3.0;  ///< of all rows, beyond which nothing is cut
constexpr Index kFewRows = 8192;                 ///< not worth a cut

/// Where a row belongs: its stage, and the number of its range there.
struct Place {
    std::uint8_t stage, range;
    auto operator<=>(const Place&) const = default;
};

// quarter: of space, per row. A row belongs to the last stage unless it is needed across a cut, or by a row of an earlier stage. Rows come
// after their neighbours, so all that need a row have been seen when it is its turn.
std::vector<Place> places(const NeighborGraph& predecessors, std::span<const std::uint8_t> quarter, const Context& context) {
    std::vector<Place> places(quarter.size(), Place{kCuts, 0});
    for (Index i = predecessors.num_rows(); i-- > 0;) {
        if (i % kRowsPerChunk == 0) context.check_stop();
        places[i].range = static_cast<std::uint8_t>(quarter[i] >> (kCuts - places[i].stage));
        for (const Index j : predecessors.row(i)) {
            const auto cut = static_cast<std::uint8_t>(kCuts - std::bit_width(static_cast<unsigned>(quarter[i] ^ quarter[j])));
            places[j].stage = std::min({places[j].stage, places[i].stage, cut});
        }
    }
    return places;
}

// The rows of one place, in the order of `rows`, but each preceded by those of its neighbours that are not numbered yet, these by theirs,
// and so on.
std::vector<Index> neighbors_first(const NeighborGraph& predecessors, std::span<const Index> rows, std::span<const Place> places,
                                   Place place, std::vector<char>& is_numbered, const Context& context) {
    struct Visit {
        Index row;
        std::size_t next;  // of its neighbours
    };
    std::vector<Index> order;
    std::vector<Visit> open;
    const auto begin = [&](Index row) {
        if (places[row] != place || is_numbered[row]) return;
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
    std::vector<std::uint8_t> quarter(count);
    for (Index i = 0; i < count; ++i) quarter[spatial[i]] = static_cast<std::uint8_t>((std::int64_t{i} << kCuts) / count);
    std::vector<Place> place = places(predecessors, quarter, context);
    const auto separators = std::count_if(place.begin(), place.end(), [](const Place& p) { return p.stage == 0; });
    const bool is_cut = count >= kFewRows && static_cast<double>(separators) <= kLargestSeparator * count;
    if (!is_cut) std::fill(place.begin(), place.end(), Place{0, 0});

    Numbering numbering;
    auto& [order, schedule] = numbering;
    order.reserve(count);
    std::vector<char> is_numbered(count, false);  // bits would be shared by threads
    for (std::uint8_t stage = 0; stage <= (is_cut ? kCuts : 0); ++stage) {
        std::vector<std::vector<Index>> ranges(std::size_t{1} << stage);
        parallel_chunks(context, std::ssize(ranges), 1, [&](const Chunk& chunk) {
            ranges[chunk.number] =
                neighbors_first(predecessors, spatial, place, {stage, static_cast<std::uint8_t>(chunk.number)}, is_numbered, context);
        });
        schedule.stages.emplace_back();
        for (const auto& rows : ranges) {
            const auto begin = static_cast<Index>(order.size());
            order.insert(order.end(), rows.begin(), rows.end());
            schedule.stages.back().push_back({begin, static_cast<Index>(order.size())});
        }
    }
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
