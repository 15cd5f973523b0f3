#include "row_search.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <vector>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kChunkRows = 8 * kTileRows;
constexpr Index kFirstPrefix = 1024;

// The listed rows, tile by tile; limit(row) as in RowSearch.
template <class Limit>
void search_rows(const BoxIndex& index, const DistinctPoints& distinct, const Points& queries, const Limit& limit,
                 std::span<const Index> rows, const Context& context, RowProgress& progress, NeighborGraph& graph) {
    parallel_chunks(context, static_cast<std::int64_t>(rows.size()), kChunkRows, [&](const Chunk& chunk) {
        QueryTile tile(graph.stride());
        std::vector<Candidate> scratch;
        std::vector<Index> neighbors;
        for (std::int64_t begin = chunk.begin; begin < chunk.end; begin += kTileRows) {
            context.check_stop();
            const auto tile_rows = rows.subspan(begin, std::min<std::int64_t>(kTileRows, chunk.end - begin));
            tile.size = static_cast<Index>(tile_rows.size());
            for (Index i = 0; i < tile.size; ++i) {
                tile.queries[i] = queries.row(tile_rows[i]).data();
                tile.limits[i] = limit(tile_rows[i]);
            }
            index.search(tile);
            for (Index i = 0; i < tile.size; ++i) {
                distinct.expand(tile.nearest[i], tile.limits[i], graph.stride(), scratch, neighbors);
                graph.set_row(tile_rows[i], neighbors);
            }
        }
        progress.finished(chunk, tile.pairs);
    });
}

}  // namespace

void search_all(const BoxIndex& index, const DistinctPoints& distinct, const Points& queries, const Context& context, RowProgress& progress,
                NeighborGraph& graph) {
    std::vector<Index> rows(graph.num_rows());
    std::iota(rows.begin(), rows.end(), 0);
    sort_spatially(queries, scaling_of(queries), rows, context);
    search_rows(
        index, distinct, queries, [](Index) { return std::numeric_limits<Index>::max(); }, rows, context, progress, graph);
}

void search_prefixes(const RowSearch& search, const Context& context, RowProgress& progress, NeighborGraph& graph) {
    const DistinctPoints distinct(search.points, context);
    const Scaling scaling = scaling_of(search.points);
    const auto num_points = static_cast<Index>(search.points.rows());
    std::int64_t prefix = kFirstPrefix;
    for (Index begin = 0; begin < graph.num_rows(); prefix *= 2) {
        const auto count = static_cast<Index>(std::min<std::int64_t>(prefix, num_points));
        const auto rest = std::views::iota(begin, graph.num_rows());
        const Index end =
            begin +
            static_cast<Index>(std::ranges::partition_point(rest, [&](Index row) { return search.limit(row) <= count; }) - rest.begin());
        if (end == begin) continue;
        std::vector<Index> rows(end - begin);
        std::iota(rows.begin(), rows.end(), begin);
        sort_spatially(search.queries, scaling, rows, context);
        std::vector<Index> places = distinct.places_before(count);
        sort_spatially(search.points, scaling, places, context);
        const BoxIndex index(search.points, scaling, std::move(places), context);
        search_rows(
            index, distinct, search.queries, [&](Index row) { return search.limit(row); }, rows, context, progress, graph);
        begin = end;
    }
}

}  // namespace vnngp::neighbors
