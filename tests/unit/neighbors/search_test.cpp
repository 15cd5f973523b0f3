#include "vnngp/neighbors/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "sample_points.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::neighbors {
namespace {

constexpr SearchMethod kMethods[] = {SearchMethod::boxes, SearchMethod::brute_force};

// What the first `limit` candidates say, sorted in full by (distance, index). Distances are summed in extended precision, so that the order
// can differ from the library's only among pairs that are equal in double precision up to rounding.
struct Ranked {
    long double distance;
    Index index;
    bool operator<(const Ranked& other) const { return std::pair(distance, index) < std::pair(other.distance, other.index); }
};

long double distance_of(const Points& a, Index i, const Points& b, Index j) {
    long double sum = 0.0L;
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
        const long double difference = static_cast<long double>(a(i, k)) - static_cast<long double>(b(j, k));
        sum += difference * difference;
    }
    return sum;
}

// Each row has the right length, distinct entries below its limit, and the right distances in ascending order, to rounding; where distances
// are exact (integers), it is the sorted list itself.
void expect_nearest(const NeighborGraph& graph, const Points& candidates, const Points& queries, Index max_neighbors, bool predecessors,
                    bool exact_distances) {
    ASSERT_EQ(graph.num_rows(), queries.rows());
    for (Index i = 0; i < graph.num_rows(); ++i) {
        const Index limit = predecessors ? i : static_cast<Index>(candidates.rows());
        std::vector<Ranked> ranked;
        for (Index j = 0; j < limit; ++j) ranked.push_back({distance_of(queries, i, candidates, j), j});
        std::sort(ranked.begin(), ranked.end());
        const auto row = graph.row(i);
        ASSERT_EQ(static_cast<Index>(row.size()), std::min(limit, max_neighbors)) << "row " << i;
        EXPECT_EQ(std::set<Index>(row.begin(), row.end()).size(), row.size()) << "row " << i;
        for (std::size_t k = 0; k < row.size(); ++k) {
            ASSERT_LT(row[k], limit);
            if (exact_distances) {
                EXPECT_EQ(row[k], ranked[k].index) << "row " << i << " neighbour " << k;
            } else {
                const long double actual = distance_of(queries, i, candidates, row[k]);
                EXPECT_NEAR(static_cast<double>(actual), static_cast<double>(ranked[k].distance),
                            1e-14 * static_cast<double>(ranked[k].distance));
            }
        }
    }
}

// The search agrees with the reference, at one thread and at two, and the reference with the full sort.
void expect_exact_search(const Points& points, const Points& queries, Index max_neighbors, bool exact_distances = false) {
    const NeighborGraph before = predecessor_graph(points, max_neighbors, {.threads = 1}, SearchMethod::brute_force);
    const NeighborGraph all = nearest_graph(points, queries, max_neighbors, {.threads = 1}, SearchMethod::brute_force);
    expect_nearest(before, points, points, max_neighbors, true, exact_distances);
    expect_nearest(all, points, queries, max_neighbors, false, exact_distances);
    for (const int threads : {1, 2}) {
        EXPECT_EQ(predecessor_graph(points, max_neighbors, {.threads = threads}), before) << threads << " threads";
        EXPECT_EQ(nearest_graph(points, queries, max_neighbors, {.threads = threads}), all) << threads << " threads";
    }
}

TEST(NeighborSearch, IsExactInOneTwoEightAndFiftyFourDimensions) {
    for (const Index dim : {1, 2, 8, 54}) expect_exact_search(uniform_points(700, dim), uniform_points(150, dim, 1), 10);
}

TEST(NeighborSearch, BreaksTiesBySmallerIndex) {
    for (const Index dim : {1, 2, 3, 8, 54}) {
        expect_exact_search(grid_points(500, dim, 3), grid_points(100, dim, 3, 1), 9, true);
        expect_exact_search(grid_points(500, dim, 30), grid_points(100, dim, 30, 1), 9, true);
    }
}

