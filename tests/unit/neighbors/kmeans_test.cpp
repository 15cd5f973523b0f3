#include "vnngp/neighbors/kmeans.hpp"

#include <gtest/gtest.h>

#include "support/dense_gp.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::neighbors {
namespace {

TEST(Kmeans, FindsWellSeparatedClusters) {
    Points points(300, 2);
    RandomStream stream(3, StreamPurpose::test);
    for (Index i = 0; i < 300; ++i)
        for (int d = 0; d < 2; ++d) points(i, d) = 10.0 * (i % 3) * (d == 0 ? 1 : -1) + 0.1 * stream.normal();
    // Random starts may put two centres into one cluster; every point must still be close to some centre in the best of a few seeds.
    double best = 1e9;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const Points centers = kmeans_centers(points, 3, {.seed = seed});
        double worst = 0.0;
        const auto nearest = nearest_graph(centers, points, 1, {});
        for (Index i = 0; i < 300; ++i) worst = std::max(worst, (points.row(i) - centers.row(nearest.row(i)[0])).norm());
        best = std::min(best, worst);
    }
    EXPECT_LT(best, 0.6);
}

TEST(Kmeans, LowersTheSumOfSquaresOfItsStart) {
    const Points points = vnngp::testing::random_points(400, 3, 4);
    const auto sum_of_squares = [&](const Points& centers) {
        const auto nearest = nearest_graph(centers, points, 1, {});
        double sum = 0.0;
        for (Index i = 0; i < 400; ++i) sum += (points.row(i) - centers.row(nearest.row(i)[0])).squaredNorm();
        return sum;
    };
    EXPECT_LT(sum_of_squares(kmeans_centers(points, 20, {.seed = 1}, 20)),
              0.9 * sum_of_squares(kmeans_centers(points, 20, {.seed = 1}, 0)));
}

TEST(Kmeans, AsManyClustersAsPointsAreThePoints) {
    const Points points = vnngp::testing::random_points(12, 2, 5);
    const Points centers = kmeans_centers(points, 12, {});
    const auto nearest = nearest_graph(centers, points, 1, {});
    for (Index i = 0; i < 12; ++i) EXPECT_EQ(points.row(i), centers.row(nearest.row(i)[0]));
}

TEST(Kmeans, DoesNotDependOnTheNumberOfThreads) {
    const Points points = vnngp::testing::random_points(500, 2, 6);
    EXPECT_EQ(kmeans_centers(points, 25, {.threads = 1, .seed = 2}), kmeans_centers(points, 25, {.threads = 2, .seed = 2}));
}

}  // namespace
}  // namespace vnngp::neighbors
