#include "vnngp/neighbors/kmeans.hpp"

#include <algorithm>
#include <cmath>

#include "vnngp/base/random.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::neighbors {

Points kmeans_centers(const Points& points, Index clusters, const Context& context, int max_rounds) {
    constexpr double kNoticeable = 1e-4;  // of the spread of the data
    RandomStream stream(context.seed, StreamPurpose::kmeans);
    const auto count = static_cast<Index>(points.rows());
    const auto order = random_permutation(count, stream);
    Points centers(clusters, points.cols());
    for (Index c = 0; c < clusters; ++c) centers.row(c) = points.row(order[c]);

    const Eigen::RowVectorXd centroid = points.colwise().mean();
    const double spread = std::sqrt((points.rowwise() - centroid).squaredNorm() / count);
    for (int round = 0; round < max_rounds; ++round) {
        context.report({"k-means", round, max_rounds, {}});
        Context quiet = context;
        quiet.progress = {};
        const NeighborGraph nearest = nearest_graph(centers, points, 1, quiet);
        Points sums = Points::Zero(clusters, points.cols());
        std::vector<Index> members(clusters, 0);
        for (Index i = 0; i < count; ++i) {
            const Index c = nearest.row(i)[0];
            sums.row(c) += points.row(i);
            ++members[c];
        }
        double furthest = 0.0;
        for (Index c = 0; c < clusters; ++c) {
            const Eigen::RowVectorXd moved =
                members[c] > 0 ? Eigen::RowVectorXd(sums.row(c) / members[c]) : Eigen::RowVectorXd(points.row(stream.below(count)));
            furthest = std::max(furthest, (moved - centers.row(c)).norm());
            centers.row(c) = moved;
        }
        if (furthest <= kNoticeable * spread) break;
    }
    return centers;
}

}  // namespace vnngp::neighbors