TEST(NeighborSearch, IsExactAmongManyDuplicates) {
    for (const Index dim : {1, 2, 8, 54})
        for (const Index places : {2, 30, 200})
            expect_exact_search(duplicated_points(400, dim, places), duplicated_points(60, dim, places, 1), 12);
}

TEST(NeighborSearch, IsExactBeyondTheFirstPrefix) {
    const Points points = uniform_points(5000, 4), repeated = duplicated_points(5000, 4, 3500);
    for (const Points& sample : {points, repeated}) {
        const NeighborGraph expected = predecessor_graph(sample, 20, {}, SearchMethod::brute_force);
        for (const int threads : {1, 2}) EXPECT_EQ(predecessor_graph(sample, 20, {.threads = threads}), expected);
    }
}

TEST(NeighborSearch, IsExactWhereSinglePrecisionSeesNothing) {
    // A large offset with a tiny spread.
    for (const Index dim : {2, 8, 54}) {
        const Points points = (uniform_points(600, dim).array() * 1e-3 + 1e6).matrix();
        expect_exact_search(points, points.topRows(80), 10);
    }
    // Clusters whose inner distances vanish in single precision next to the distances between them, or are a few of its units.
    for (const double spread : {1e-9, 1e-7, 1e-6}) {
        Points clusters = uniform_points(600, 8) * spread;
        for (Index i = 0; i < clusters.rows(); ++i) clusters.row(i).array() += static_cast<double>(i % 5);
        expect_exact_search(clusters, clusters.topRows(80), 10);
    }
    // One coordinate a billion times larger than the others, and one outlier farther still.
    Points scales = uniform_points(600, 8);
    scales.col(3) *= 1e9;
    scales.row(17).setConstant(1e14);
    expect_exact_search(scales, scales.topRows(80), 10);
    // Beyond the range of single precision in both directions.
    expect_exact_search(uniform_points(300, 8) * 1e100, uniform_points(50, 8, 1) * 1e100, 10);
    expect_exact_search(uniform_points(300, 8) * 1e-100, uniform_points(50, 8, 1) * 1e-100, 10);
    expect_exact_search(uniform_points(300, 8), uniform_points(50, 8, 1) * 1e60, 10);
}

// Most coordinates are constant among neighbours, and those that are not differ in size by the rarity of the category.
TEST(NeighborSearch, IsExactAmongCategoriesAndNumbers) {
    for (const Index max_neighbors : {5, 40}) expect_exact_search(table_points(1500, 3, 14), table_points(100, 3, 14, 1), max_neighbors);
    const Points points = table_points(4500, 4, 20);
    const NeighborGraph expected = predecessor_graph(points, 20, {}, SearchMethod::brute_force);
    std::int64_t pairs = 0;
    EXPECT_EQ(predecessor_graph(points, 20, {}, SearchMethod::boxes, &pairs), expected);
    EXPECT_LT(pairs, 4500 * 4499 / 2 / 2);  // half of the pairs and more are never looked at
}

// The search itself must not grow faster than the data.
TEST(NeighborSearch, LooksAtAsManyPairsPerRowHoweverManyRowsThereAre) {
    const auto pairs_per_row = [](Index count) {
        std::int64_t pairs = 0;
        predecessor_graph(uniform_points(count, 2), 16, {}, SearchMethod::boxes, &pairs);
        return static_cast<double>(pairs) / count;
    };
    const double few = pairs_per_row(20000), many = pairs_per_row(80000);
    EXPECT_LT(many, 1.1 * few);
    EXPECT_LT(many, 400.0);  // 16 neighbours are the nearest of some 300
}

TEST(NeighborSearch, IsExactForMoreNeighborsThanABlockHolds) {
    const Points samples[] = {uniform_points(1200, 3), grid_points(1200, 3, 8), duplicated_points(1200, 6, 700), table_points(1200, 3, 10)};
    for (const Points& points : samples) {
        const NeighborGraph expected = predecessor_graph(points, 400, {}, SearchMethod::brute_force);
        for (const int threads : {1, 2}) EXPECT_EQ(predecessor_graph(points, 400, {.threads = threads}), expected);
    }
}

