#include "vnngp/neighbors/search.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>

#include "check_points.hpp"
#include "row_search.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr Index kFewPoints = 2048;
constexpr Eigen::Index kFewDimensions = 3;
constexpr Index kSampledRows = 4 * kTileRows;
constexpr Index kSampledNeighbors = 32;
constexpr std::int64_t kBruteForceChunkRows = 16;

void check_neighbors(Index max_neighbors) {
    if (max_neighbors < 1) throw InputError("the number of neighbours must be at least 1, not " + std::to_string(max_neighbors));
}

std::vector<Index> all_rows(Index count) {
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

// kd_tree or scan: the one that answers a sample of the points as queries sooner. scan_share: the share of the pairs that the scan will
// look at.
SearchMethod faster_method(const Points& places, Index max_neighbors, double scan_share) {
    using Clock = std::chrono::steady_clock;
    const auto count = static_cast<Index>(places.rows());
    if (count < kFewPoints) return SearchMethod::scan;
    if (places.cols() <= kFewDimensions) return SearchMethod::kd_tree;

    std::vector<const double*> queries;
    for (std::int64_t i = 0; i < kSampledRows; ++i) queries.push_back(places.row(i * count / kSampledRows).data());
    const std::vector<Index> limits(kSampledRows, count);
    std::vector<NearestK> nearest(kSampledRows, NearestK(std::min(max_neighbors, count)));
    const ScanIndex scan(places);
    const auto scan_start = Clock::now();
    scan.search(queries, limits, nearest);
    const auto affordable = scan_share * (Clock::now() - scan_start);

    const KdTree tree(places, count);
    const auto tree_start = Clock::now();
    for (const double* query : queries) {
        nearest.front().clear();
        tree.search(query, count, nearest.front());
        if (Clock::now() - tree_start > affordable) return SearchMethod::scan;
    }
    return SearchMethod::kd_tree;
}

// Row i of the graph: the nearest candidates below limit(i).
template <class Limit>
void brute_force(const Points& candidates, const Points& queries, const Limit& limit, const Context& context, NeighborGraph& graph) {
    RowProgress progress(context, queries.rows());
    parallel_chunks(context, queries.rows(), kBruteForceChunkRows, [&](const Chunk& chunk) {
        NearestK nearest(graph.stride());
        std::vector<Index> neighbors;
        for (auto row = static_cast<Index>(chunk.begin); row < chunk.end; ++row) {
            nearest.clear();
            for (Index i = 0; i < limit(row); ++i)
                nearest.offer({squared_distance(queries.row(row).data(), candidates.row(i).data(), queries.cols()), i});
            neighbors.clear();
            for (const Candidate& candidate : nearest.sorted()) neighbors.push_back(candidate.index);
            graph.set_row(row, neighbors);
        }
        progress.finished(chunk);
    });
    progress.finished_all();
}

}  // namespace

NeighborGraph predecessor_graph(const Points& points, Index max_neighbors, const Context& context, SearchMethod method) {
    check_neighbors(max_neighbors);
    check_points(points);
    const auto count = static_cast<Index>(points.rows());
    NeighborGraph graph(count, std::min(max_neighbors, std::max(count - 1, 0)));
    if (graph.stride() == 0) return graph;
    if (method == SearchMethod::brute_force) {
        brute_force(
            points, points, [](Index row) { return row; }, context, graph);
        return graph;
    }
    const DistinctPoints distinct = distinct_points(points);
    if (method == SearchMethod::automatic) method = faster_method(distinct.places, graph.stride(), 0.5);
    const RowSearch search = predecessor_search(distinct, points);
    RowProgress progress(context, count);
    if (method == SearchMethod::kd_tree)
        search_prefix_trees(search, context, progress, graph);
    else
        search_rows(search, ScanIndex(distinct.places), all_rows(count), context, progress, graph);
    progress.finished_all();
    return graph;
}

