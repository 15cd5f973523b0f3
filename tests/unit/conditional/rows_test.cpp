#include "vnngp/conditional/rows.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/dense_gp.hpp"
#include "support/finite_difference.hpp"
#include "support/golden_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::conditional {
namespace {

using neighbors::NeighborGraph;

std::vector<Index> all_rows(Index count) {
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

struct Collected {
    std::vector<std::vector<double>> weights;
    Vector variance;
    JitterReport jitter;
};
Collected collect(const Covariance& covariance, const Neighborhoods& neighborhoods, const Context& context = {}) {
    const Index count = neighborhoods.graph.num_rows();
    Collected out{std::vector<std::vector<double>>(count), Vector(count), {}};
    out.jitter = visit_rows(context, covariance, neighborhoods, all_rows(count), [&](const Row& row) {
        EXPECT_EQ(row.id, row.position);
        out.weights[row.id].assign(row.weights.begin(), row.weights.end());
        out.variance[row.id] = row.variance;
    });
    return out;
}

struct Case {
    std::string kernel;
    Index neighbors;
};
class PriorRows : public ::testing::TestWithParam<Case> {};

TEST_P(PriorRows, EqualDenseAlgebra) {
    const auto [name, k] = GetParam();
    const Points points = testing::random_points(50, 3, 5);
    const auto kernel = kernel::make_kernel(name, 3);
    const Covariance covariance{kernel.get(), {1.2, 0.8, 2.0}, 1.7, 0.03, 1e-8};
    const NeighborGraph graph = neighbors::predecessor_graph(points, k, {});
    const auto rows = collect(covariance, {points, points, graph});
    const auto dense = testing::dense_rows(testing::covariance_matrix(name, points, points, covariance.shape, 1.7), graph, 0.03 + 1.7e-8);
    for (Index j = 0; j < 50; ++j) {
        EXPECT_NEAR(rows.variance[j], dense.f[j], 1e-10);
        const auto neighbors = graph.row(j);
        ASSERT_EQ(rows.weights[j].size(), neighbors.size());
        for (std::size_t p = 0; p < neighbors.size(); ++p) EXPECT_NEAR(rows.weights[j][p], dense.b(j, neighbors[p]), 1e-9);
    }
    EXPECT_EQ(rows.jitter.raised, 0);
}

INSTANTIATE_TEST_SUITE_P(KernelsAndSizes, PriorRows,
                         ::testing::Values(Case{"matern12", 1}, Case{"matern32", 5}, Case{"matern52", 8}, Case{"rbf", 13},
                                           Case{"matern52", 49}),
                         [](const auto& suite) { return suite.param.kernel + "_" + std::to_string(suite.param.neighbors); });

TEST(PriorRows, AllPredecessorsReproduceTheExactPrior) {
    const Points points = testing::random_points(30, 2, 6);
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.5}, 2.0, 0.1, 0.0};
    const NeighborGraph graph = neighbors::predecessor_graph(points, 30, {});
    const auto rows = collect(covariance, {points, points, graph});
    testing::DenseRows dense{Eigen::MatrixXd::Zero(30, 30), rows.variance};
    for (Index j = 0; j < 30; ++j)
        for (std::size_t p = 0; p < rows.weights[j].size(); ++p) dense.b(j, graph.row(j)[p]) = rows.weights[j][p];
    const Eigen::MatrixXd exact =
        testing::covariance_matrix("matern32", points, points, covariance.shape, 2.0) + 0.1 * Eigen::MatrixXd::Identity(30, 30);
    EXPECT_LT((testing::precision(dense) * exact - Eigen::MatrixXd::Identity(30, 30)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PriorRows, MatchTheGoldenValues) {
    const auto& golden = testing::oracle()["gp"];
    const Points z = testing::golden_points(golden["Z"]);
    const auto kernel = kernel::make_kernel("matern52", 2);
    const Covariance covariance{kernel.get(), golden["lengthscales"], golden["outputscale"], golden["nugget"], 0.0};
    const NeighborGraph graph = testing::golden_graph(golden["prior_neighbors"], golden["neighbors"]);
    const auto rows = collect(covariance, {z, z, graph});
    for (Index j = 0; j < z.rows(); ++j) {
        EXPECT_NEAR(rows.variance[j], golden["K1"]["f"][j].get<double>(), 1e-11);
        for (std::size_t p = 0; p < rows.weights[j].size(); ++p)
            EXPECT_NEAR(rows.weights[j][p], golden["K1"]["b"][j][p].get<double>(), 1e-10);
    }
}

TEST(DataRows, MatchTheGoldenValuesAndDropTheNuggetWhenPredicting) {
    const auto& golden = testing::oracle()["gp"];
    const Points z = testing::golden_points(golden["Z"]), x = testing::golden_points(golden["X"]);
    const auto kernel = kernel::make_kernel("matern52", 2);
    const double nugget = golden["nugget"];
    const Covariance covariance{kernel.get(), golden["lengthscales"], golden["outputscale"], nugget, 0.0};
    const NeighborGraph graph = testing::golden_graph(golden["data_neighbors"], golden["neighbors"]);
    const auto training = collect(covariance, {z, x, graph, true}), prediction = collect(covariance, {z, x, graph, false});
    for (Index i = 0; i < x.rows(); ++i) {
        EXPECT_NEAR(training.variance[i], golden["K3"]["v_with_nugget"][i].get<double>(), 1e-11);
        EXPECT_NEAR(prediction.variance[i], training.variance[i] - nugget, 1e-11);
        EXPECT_EQ(training.weights[i], prediction.weights[i]);
        for (std::size_t p = 0; p < 4; ++p) EXPECT_NEAR(training.weights[i][p], golden["K3"]["a"][i][p].get<double>(), 1e-10);
    }
}

TEST(PredictionRows, NeighboursWithoutANuggetHaveOnlyTheJitterOnTheDiagonal) {
    const Points points = testing::random_points(40, 2, 21), targets = testing::random_points(20, 2, 22);
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.5}, 2.0, 0.3, 1e-6};
    const NeighborGraph graph = neighbors::nearest_graph(points, targets, 9, {});
    const auto rows = collect(covariance, {points, targets, graph, false, 25});
    const Eigen::MatrixXd k = testing::covariance_matrix("matern32", points, points, covariance.shape, 2.0);
    const Eigen::MatrixXd across = testing::covariance_matrix("matern32", points, targets, covariance.shape, 2.0);
    bool mixed = false;
    for (Index i = 0; i < 20; ++i) {
        const auto n = graph.row(i);
        const std::vector<Index> self{i};
        Eigen::MatrixXd c_block = testing::select(k, n, n);
        Index smooth = 0;
        for (std::size_t p = 0; p < n.size(); ++p) {
            c_block(p, p) += 2e-6 + (n[p] < 25 ? 0.3 : 0.0);
            if (n[p] >= 25) ++smooth;
        }
        mixed = mixed || (smooth > 0 && smooth < 9);
        const Vector c = testing::select(across, n, self), solved = c_block.ldlt().solve(c);
        for (std::size_t p = 0; p < n.size(); ++p) EXPECT_NEAR(rows.weights[i][p], solved[p], 1e-9);
        EXPECT_NEAR(rows.variance[i], 2.0 - c.dot(solved), 1e-9);
    }
    EXPECT_TRUE(mixed);
    EXPECT_EQ(rows.jitter.raised, 0);
    const auto ignore = [](const Row&, RowAdjoint&) {};
    EXPECT_THROW(visit_rows_with_adjoint({}, covariance, {points, targets, graph, false, 25}, all_rows(20), ignore), std::invalid_argument);
}