TEST(NeighborSearch, IsExactAtEveryNumberOfPointsAroundPanelsAndBlocks) {
    for (const Index count : {2, 3, 15, 16, 17, 31, 33, 255, 256, 257, 271, 273, 513})
        for (const Index dim : {1, 5}) {
            const Points points = uniform_points(count, dim);
            EXPECT_EQ(predecessor_graph(points, 7, {}), predecessor_graph(points, 7, {}, SearchMethod::brute_force)) << count;
            const Points queries = uniform_points(9, dim, 1);
            EXPECT_EQ(nearest_graph(points, queries, 7, {}), nearest_graph(points, queries, 7, {}, SearchMethod::brute_force)) << count;
        }
}

TEST(NeighborSearch, CountsEveryPairOfTheReference) {
    std::int64_t pairs = 0;
    predecessor_graph(uniform_points(50, 2), 3, {}, SearchMethod::brute_force, &pairs);
    EXPECT_EQ(pairs, 50 * 49 / 2);
}

TEST(NeighborSearch, OfConstantPointsTakesTheFirstOnes) {
    const Points points = Points::Constant(300, 5, 1.0 / 3.0);
    for (const auto method : kMethods) {
        const NeighborGraph graph = predecessor_graph(points, 4, {}, method);
        for (Index j = 0; j < 300; ++j)
            for (Index k = 0; k < std::min<Index>(j, 4); ++k) EXPECT_EQ(graph.row(j)[k], k);
    }
}

TEST(NeighborSearch, OfManyEqualPointsIsNotQuadratic) {
    // 150,000 equal points: every pair ties, and looking at all of them would take minutes.
    Points points = Points::Constant(150000, 6, 0.5);
    points.bottomRows(10) = uniform_points(10, 6);
    EXPECT_EQ(predecessor_graph(points, 8, {}).row(140000)[7], 7);
}

TEST(NeighborSearch, TakesNegativeZeroForZero) {
    Points points(4, 1);
    points << -0.0, 0.0, -0.0, 0.0;
    for (const auto method : kMethods) {
        const NeighborGraph graph = predecessor_graph(points, 2, {}, method);
        EXPECT_EQ(graph.row(3)[0], 0);
        EXPECT_EQ(graph.row(3)[1], 1);
    }
}

TEST(NeighborSearch, GivesAllPointsWhenAskedForMoreThanThereAre) {
    for (const Index max_neighbors : {99, 100, 1000}) {
        const Points points = uniform_points(100, 3);
        expect_exact_search(points, uniform_points(20, 3, 1), max_neighbors);
        EXPECT_EQ(predecessor_graph(points, max_neighbors, {}).stride(), 99);
        EXPECT_EQ(nearest_graph(points, points, max_neighbors, {}).stride(), std::min<Index>(max_neighbors, 100));
    }
}

TEST(NeighborSearch, OfOnePointAndOfNone) {
    const Points one = uniform_points(1, 2), none(0, 2);
    for (const auto method : kMethods) {
        EXPECT_TRUE(predecessor_graph(one, 5, {}, method).row(0).empty());
        EXPECT_EQ(predecessor_graph(none, 5, {}, method).num_rows(), 0);
        EXPECT_EQ(nearest_graph(one, one, 5, {}, method).row(0)[0], 0);
        EXPECT_TRUE(nearest_graph(none, one, 5, {}, method).row(0).empty());
        EXPECT_EQ(nearest_graph(one, none, 5, {}, method).num_rows(), 0);
    }
}

