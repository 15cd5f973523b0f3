#include "vnngp/neighbors/ordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <vector>

#include "sample_points.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::neighbors {
namespace {

void expect_permutation(std::vector<Index> order, Index count) {
    std::vector<Index> identity(count);
    std::iota(identity.begin(), identity.end(), 0);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, identity);
}

// The greedy choice as it is defined, O(N^2): position -> distance to the points before it.
std::vector<double> greedy_distances(const Points& points) {
    const Eigen::RowVectorXd centroid = points.colwise().mean();
    Eigen::Index first = 0;
    (points.rowwise() - centroid).rowwise().squaredNorm().minCoeff(&first);
    Vector to_chosen = (points.rowwise() - points.row(first)).rowwise().norm();
    to_chosen(first) = -1.0;
    std::vector<double> distances;
    for (Eigen::Index step = 1; step < points.rows(); ++step) {
        Eigen::Index next = 0;
        distances.push_back(to_chosen.maxCoeff(&next));
        to_chosen = to_chosen.cwiseMin((points.rowwise() - points.row(next)).rowwise().norm());
        to_chosen(next) = -1.0;
    }
    return distances;
}

std::vector<double> distances_along(const Points& points, const std::vector<Index>& order) {
    std::vector<double> distances;
    for (std::size_t i = 1; i < order.size(); ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, (points.row(order[i]) - points.row(order[j])).norm());
        distances.push_back(nearest);
    }
    return distances;
}

void expect_maximin(const Points& points) {
    const auto order = ordering_permutation(Ordering::maximin, points, {});
    expect_permutation(order, static_cast<Index>(points.rows()));
    const auto actual = distances_along(points, order), expected = greedy_distances(points);
    ASSERT_EQ(actual.size(), expected.size());
    // Relative to the largest distance: the last bits of a norm depend on the order of its sum.
    for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-13 * expected[0]) << "position " << i + 1;
}

TEST(RandomOrdering, IsAPermutationThatDependsOnTheSeedOnly) {
    const Points a = uniform_points(500, 2), b = uniform_points(500, 3);
    const auto order = ordering_permutation(Ordering::random, a, {.seed = 4});
    expect_permutation(order, 500);
    EXPECT_EQ(order, ordering_permutation(Ordering::random, b, {.threads = 2, .seed = 4}));
    EXPECT_NE(order, ordering_permutation(Ordering::random, a, {.seed = 5}));
}

TEST(CoordinateOrdering, SortsByTheSumAndThenByRow) {
    Points points(5, 2);
    points << 3, 0, 1, 1, 0, 0, 2, 0, -1, 4;
    EXPECT_EQ(ordering_permutation(Ordering::coordinate, points, {}), (std::vector<Index>{2, 1, 3, 0, 4}));
}

TEST(MaximinOrdering, IsTheGreedyOneInOneTwoAndEightDimensions) {
    for (const Index dim : {1, 2, 8}) expect_maximin(uniform_points(600, dim));
}

TEST(MaximinOrdering, IsTheGreedyOneWithTies) { expect_maximin(grid_points(400, 2, 40)); }

TEST(MaximinOrdering, PutsExactDuplicatesLast) {
    const Points points = duplicated_points(300, 2, 40);
    expect_maximin(points);
    const auto distances = distances_along(points, ordering_permutation(Ordering::maximin, points, {}));
    EXPECT_EQ(std::count(distances.begin(), distances.end(), 0.0), 260);
    EXPECT_TRUE(std::is_sorted(distances.rbegin(), distances.rend()));
}

TEST(MaximinOrdering, OfEqualPointsIsTheirOwnOrder) {
    const auto order = ordering_permutation(Ordering::maximin, Points::Constant(50, 3, 0.1), {});
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(MaximinOrdering, OfAHundredThousandPointsTakesSeconds) {
    const Points points = uniform_points(100000, 2);
    const auto start = std::chrono::steady_clock::now();
    expect_permutation(ordering_permutation(Ordering::maximin, points, {}), 100000);
    // Loose enough for sanitizers on a busy machine; the quadratic algorithm takes minutes there.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Ordering, OfNothingAndOfOnePoint) {
    for (const auto ordering : {Ordering::random, Ordering::coordinate, Ordering::maximin}) {
        EXPECT_TRUE(ordering_permutation(ordering, Points(0, 2), {}).empty());
        EXPECT_EQ(ordering_permutation(ordering, uniform_points(1, 2), {}), std::vector<Index>{0});
    }
}

TEST(Ordering, RefusesCoordinatesThatAreNotFinite) {
    Points points = uniform_points(10, 2);
    points(3, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(ordering_permutation(Ordering::maximin, points, {}), InputError);
}

TEST(MaximinOrdering, StopsWhenAsked) {
    const std::atomic<bool> stop{true};
    EXPECT_THROW(ordering_permutation(Ordering::maximin, uniform_points(2000, 2), {.stop = &stop}), Interrupted);
}

}  // namespace
}  // namespace vnngp::neighbors