TEST(VisitRows, TakesAnyListOfRowsInAnyOrder) {
    const Points points = testing::random_points(40, 2, 7);
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.0}, 1.0, 0.01};
    const NeighborGraph graph = neighbors::predecessor_graph(points, 6, {});
    const auto all = collect(covariance, {points, points, graph});
    const std::vector<Index> some{39, 0, 17, 3, 3, 21, 1, 2, 5, 30, 8};
    int visited = 0;
    visit_rows({.threads = 1}, covariance, {points, points, graph}, some, [&](const Row& row) {
        EXPECT_EQ(row.id, some[row.position]);
        EXPECT_NEAR(row.variance, all.variance[row.id], 1e-13);
        ++visited;
    });
    EXPECT_EQ(visited, 11);
    visit_rows({}, covariance, {points, points, graph}, {}, [](const Row&) { FAIL(); });
}

// sum over rows of (alpha_j . b_j + beta_j f_j) for fixed random alpha, beta: its adjoint against finite differences.
class Adjoint : public ::testing::TestWithParam<bool> {
protected:
    Points inducing = testing::random_points(25, 2, 8), targets = testing::random_points(25, 2, 9);
    bool prior() const { return GetParam(); }
    NeighborGraph graph = GetParam() ? neighbors::predecessor_graph(inducing, 5, {}) : neighbors::nearest_graph(inducing, targets, 5, {});
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern52", 2);
    Covariance covariance{kernel.get(), {1.3, 0.7}, 1.4, 0.05, 1e-8};
    Points alpha = testing::random_points(25, 5, 10);
    Vector beta = testing::random_vector(25, 11);

