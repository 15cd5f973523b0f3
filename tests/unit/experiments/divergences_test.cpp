#include "experiments/divergences.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/dense_gp.hpp"
#include "vnngp/conditional/rows.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::experiments {
namespace {

struct Example {
    Points points;
    DivergenceProblem problem;
};

Example example(const std::string& kernel, double lengthscale, double diagonal) {
    constexpr Index kSize = 30;
    RandomStream random(4, StreamPurpose::test);
    Example found{Points(kSize, 1), {{}, Vector(kSize), Vector(kSize)}};
    for (Index i = 0; i < kSize; ++i) {
        found.points(i, 0) = (7 * i) % kSize;  // not in the order of the coordinate
        found.problem.mean[i] = random.normal();
        found.problem.variance[i] = 0.1 + random.uniform();
    }
    found.problem.covariance = testing::covariance_matrix(kernel, found.points, found.points, {lengthscale}, 1.0).cast<long double>();
    found.problem.covariance.diagonal().array() += diagonal;
    return found;
}

// KL(N(m, S) || N(0, C)) as textbooks have it.
double textbook(const DivergenceProblem& p) {
    const Eigen::MatrixXd c = p.covariance.cast<double>(), inverse = c.inverse();
    return 0.5 * ((inverse * p.variance.asDiagonal()).trace() + p.mean.dot(inverse * p.mean) - static_cast<double>(p.mean.size()) +
                  std::log(c.determinant()) - p.variance.array().log().sum());
}

TEST(Divergences, ExactOneIsTheTextbooks) {
    const Example e = example("matern52", 2.0, 1e-2);
    EXPECT_NEAR(exact_divergence(e.problem), textbook(e.problem), 1e-8 * textbook(e.problem));
}

TEST(Divergences, AllThreeAreEqualWithAllNeighbors) {
    for (const char* kernel : {"rbf", "matern52"})
        for (const double lengthscale : {1.0, 5.0, 10.0})
            for (const double diagonal : {1e-8, 1e-3}) {
                const Example e = example(kernel, lengthscale, diagonal);
                const auto size = static_cast<Index>(e.points.rows());
                const double exact = exact_divergence(e.problem);
                EXPECT_NEAR(vnngp_divergence(e.problem, neighbors::predecessor_graph(e.points, size, {})), exact, 1e-8 * exact)
                    << kernel << lengthscale;
                EXPECT_NEAR(swsgp_divergence(e.problem, neighbors::nearest_graph(e.points, e.points, size, {})), exact, 1e-8 * exact)
                    << kernel << lengthscale;
            }
}

TEST(Divergences, SwsgpNeverExceedsTheExactOneAndGrowsWithItsNeighborhoods) {
    const Example e = example("rbf", 2.0, 1e-3);
    double last = 0.0;
    for (const Index k : {1, 2, 4, 8, 16, 30}) {
        const double now = swsgp_divergence(e.problem, neighbors::nearest_graph(e.points, e.points, k, {}));
        EXPECT_GE(now, last * (1 - 1e-12)) << k;
        last = now;
    }
    EXPECT_LE(last, exact_divergence(e.problem) * (1 + 1e-12));
}

// The library's own rows (Eq. E2), in double precision.
TEST(Divergences, VnngpsIsThatOfTheLibrarysRows) {
    constexpr double kDiagonal = 1e-3;
    const Example e = example("matern52", 3.0, kDiagonal);
    const auto graph = neighbors::predecessor_graph(e.points, 5, {});
    const auto kernel = kernel::make_kernel("matern52", 1);
    const conditional::Covariance covariance{kernel.get(), {3.0}, 1.0, kDiagonal, 0.0};
    std::vector<Index> rows(static_cast<std::size_t>(e.points.rows()));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<double> terms(rows.size());
    const Vector &m = e.problem.mean, &s = e.problem.variance;
    conditional::visit_rows({}, covariance, {e.points, e.points, graph}, rows, [&](const conditional::Row& row) {
        double r = m[row.id], t = s[row.id];
        for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
            r -= row.weights[k] * m[row.neighbors[k]];
            t += row.weights[k] * row.weights[k] * s[row.neighbors[k]];
        }
        terms[static_cast<std::size_t>(row.position)] =
            0.5 * (std::log(row.variance) - std::log(s[row.id]) - 1 + (t + r * r) / row.variance);
    });
    const double sum = std::accumulate(terms.begin(), terms.end(), 0.0);
    EXPECT_NEAR(vnngp_divergence(e.problem, graph), sum, 1e-9 * std::abs(sum));
}

}  // namespace
}  // namespace vnngp::experiments
