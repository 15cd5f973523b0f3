#include "vnngp/neighbors/ordering.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "check_points.hpp"
#include "kd_tree.hpp"
#include "vnngp/base/random.hpp"

namespace vnngp::neighbors {
namespace {

constexpr Index kStepsBetweenChecks = 256;

std::vector<Index> coordinate_order(const Points& points) {
    const Vector sums = points.rowwise().sum();
    std::vector<Index> order(points.rows());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sums(a) < sums(b); });
    return order;
}

Index nearest_to_centroid(const Points& points) {
    const Eigen::RowVectorXd centroid = points.colwise().mean();
    NearestK nearest(1);
    for (Index i = 0; i < points.rows(); ++i) nearest.offer({squared_distance(points.row(i).data(), centroid.data(), points.cols()), i});
    return nearest.sorted().front().index;
}

// The next point is the one with the largest distance to those chosen. No distance exceeds that largest one, so only points within it of
// the chosen point can come closer. The queue holds every remaining point once, by a distance that may be out of date, but never too small.
std::vector<Index> maximin_order(const Points& points, const Context& context) {
    const auto count = static_cast<Index>(points.rows());
    std::vector<Index> order{nearest_to_centroid(points)};
    order.reserve(count);
    const auto comes_later = [](const Candidate& a, const Candidate& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.index > b.index);
    };
    std::vector<double> distances(count);
    std::vector<Candidate> remaining;
    for (Index i = 0; i < count; ++i) {
        distances[i] = squared_distance(points.row(i).data(), points.row(order[0]).data(), points.cols());
        if (i != order[0]) remaining.push_back({distances[i], i});
    }
    std::priority_queue queue(comes_later, std::move(remaining));
    const KdTree tree(points);
    std::vector<Candidate> found;
    while (!queue.empty()) {
        Candidate farthest = queue.top();
        queue.pop();
        if (distances[farthest.index] < farthest.distance) {
            farthest.distance = distances[farthest.index];
            queue.push(farthest);
            continue;
        }
        if (order.size() % kStepsBetweenChecks == 0) context.check_stop();
        order.push_back(farthest.index);
        if (farthest.distance == 0.0) continue;
        tree.search_radius(points.row(farthest.index).data(), farthest.distance, found);
        for (const Candidate& near : found) distances[near.index] = std::min(distances[near.index], near.distance);
    }
    return order;
}

}  // namespace

std::vector<Index> ordering_permutation(Ordering ordering, const Points& points, const Context& context) {
    check_points(points);
    if (points.rows() == 0) return {};
    switch (ordering) {
        case Ordering::coordinate:
            return coordinate_order(points);
        case Ordering::maximin:
            return maximin_order(points, context);
        default: {
            RandomStream stream(context.seed, StreamPurpose::ordering);
            return random_permutation(static_cast<Index>(points.rows()), stream);
        }
    }
}

}  // namespace vnngp::neighbors
