#include "inference/stored_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "small_problem.hpp"
#include "vnngp/neighbors/numbering.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

// Rows of both kinds beside the same as dense matrices.
class StoredRowsOf : public ::testing::Test {
protected:
    SmallProblem f = small_problem("gaussian", Layout::data_rows);
    StoredRows prior{{}, covariance(f.problem, f.hyper), {f.problem.inducing, f.problem.inducing, f.problem.prior_graph}};
    StoredRows data{{}, covariance(f.problem, f.hyper), {f.problem.inducing, f.problem.inputs, f.problem.data_graph}};
    MatrixXd k = testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale);
    double diagonal = f.hyper.nugget + f.problem.jitter * f.hyper.outputscale;
    testing::DenseRows dense_prior = testing::dense_rows(k, f.problem.prior_graph, diagonal);
    DenseProblem dense = dense_problem(f.problem, f.hyper);
    Vector x = testing::random_vector(18, 51), u = testing::random_vector(31, 52);
};

double largest(const Vector& difference) { return difference.cwiseAbs().maxCoeff(); }

TEST_F(StoredRowsOf, ProductsEqualThoseOfDenseMatrices) {
    EXPECT_LT(largest(prior.variance - dense_prior.f), 1e-12);
    EXPECT_LT(largest(data.variance - dense.v), 1e-12);
    EXPECT_LT(largest(prior.multiply({}, x) - dense_prior.b * x), 1e-11);
    EXPECT_LT(largest(data.multiply({}, x) - dense.a * x), 1e-11);
    EXPECT_LT(largest(prior.multiply_squares({}, x) - dense_prior.b.cwiseAbs2() * x), 1e-11);
    EXPECT_LT(largest(data.multiply_squares({}, x) - dense.a.cwiseAbs2() * x), 1e-11);

    const Vector start = testing::random_vector(18, 54);
    const auto added = [&](auto&& add) {
        Vector y = start;
        add(y);
        return Vector(y - start);
    };
    EXPECT_LT(largest(added([&](Vector& y) { prior.add_transposed({}, x, y); }) - dense_prior.b.transpose() * x), 1e-11);
    EXPECT_LT(largest(added([&](Vector& y) { data.add_transposed({}, u, y); }) - dense.a.transpose() * u), 1e-11);
    EXPECT_LT(largest(added([&](Vector& y) { prior.add_transposed_squares({}, x, y); }) - dense_prior.b.cwiseAbs2().transpose() * x),
              1e-11);
    EXPECT_LT(largest(added([&](Vector& y) { data.add_transposed_squares({}, u, y); }) - dense.a.cwiseAbs2().transpose() * u), 1e-11);
}

// Rows of three regions, whose edges do not keep to them, beside dense matrices with and without the edges between regions.
class StoredRowsOfRegions : public ::testing::Test {
protected:
    static std::vector<neighbors::Region> cut(const neighbors::NeighborGraph& graph) {
        std::vector<neighbors::Region> regions{{0, 7}, {7, 12}, {12, 18}};
        for (neighbors::Region& region : regions)
            for (Index i = region.begin; i < region.end; ++i)
                if (std::ranges::any_of(graph.row(i), [&](Index j) { return !region.holds(j); })) region.border.push_back(i);
        return regions;
    }
    StoredRowsOfRegions() {
        std::iota(order.begin(), order.end(), 0);
        f.problem.prior_graph = neighbors::renumbered(f.problem.prior_graph, order, {});
        f.problem.regions = cut(f.problem.prior_graph);
        rows = {{}, covariance(f.problem, f.hyper), {f.problem.inducing, f.problem.inducing, f.problem.prior_graph}, f.problem.regions};
        dense = testing::dense_rows(k, f.problem.prior_graph, f.hyper.nugget + f.problem.jitter * f.hyper.outputscale);
        within = dense.b;
        for (Index i = 0; i < 18; ++i)
            for (Index j = 0; j < 18; ++j)
                for (const auto& region : f.problem.regions)
                    if (region.holds(i) && !region.holds(j)) within(i, j) = 0.0;
        r = factor.deviation.cwiseInverse().asDiagonal() * (MatrixXd::Identity(18, 18) - factor.shrinkage.asDiagonal() * within);
    }
    std::vector<Index> order = std::vector<Index>(18);
    SmallProblem f = small_problem("gaussian", Layout::one_per_site);
    MatrixXd k = testing::covariance_matrix("matern52", f.problem.inducing, f.problem.inducing, f.hyper.shape, f.hyper.outputscale);
    StoredRows rows;
    testing::DenseRows dense;
    MatrixXd within, r;
    Factor factor{testing::random_vector(18, 53).cwiseAbs(), testing::random_vector(18, 59).cwiseAbs().array() + 0.5};
    Vector x = testing::random_vector(18, 51), u = testing::random_vector(18, 58);
};

TEST_F(StoredRowsOfRegions, AreCutSomewhere) { EXPECT_GT((dense.b - within).cwiseAbs().maxCoeff(), 0.01); }