// The terms of a sampled likelihood: few rows, each with its predecessors among all points.
TEST(NeighborSearch, OfSomeRowsEqualsThoseRowsOfTheWholeGraph) {
    struct Sample {
        const char* what;
        Points points;
    };
    const Sample samples[] = {{"few points", uniform_points(500, 2)},         {"few dimensions", uniform_points(5000, 2)},
                              {"many dimensions", uniform_points(2500, 20)},  {"few points, repeated", duplicated_points(500, 3, 60)},
                              {"repeated", duplicated_points(6000, 2, 2500)}, {"tied distances", grid_points(5000, 3, 15)},
                              {"constant", Points::Constant(50, 2, 0.25)}};
    for (const auto& [what, points] : samples) {
        const auto count = static_cast<Index>(points.rows());
        const NeighborGraph whole = predecessor_graph(points, 12, {});
        std::vector<Index> rows{0, 1, 2, 11, 12, 13};
        for (Index row = 20; row < count - 1; row += 1 + count / 90) rows.push_back(row);
        rows.push_back(count - 1);
        const NeighborGraph some = predecessor_graph(points, rows, 12, {});
        ASSERT_EQ(some.num_rows(), static_cast<Index>(rows.size()));
        EXPECT_EQ(some.stride(), whole.stride());
        for (std::size_t i = 0; i < rows.size(); ++i)
            EXPECT_TRUE(std::ranges::equal(some.row(static_cast<Index>(i)), whole.row(rows[i]))) << what << ", row " << rows[i];
        EXPECT_EQ(predecessor_graph(points, rows, 12, {.threads = 1}), predecessor_graph(points, rows, 12, {.threads = 2})) << what;
    }
    const Points points = uniform_points(10, 2);
    EXPECT_EQ(predecessor_graph(points, std::vector<Index>{}, 3, {}).num_rows(), 0);
    EXPECT_TRUE(predecessor_graph(uniform_points(1, 2), std::vector<Index>{0}, 3, {}).row(0).empty());
    EXPECT_THROW(predecessor_graph(points, std::vector<Index>{1}, 0, {}), InputError);
}

TEST(NearestIndex, AnswersRepeatedBlocksLikeOneSearchAfterItsInputIsGone) {
    for (const auto method : kMethods) {
        const Points queries = uniform_points(90, 3, 1);
        auto inducing = std::make_unique<Points>(uniform_points(3000, 3));
        const NeighborGraph expected = nearest_graph(*inducing, queries, 7, {}, SearchMethod::brute_force);
        NearestIndex built(*inducing, {}, method);
        inducing.reset();
        const NearestIndex index = std::move(built);
        for (Index begin = 0; begin < 90; begin += 30) {
            const NeighborGraph block = index.search(queries.middleRows(begin, 30), 7, {});
            for (Index i = 0; i < 30; ++i) EXPECT_TRUE(std::ranges::equal(block.row(i), expected.row(begin + i)));
        }
    }
}

TEST(NeighborSearch, RefusesWhatItCannotRank) {
    const Points points = uniform_points(10, 2);
    Points broken = points;
    EXPECT_THROW(predecessor_graph(points, 0, {}), InputError);
    EXPECT_THROW(nearest_graph(points, uniform_points(5, 3), 2, {}), InputError);
    EXPECT_THROW(predecessor_graph(Points(10, 0), 2, {}), InputError);
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e200}) {
        broken(4, 1) = value;
        EXPECT_THROW(predecessor_graph(broken, 2, {}), InputError);
        EXPECT_THROW(nearest_graph(points, broken, 2, {}), InputError);
    }
}

TEST(NeighborSearch, StopsWhenAsked) {
    const std::atomic<bool> stop{true};
    for (const auto method : kMethods) EXPECT_THROW(predecessor_graph(uniform_points(3000, 4), 5, {.stop = &stop}, method), Interrupted);
}

TEST(NeighborSearch, ReportsItsEnd) {
    for (const auto method : kMethods) {
        Progress last;
        Context context;
        context.progress = [&](const Progress& event) { last = event; };
        predecessor_graph(uniform_points(3000, 2), 5, context, method);
        EXPECT_EQ(last.stage, "neighbors");
        EXPECT_EQ(last.done, 3000);
        EXPECT_EQ(last.total, 3000);
    }
}

}  // namespace
}  // namespace vnngp::neighbors
