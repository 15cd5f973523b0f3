#include "row_search.hpp"

#include <algorithm>
#include <numeric>

#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kChunkRows = 64;
constexpr Index kFirstPrefix = 1024;

// Turns the places found for a row into its neighbours.
class RowWriter {
public:
    RowWriter(const RowSearch& search, NeighborGraph& graph) : search_(search), graph_(graph) {}
    void write(Index row, NearestK& nearest) {
        expand_places(search_.candidates, nearest.sorted(), search_.row_limit(row), graph_.stride(), scratch_, neighbors_);
        graph_.set_row(row, neighbors_);
        nearest.clear();
    }

private:
    const RowSearch& search_;
    NeighborGraph& graph_;
    std::vector<Candidate> scratch_;
    std::vector<Index> neighbors_;
};

}  // namespace

RowSearch predecessor_search(const DistinctPoints& distinct, const Points& points) {
    std::vector<Index> place_limits(distinct.place_of.size());
    Index seen = 0;
    for (std::size_t row = 0; row < place_limits.size(); ++row) {
        place_limits[row] = seen;
        seen = std::max(seen, distinct.place_of[row] + 1);
    }
    return {distinct, points, std::move(place_limits)};
}

void search_rows(const RowSearch& search, const KdTree& tree, std::span<const Index> rows, const Context& context, RowProgress& progress,
                 NeighborGraph& graph) {
    parallel_chunks(context, static_cast<std::int64_t>(rows.size()), kChunkRows, [&](const Chunk& chunk) {
        NearestK nearest(graph.stride());
        RowWriter writer(search, graph);
        for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
            tree.search(search.queries.row(rows[i]).data(), search.place_limit(rows[i]), nearest);
            writer.write(rows[i], nearest);
        }
        progress.finished(chunk);
    });
}

void search_rows(const RowSearch& search, const ScanIndex& index, std::span<const Index> rows, const Context& context,
                 RowProgress& progress, NeighborGraph& graph) {
    parallel_chunks(context, static_cast<std::int64_t>(rows.size()), kChunkRows, [&](const Chunk& chunk) {
        const auto count = static_cast<std::size_t>(chunk.end - chunk.begin);
        std::vector<NearestK> nearest(count, NearestK(graph.stride()));
        std::vector<const double*> queries(count);
        std::vector<Index> limits(count);
        for (std::size_t i = 0; i < count; ++i) {
            const Index row = rows[chunk.begin + static_cast<std::int64_t>(i)];
            queries[i] = search.queries.row(row).data();
            limits[i] = search.place_limit(row);
        }
        index.search(queries, limits, nearest);
        RowWriter writer(search, graph);
        for (std::size_t i = 0; i < count; ++i) writer.write(rows[chunk.begin + static_cast<std::int64_t>(i)], nearest[i]);
        progress.finished(chunk);
    });
}

void search_prefix_trees(const RowSearch& search, const Context& context, RowProgress& progress, NeighborGraph& graph) {
    const Index num_places = search.candidates.num_places();
    const auto& limits = search.place_limits;
    std::vector<Index> position(num_places), rows;
    std::int64_t prefix = kFirstPrefix;
    for (auto begin = limits.begin(); begin != limits.end(); prefix *= 2) {
        context.check_stop();
        const auto count = static_cast<Index>(std::min<std::int64_t>(prefix, num_places));
        const KdTree tree(search.candidates.places, count);
        for (Index i = 0; i < count; ++i) position[tree.leaf_order()[i]] = i;

        const auto end = count == num_places ? limits.end() : std::lower_bound(begin, limits.end(), count);
        rows.resize(end - begin);
        std::iota(rows.begin(), rows.end(), static_cast<Index>(begin - limits.begin()));
        // Rows that are close in space follow one another, so that they find the tree in the cache.
        const auto place_position = [&](Index row) { return position[search.candidates.place_of[row]]; };
        std::sort(rows.begin(), rows.end(), [&](Index a, Index b) { return place_position(a) < place_position(b); });
        search_rows(search, tree, rows, context, progress, graph);
        begin = end;
    }
}

}  // namespace vnngp::neighbors