TEST_F(StoredRowsOfRegions, HaveAllEdgesInProducts) {
    EXPECT_LT(largest(rows.multiply({}, x) - dense.b * x), 1e-11);
    Vector y = u;
    rows.add_transposed({}, x, y);
    EXPECT_LT(largest(y - u - dense.b.transpose() * x), 1e-11);
    rows.add_transposed_squares({}, x, y = u);
    EXPECT_LT(largest(y - u - dense.b.cwiseAbs2().transpose() * x), 1e-11);
}

TEST_F(StoredRowsOfRegions, HaveAFactorWithinRegions) {
    EXPECT_LT(largest(rows.multiply({}, factor, x) - r * x), 1e-11);
    Vector y;
    rows.solve({}, factor, x, y);
    EXPECT_LT(largest(r * y - x), 1e-10);
    rows.solve_transposed({}, factor, y = x);
    EXPECT_LT(largest(r.transpose() * y - x), 1e-10);
}

TEST_F(StoredRowsOfRegions, TakeProductsWithAllEdgesAlong) {
    Vector y, innovation(18);
    rows.solve({}, factor, x, y, &innovation);
    EXPECT_LT(largest(r * y - x), 1e-10);
    EXPECT_LT(largest(innovation.cwiseProduct(dense.f) - (y - dense.b * y)), 1e-10);
    rows.solve_transposed({}, factor, y = x, &u);
    EXPECT_LT(largest(r.transpose() * y - (x - dense.b.transpose() * u)), 1e-10);
}

TEST_F(StoredRowsOfRegions, EliminateWithinRegions) {
    Vector d = x.cwiseAbs();
    const Vector found = rows.eliminated({}, d);
    for (Index i = 18; i-- > 0;)
        if (within.row(i).squaredNorm() <= 1.0) d += d[i] / (1.0 + d[i] * dense.f[i]) * within.row(i).cwiseAbs2().transpose();
    EXPECT_LT(largest(found - d), 1e-11);
}

// Enough rows for several chunks, several partial sums, and runs that are cut into parts.
class ManyRows : public ::testing::Test {
protected:
    static constexpr Index kCount = 60000;
    ManyRows() {
        const Points unordered = testing::random_points(kCount, 2, 55);
        const auto searched = neighbors::predecessor_graph(unordered, 3, {});
        auto numbering = neighbors::cache_numbering(searched, unordered, {});
        graph = neighbors::renumbered(searched, numbering.order, {});
        points = unordered(numbering.order, Eigen::all);
        regions = std::move(numbering.regions);
    }
    StoredRows rows(const Context& context, const std::vector<neighbors::Region>& how) const {
        return {context, {kernel.get(), {0.5, 0.7}, 1.0, 0.1}, {points, points, graph}, how};
    }
    StoredRows rows(const Context& context) const { return rows(context, regions); }

    Points points;
    neighbors::NeighborGraph graph;
    std::vector<neighbors::Region> regions;
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern12", 2);
    Vector x = testing::random_vector(kCount, 56);
    Factor factor{testing::random_vector(kCount, 57).cwiseAbs().cwiseMin(1.0), testing::random_vector(kCount, 60).cwiseAbs().array() + 0.5};
};

TEST_F(ManyRows, GiveIdenticalResultsOnOneAndTwoThreads) {
    const auto results = [&](const Context& context) {
        const StoredRows rows = this->rows(context);
        Vector y = x, z = x, lower = x, transposed = x;
        rows.add_transposed(context, x, y);
        rows.add_transposed_squares(context, x, z);
        Vector innovation(kCount);
        rows.solve(context, factor, x, lower, &innovation);
        rows.solve_transposed(context, factor, transposed, &innovation);
        return std::vector<Vector>{rows.variance,
                                   rows.multiply(context, x),
                                   rows.multiply_squares(context, x),
                                   y,
                                   z,
                                   lower,
                                   innovation,
                                   transposed,
                                   rows.eliminated(context, x.cwiseAbs())};
    };
    const auto one = results({.threads = 1}), two = results({.threads = 2});
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], two[i]) << i;
}

TEST_F(ManyRows, SolvesInvertProducts) {
    const Context context{.threads = 2};
    const StoredRows rows = this->rows(context);
    EXPECT_EQ(regions.size(), 4U);
    Vector y;
    rows.solve(context, factor, x, y);
    EXPECT_LT(largest(rows.multiply(context, factor, y) - x), 1e-9);
    // z'R^{-1}x and x'R^{-T}z
    Vector z = testing::random_vector(kCount, 61);
    const double forward = z.dot(y);
    rows.solve_transposed(context, factor, z);
    EXPECT_NEAR(z.dot(x), forward, 1e-9 * kCount);
}

TEST_F(ManyRows, HaveTheSameProductsWithRegionsAndWithout) {
    const Context context{.threads = 2};
    const StoredRows cut = rows(context), whole = rows(context, {});
    EXPECT_EQ(cut.multiply(context, x), whole.multiply(context, x));
    Vector y = x, z = x;
    cut.add_transposed(context, x, y);
    whole.add_transposed(context, x, z);
    EXPECT_LT(largest(y - z), 1e-12);
}

}  // namespace
}  // namespace vnngp::inference
