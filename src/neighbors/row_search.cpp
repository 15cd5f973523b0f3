#include "row_search.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kChunkRows = 16 * kTileRows;
constexpr Index kFirstPrefix = 1024;
constexpr Index kManyRows = 1'000'000;  // whose index is worth giving back

// The rows that rows_of_chunk returns for the chunks of `count` items, tile by tile. limit(row): how many points it sees.
template <class RowsOfChunk, class Limit>
void search_rows(const BoxIndex& index, const DistinctPoints& distinct, const Points& queries, std::int64_t count,
                 const RowsOfChunk& rows_of_chunk, const Limit& limit, const Context& context, RowProgress& progress,
                 NeighborGraph& graph) {
    parallel_chunks(context, count, kChunkRows, [&](const Chunk& chunk) {
        const std::vector<Index> rows = rows_of_chunk(chunk);
        QueryTile tile(graph.stride());
        std::vector<Candidate> scratch;
        std::vector<Index> neighbors;
        for (std::size_t begin = 0; begin < rows.size(); begin += kTileRows) {
            context.check_stop();
            tile.size = static_cast<Index>(std::min<std::size_t>(kTileRows, rows.size() - begin));
            for (Index i = 0; i < tile.size; ++i) {
                tile.queries[i] = queries.row(rows[begin + i]).data();
                tile.limits[i] = limit(rows[begin + i]);
            }
            index.search(tile);
            for (Index i = 0; i < tile.size; ++i) {
                distinct.expand(tile.nearest[i], tile.limits[i], graph.stride(), scratch, neighbors);
                graph.set_row(rows[begin + i], neighbors);
            }
        }
        progress.finished(chunk.worker, static_cast<std::int64_t>(rows.size()), tile.pairs);
    });
}

// The rows [begin, end), those with queries close to one another after each other.
std::vector<Index> spatial_rows(const Points& queries, Index begin, Index end, const Context& context) {
    std::vector<Index> rows(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
    sort_spatially(queries, scaling_of(queries), rows, context);
    return rows;
}

// The many small pieces of an index that is gone stay with the process otherwise, beside what the next one needs.
void return_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

auto chunk_of(std::span<const Index> rows) {
    return [rows](const Chunk& chunk) { return std::vector<Index>(rows.begin() + chunk.begin, rows.begin() + chunk.end); };
}

}  // namespace

void search_all(const BoxIndex& index, const DistinctPoints& distinct, const Points& queries, const Context& context, RowProgress& progress,
                NeighborGraph& graph) {
    const std::vector<Index> rows = spatial_rows(queries, 0, graph.num_rows(), context);
    const auto limit = [](Index) { return std::numeric_limits<Index>::max(); };
    search_rows(index, distinct, queries, graph.num_rows(), chunk_of(rows), limit, context, progress, graph);
    progress.finished_all();
}

NeighborGraph prefix_search(const RowSearch& search, Index stride, const Context& context, RowProgress& progress) {
    const DistinctPoints distinct(search.points, context);  // before the graph takes its memory
    const Scaling scaling = scaling_of(search.points);
    const auto num_points = static_cast<Index>(search.points.rows());
    const auto limit = [&](Index row) { return search.limit(row); };
    NeighborGraph graph(static_cast<Index>(search.queries.rows()), stride);
    std::int64_t prefix = kFirstPrefix, growth = kFirstPrefix;
    for (Index begin = 0; begin < graph.num_rows(); prefix += growth) {
        const auto count = static_cast<Index>(std::min<std::int64_t>(prefix, num_points));
        const std::int64_t pairs_before = progress.pairs();
        const auto rest = std::views::iota(begin, graph.num_rows());
        const Index end = *std::ranges::partition_point(rest, [&](Index row) { return limit(row) < count; });
        if (end == begin) {
            growth = count;
            continue;
        }
        if (begin >= kManyRows) return_free_memory();
        std::vector<Index> places = distinct.places_before(count);
        sort_spatially(search.points, scaling, places, context);
        if (search.limits.empty()) {
            // The queries are among the places and share their order.
            const BoxIndex index(search.points, scaling, std::move(places), context);
            const auto rows = [&](const Chunk& chunk) {
                return distinct.members(index.order().subspan(chunk.begin, chunk.end - chunk.begin), begin, end);
            };
            search_rows(index, distinct, search.queries, static_cast<std::int64_t>(index.order().size()), rows, limit, context, progress,
                        graph);
        } else {
            const std::vector<Index> rows = spatial_rows(search.queries, begin, end, context);
            const BoxIndex index(search.points, scaling, std::move(places), context);
            search_rows(index, distinct, search.queries, end - begin, chunk_of(rows), limit, context, progress, graph);
        }
        // Where boxes exclude little, what a prefix holds beyond the limits costs more than indexes over more prefixes.
        const bool exhaustive = progress.pairs() - pairs_before > static_cast<std::int64_t>(end - begin) * (count / 2);
        growth = exhaustive ? count / 4 : count;
        begin = end;
    }
    progress.finished_all();
    return graph;
}

}  // namespace vnngp::neighbors
