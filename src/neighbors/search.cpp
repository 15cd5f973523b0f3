#include "vnngp/neighbors/search.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "check_points.hpp"
#include "row_search.hpp"
#include "spatial_order.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kBruteForceChunkRows = 16;

void check_neighbors(Index max_neighbors) {
    if (max_neighbors < 1) throw InputError("the number of neighbours must be at least 1, not " + std::to_string(max_neighbors));
}

// Row i of the graph: the nearest candidates below limit(i).
template <class Limit>
void brute_force(const Points& candidates, const Points& queries, const Limit& limit, const Context& context, RowProgress& progress,
                 NeighborGraph& graph) {
    parallel_chunks(context, queries.rows(), kBruteForceChunkRows, [&](const Chunk& chunk) {
        NearestK nearest(graph.stride());
        std::vector<Index> neighbors;
        std::int64_t pairs = 0;
        for (auto row = static_cast<Index>(chunk.begin); row < chunk.end; ++row) {
            nearest.clear();
            pairs += limit(row);
            for (Index i = 0; i < limit(row); ++i)
                nearest.offer({squared_distance(queries.row(row).data(), candidates.row(i).data(), queries.cols()), i});
            neighbors.clear();
            for (const Candidate& candidate : nearest.sorted()) neighbors.push_back(candidate.index);
            graph.set_row(row, neighbors);
        }
        progress.finished(chunk.worker, chunk.end - chunk.begin, pairs);
    });
    progress.finished_all();
}

}  // namespace

NeighborGraph predecessor_graph(const Points& points, Index max_neighbors, const Context& context, SearchMethod method,
                                std::int64_t* pairs) {
    check_neighbors(max_neighbors);
    check_points(points);
    const auto count = static_cast<Index>(points.rows());
    const Index stride = std::min(max_neighbors, std::max(count - 1, 0));
    RowProgress progress(context, count);
    NeighborGraph graph(0, 0);
    if (stride == 0) {
        graph = NeighborGraph(count, 0);
    } else if (method == SearchMethod::brute_force) {
        graph = NeighborGraph(count, stride);
        brute_force(
            points, points, [](Index row) { return row; }, context, progress, graph);
    } else {
        graph = prefix_search({points, points}, stride, context, progress);
    }
    if (pairs != nullptr) *pairs = progress.pairs();
    return graph;
}

NeighborGraph predecessor_graph(const Points& points, std::span<const Index> rows, Index max_neighbors, const Context& context) {
    check_neighbors(max_neighbors);
    check_points(points);
    const Index stride = std::min(max_neighbors, std::max(static_cast<Index>(points.rows()) - 1, 0));
    if (stride == 0 || rows.empty()) return NeighborGraph(static_cast<Index>(rows.size()), stride);
    Points queries(rows.size(), points.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) queries.row(i) = points.row(rows[i]);
    RowProgress progress(context, queries.rows());
    return prefix_search({points, queries, rows}, stride, context, progress);
}

NeighborGraph nearest_graph(const Points& inducing, const Points& queries, Index max_neighbors, const Context& context,
                            SearchMethod method) {
    return NearestIndex(inducing, context, method).search(queries, max_neighbors, context);
}

struct NearestIndex::State {
    Points points;
    DistinctPoints distinct;
    Scaling scaling;
    std::optional<BoxIndex> index;  // none for brute_force, and when there are no points
};

NearestIndex::NearestIndex(const Points& inducing, const Context& context, SearchMethod method) {
    check_points(inducing);
    context.check_stop();
    state_ = std::make_unique<State>();
    state_->points = inducing;
    if (method == SearchMethod::brute_force || inducing.rows() == 0) return;
    state_->distinct = DistinctPoints(state_->points, context);
    state_->scaling = scaling_of(state_->points);
    std::vector<Index> places = state_->distinct.places_before(static_cast<Index>(inducing.rows()));
    sort_spatially(state_->points, state_->scaling, places, context);
    state_->index.emplace(state_->points, state_->scaling, std::move(places), context);
}

NeighborGraph NearestIndex::search(const Points& queries, Index max_neighbors, const Context& context) const {
    check_neighbors(max_neighbors);
    check_points(queries);
    const Points& points = state_->points;
    const auto count = static_cast<Index>(queries.rows()), num_points = static_cast<Index>(points.rows());
    NeighborGraph graph(count, std::min(max_neighbors, num_points));
    if (count == 0 || graph.stride() == 0) return graph;
    if (queries.cols() != points.cols())
        throw InputError("the queries have " + std::to_string(queries.cols()) + " coordinates, the inducing points " +
                         std::to_string(points.cols()));
    RowProgress progress(context, count);
    if (state_->index)
        search_all(*state_->index, state_->distinct, queries, context, progress, graph);
    else
        brute_force(
            points, queries, [&](Index) { return num_points; }, context, progress, graph);
    return graph;
}

NearestIndex::NearestIndex(NearestIndex&&) noexcept = default;
NearestIndex& NearestIndex::operator=(NearestIndex&&) noexcept = default;
NearestIndex::~NearestIndex() = default;

}  // namespace vnngp::neighbors