NeighborGraph predecessor_graph(const Points& points, std::span<const Index> rows, Index max_neighbors, const Context& context) {
    check_neighbors(max_neighbors);
    check_points(points);
    const auto count = static_cast<Index>(points.rows());
    NeighborGraph graph(static_cast<Index>(rows.size()), std::min(max_neighbors, std::max(count - 1, 0)));
    if (graph.stride() == 0 || rows.empty()) return graph;
    const DistinctPoints distinct = distinct_points(points);
    const RowSearch whole = predecessor_search(distinct, points);
    Points queries(rows.size(), points.cols());
    std::vector<Index> place_limits;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        queries.row(i) = points.row(rows[i]);
        place_limits.push_back(whole.place_limits[rows[i]]);
    }
    const RowSearch search{distinct, queries, std::move(place_limits), {rows.begin(), rows.end()}};
    RowProgress progress(context, graph.num_rows());
    if (faster_method(distinct.places, graph.stride(), 0.5) == SearchMethod::kd_tree)
        search_rows(search, KdTree(distinct.places, distinct.num_places()), all_rows(graph.num_rows()), context, progress, graph);
    else
        search_rows(search, ScanIndex(distinct.places), all_rows(graph.num_rows()), context, progress, graph);
    progress.finished_all();
    return graph;
}

NeighborGraph nearest_graph(const Points& inducing, const Points& queries, Index max_neighbors, const Context& context,
                            SearchMethod method) {
    return NearestIndex(inducing, context, method).search(queries, max_neighbors, context);
}

struct NearestIndex::State {
    SearchMethod method;
    Index count;              // inducing points
    Points points;            // all of them, for brute_force only
    DistinctPoints distinct;  // for the other methods
    std::optional<KdTree> tree;
    std::optional<ScanIndex> scan;
};

NearestIndex::NearestIndex(const Points& inducing, const Context& context, SearchMethod method) {
    check_points(inducing);
    context.check_stop();
    state_ = std::make_unique<State>();
    state_->count = static_cast<Index>(inducing.rows());
    state_->method = state_->count == 0 ? SearchMethod::brute_force : method;
    if (state_->method == SearchMethod::brute_force) {
        state_->points = inducing;
        return;
    }
    state_->distinct = distinct_points(inducing);
    const DistinctPoints& distinct = state_->distinct;
    if (method == SearchMethod::automatic) state_->method = faster_method(distinct.places, kSampledNeighbors, 1.0);
    if (state_->method == SearchMethod::kd_tree)
        state_->tree.emplace(distinct.places, distinct.num_places());
    else
        state_->scan.emplace(distinct.places);
}

NeighborGraph NearestIndex::search(const Points& queries, Index max_neighbors, const Context& context) const {
    check_neighbors(max_neighbors);
    check_points(queries);
    const auto count = static_cast<Index>(queries.rows());
    NeighborGraph graph(count, std::min(max_neighbors, state_->count));
    if (count == 0 || graph.stride() == 0) return graph;
    const Eigen::Index dim = state_->method == SearchMethod::brute_force ? state_->points.cols() : state_->distinct.places.cols();
    if (queries.cols() != dim)
        throw InputError("the queries have " + std::to_string(queries.cols()) + " coordinates, the inducing points " + std::to_string(dim));
    if (state_->method == SearchMethod::brute_force) {
        brute_force(
            state_->points, queries, [&](Index) { return state_->count; }, context, graph);
        return graph;
    }
    const RowSearch search{state_->distinct, queries, {}};
    RowProgress progress(context, count);
    if (state_->tree) {
        // Queries that are close in space follow one another: twice as fast when they come in random order.
        const KdTree order(queries, count);
        search_rows(search, *state_->tree, order.leaf_order(), context, progress, graph);
    } else {
        search_rows(search, *state_->scan, all_rows(count), context, progress, graph);
    }
    progress.finished_all();
    return graph;
}

NearestIndex::NearestIndex(NearestIndex&&) noexcept = default;
NearestIndex& NearestIndex::operator=(NearestIndex&&) noexcept = default;
NearestIndex::~NearestIndex() = default;
SearchMethod NearestIndex::method() const { return state_->method; }

}  // namespace vnngp::neighbors