    double objective(const Covariance& at, const Points& z) const {
        std::vector<double> terms(25);
        visit_rows({}, at, {z, prior() ? z : targets, graph, prior()}, all_rows(25), [&](const Row& row) {
            terms[row.id] = beta[row.id] * row.variance;
            for (std::size_t p = 0; p < row.weights.size(); ++p) terms[row.id] += alpha(row.id, p) * row.weights[p];
        });
        return std::accumulate(terms.begin(), terms.end(), 0.0);
    }
    AdjointResult adjoint(std::span<double> locations, int threads = 1) const {
        return visit_rows_with_adjoint(
            {.threads = threads}, covariance, {inducing, prior() ? inducing : targets, graph, prior()}, all_rows(25),
            [&](const Row& row, RowAdjoint& out) {
                out.variance = beta[row.id];
                for (std::size_t p = 0; p < row.weights.size(); ++p) out.weights[p] = alpha(row.id, p);
            },
            locations);
    }
};

TEST_P(Adjoint, MatchesFiniteDifferencesInTheCovariance) {
    const auto gradient = adjoint({}).gradient;
    for (int d = 0; d < 2; ++d) {
        const auto along = [&](double x) {
            Covariance moved = covariance;
            moved.shape[d] = std::exp(x);
            return objective(moved, inducing);
        };
        EXPECT_NEAR(gradient.log_shape[d], testing::derivative(along, std::log(covariance.shape[d]), 1e-3), 1e-7);
    }
    const auto along_scale = [&](double x) {
        Covariance moved = covariance;
        moved.outputscale = std::exp(x);
        return objective(moved, inducing);
    };
    EXPECT_NEAR(gradient.log_outputscale, testing::derivative(along_scale, std::log(covariance.outputscale), 1e-3), 1e-7);
    const auto along_nugget = [&](double x) {
        Covariance moved = covariance;
        moved.nugget = std::exp(x);
        return objective(moved, inducing);
    };
    EXPECT_NEAR(gradient.log_nugget, testing::derivative(along_nugget, std::log(covariance.nugget), 1e-3), 1e-7);
}

TEST_P(Adjoint, MatchesFiniteDifferencesInTheLocations) {
    std::vector<double> per_row(25 * 6 * 2);
    adjoint(per_row);
    Points total = Points::Zero(25, 2);
    for (Index i = 0; i < 25; ++i) {
        const auto row = graph.row(i);
        for (int d = 0; d < 2; ++d) {
            for (std::size_t p = 0; p < row.size(); ++p) total(row[p], d) += per_row[(i * 6 + p) * 2 + d];
            if (prior()) total(i, d) += per_row[(i * 6 + 5) * 2 + d];
        }
    }
    for (Index j = 0; j < 25; j += 3)
        for (int d = 0; d < 2; ++d) {
            const auto along = [&](double x) {
                Points moved = inducing;
                moved(j, d) = x;
                return objective(covariance, moved);
            };
            EXPECT_NEAR(total(j, d), testing::derivative(along, inducing(j, d), 1e-4), 1e-6) << j << " " << d;
        }
}

