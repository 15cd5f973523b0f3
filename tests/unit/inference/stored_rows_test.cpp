#include "inference/stored_rows.hpp"

#include <gtest/gtest.h>

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
    Vector x = testing::random_vector(18, 51), u = testing::random_vector(31, 52), scale = testing::random_vector(18, 53).cwiseAbs();
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

TEST_F(StoredRowsOf, UnitLowerSolvesInvertDenseMatrices) {
    const MatrixXd lower = MatrixXd::Identity(18, 18) - scale.asDiagonal() * dense_prior.b;
    Vector y = x;
    prior.solve_unit_lower({}, scale, y);
    EXPECT_LT(largest(lower * y - x), 1e-11);
    y = x;
    prior.solve_unit_lower_transposed({}, scale, y);
    EXPECT_LT(largest(lower.transpose() * y - x), 1e-11);
}

TEST_F(StoredRowsOf, SolvesTakeProductsAlong) {
    const MatrixXd unscaled = MatrixXd::Identity(18, 18) - dense_prior.b,
                   lower = MatrixXd::Identity(18, 18) - scale.asDiagonal() * dense_prior.b;
    Vector y = x, innovation(18);
    prior.solve_unit_lower({}, scale, y, &innovation);
    EXPECT_LT(largest(lower * y - x), 1e-11);
    EXPECT_LT(largest(innovation.cwiseProduct(dense_prior.f) - unscaled * y), 1e-11);
    const Vector other = testing::random_vector(18, 58);
    y = x;
    prior.solve_unit_lower_transposed({}, scale, y, &other);
    EXPECT_LT(largest(lower.transpose() * y - (x - dense_prior.b.transpose() * other)), 1e-11);
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
        schedule = std::move(numbering.schedule);
    }
    StoredRows rows(const Context& context, const neighbors::Schedule& how) const {
        return {context, {kernel.get(), {0.5, 0.7}, 1.0, 0.1}, {points, points, graph}, how};
    }
    StoredRows rows(const Context& context) const { return rows(context, schedule); }

    Points points;
    neighbors::NeighborGraph graph;
    neighbors::Schedule schedule;
    std::unique_ptr<kernel::Kernel> kernel = kernel::make_kernel("matern12", 2);
    Vector x = testing::random_vector(kCount, 56), scale = testing::random_vector(kCount, 57).cwiseAbs().cwiseMin(1.0);
};

TEST_F(ManyRows, GiveIdenticalResultsOnOneAndTwoThreads) {
    const auto results = [&](const Context& context) {
        const StoredRows rows = this->rows(context);
        Vector y = x, z = x, lower = x, transposed = x;
        rows.add_transposed(context, x, y);
        rows.add_transposed_squares(context, x, z);
        Vector innovation(kCount);
        rows.solve_unit_lower(context, scale, lower, &innovation);
        rows.solve_unit_lower_transposed(context, scale, transposed, &innovation);
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
    Vector y = x;
    rows.solve_unit_lower(context, scale, y);
    EXPECT_LT(largest(y - scale.cwiseProduct(rows.multiply(context, y)) - x), 1e-9);
    y = x;
    rows.solve_unit_lower_transposed(context, scale, y);
    Vector image = y;
    rows.add_transposed(context, -scale.cwiseProduct(y), image);
    EXPECT_LT(largest(image - x), 1e-9);
}

TEST_F(ManyRows, GiveTheSameWithAScheduleAndWithout) {
    const Context context{.threads = 2};
    const StoredRows scheduled = rows(context), plain = rows(context, {});
    Vector y = x, z = x;
    scheduled.solve_unit_lower(context, scale, y);
    plain.solve_unit_lower(context, scale, z);
    EXPECT_EQ(y, z);
    scheduled.solve_unit_lower_transposed(context, scale, y = x);
    plain.solve_unit_lower_transposed(context, scale, z = x);
    EXPECT_LT(largest(y - z), 1e-11);
    EXPECT_LT(largest(scheduled.eliminated(context, x.cwiseAbs()) - plain.eliminated(context, x.cwiseAbs())), 1e-11);
}

}  // namespace
}  // namespace vnngp::inference