TEST_P(Adjoint, IsIdenticalOnOneAndTwoThreads) {
    const auto one = adjoint({}, 1).gradient, two = adjoint({}, 2).gradient;
    EXPECT_EQ(one.log_shape, two.log_shape);
    EXPECT_EQ(one.log_outputscale, two.log_outputscale);
    EXPECT_EQ(one.log_nugget, two.log_nugget);
}

INSTANTIATE_TEST_SUITE_P(Rows, Adjoint, ::testing::Bool(), [](const auto& suite) { return suite.param ? "Prior" : "Data"; });

TEST(PriorRows, ANuggetFarAboveTheOutputScaleIsNoTrouble) {
    const Points points = testing::random_points(21, 2, 14);
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.0}, 1e-3, 5.0};
    const NeighborGraph graph = neighbors::predecessor_graph(points, 5, {});
    const auto rows = collect(covariance, {points, points, graph});
    EXPECT_EQ(rows.jitter.raised, 0);
    for (Index j = 0; j < 21; ++j) EXPECT_NEAR(rows.variance[j], 5.001, 1e-5);
}

TEST(Jitter, IsRaisedOnlyWhereCoincidentPointsNeedIt) {
    Points points = testing::random_points(60, 2, 12);
    points.row(11) = points.row(10);
    points.row(12) = points.row(10);
    const auto kernel = kernel::make_kernel("rbf", 2);
    const Covariance covariance{kernel.get(), {0.5, 0.5}, 1.0, 0.0, 0.0};
    const NeighborGraph graph = neighbors::predecessor_graph(points, 3, {});
    Index with_duplicates = 0;
    for (Index j = 0; j < 60; ++j) {
        const auto row = graph.row(j);
        const auto is_copy = [](Index p) { return p >= 10 && p <= 12; };
        if (std::count_if(row.begin(), row.end(), is_copy) + is_copy(j) >= 2) ++with_duplicates;
    }
    const auto rows = collect(covariance, {points, points, graph});
    ASSERT_GT(with_duplicates, 1);
    EXPECT_EQ(rows.jitter.raised, with_duplicates);
    EXPECT_GT(rows.jitter.largest, 0.0);
    EXPECT_LE(rows.jitter.largest, 1e-8);
    EXPECT_GT(rows.variance.minCoeff(), 0.0);
}

TEST(Jitter, IsThereForCoincidentNeighboursWithoutANugget) {
    Points points = testing::random_points(20, 2, 23), target = testing::random_points(1, 2, 24);
    points.row(19) = points.row(18);
    NeighborGraph graph(1, 3);
    graph.set_row(0, std::vector<Index>{3, 18, 19});
    const auto kernel = kernel::make_kernel("rbf", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.0}, 1.0, 0.1, 0.0};
    EXPECT_EQ(collect(covariance, {points, target, graph, false}).jitter.raised, 0);
    const auto rows = collect(covariance, {points, target, graph, false, 10});
    EXPECT_NEAR(rows.weights[0][1], rows.weights[0][2], 1e-5) << "what is the same point twice counts half each time";
}

TEST(Jitter, AHopelessNeighbourhoodNamesItsPoint) {
    Points points = testing::random_points(20, 2, 13);
    const NeighborGraph graph = neighbors::predecessor_graph(points, 3, {});
    points(19, 0) = std::numeric_limits<double>::quiet_NaN();
    const auto kernel = kernel::make_kernel("matern32", 2);
    const Covariance covariance{kernel.get(), {1.0, 1.0}, 1.0};
    try {
        collect(covariance, {points, points, graph});
        FAIL();
    } catch (const NumericalError& error) {
        EXPECT_NE(std::string(error.what()).find("point 19"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace vnngp::conditional
