#include "vnngp/conditional/blocks.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/dense_gp.hpp"
#include "support/finite_difference.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::conditional {
namespace {

using neighbors::NeighborGraph;

constexpr Index kRows = 21;  ///< not a multiple of the lanes

// Blocks of random points about random targets, with d and s different in every block.
struct Case {
    explicit Case(const BlockForm& wanted = {0.7, -1.3, 1.9}, const std::string& kernel_name = "matern52", Index block_size = 6,
                  int dims = 2)
        : form(wanted),
          size(block_size),
          inducing(testing::random_points(30, dims, 41)),
          targets(testing::random_points(kRows, dims, 42)),
          graph(neighbors::nearest_graph(inducing, targets, size, {})),
          kernel(kernel::make_kernel(kernel_name, dims)),
          covariance{kernel.get(), std::vector<double>(dims, 1.3), 1.4, 0.05, 1e-8},
          d(testing::random_points(kRows, static_cast<int>(size), 43)),
          s(testing::random_points(kRows, static_cast<int>(size), 44)),
          rows(kRows) {
        std::iota(rows.begin(), rows.end(), 0);
    }

    BlockForm form;
    Index size;
    Points inducing, targets;
    NeighborGraph graph;
    std::unique_ptr<kernel::Kernel> kernel;
    Covariance covariance;
    Points d, s;
    std::vector<Index> rows;

    BlockFill fill() const {
        return [this](const BlockData& block) {
            for (std::size_t p = 0; p < block.points.size(); ++p) {
                block.deviation[p] = d(block.id, p);
                block.spread[p] = s(block.id, p);
            }
        };
    }
    Vector values(const Covariance& at, const Points& z) const {
        Vector found(kRows);
        visit_blocks({}, at, {z, targets, graph}, rows, form, fill(), [&](const Block& block) { found[block.position] = block.value; });
        return found;
    }
};

struct Shape {
    std::string kernel;
    Index size;
    int dims;
};
class Blocks : public ::testing::TestWithParam<Shape> {};

TEST_P(Blocks, EqualDenseAlgebra) {
    const auto [kernel, size, dims] = GetParam();
    const Case c({0.7, -1.3, 1.9}, kernel, size, dims);
    const Eigen::MatrixXd prior = testing::covariance_matrix(kernel, c.inducing, c.inducing, c.covariance.shape, 1.4);
    int visited = 0;
    const auto jitter =
        visit_blocks({.threads = 1}, c.covariance, {c.inducing, c.targets, c.graph}, c.rows, c.form, c.fill(), [&](const Block& block) {
            ++visited;
            const Eigen::MatrixXd cov =
                testing::select(prior, block.points, block.points) + (0.05 + 1.4e-8) * Eigen::MatrixXd::Identity(size, size);
            const Eigen::MatrixXd inverse = cov.inverse();
            const Vector d = c.d.row(block.id), s = c.s.row(block.id), alpha = inverse * d;
            EXPECT_NEAR(block.value, 0.5 * (0.7 * testing::log_determinant(cov) - 1.3 * d.dot(alpha) + 1.9 * s.dot(inverse.diagonal())),
                        1e-8);
            for (Index p = 0; p < size; ++p) {
                EXPECT_NEAR(block.on_deviation[p], -1.3 * alpha[p], 1e-8);
                EXPECT_NEAR(block.on_spread[p], 0.95 * inverse(p, p), 1e-8);
            }
        });
    EXPECT_EQ(visited, kRows);
    EXPECT_EQ(jitter.raised, 0);
}

INSTANTIATE_TEST_SUITE_P(KernelsAndSizes, Blocks,
                         ::testing::Values(Shape{"matern12", 1, 1}, Shape{"matern32", 5, 2}, Shape{"matern52", 8, 6}, Shape{"rbf", 13, 3},
                                           Shape{"matern52", 30, 2}),
                         [](const auto& suite) { return suite.param.kernel + "_" + std::to_string(suite.param.size); });

class BlockAdjoint : public ::testing::TestWithParam<BlockForm> {
protected:
    Case c{GetParam()};
    AdjointResult adjoint(std::span<double> locations = {}, int threads = 1) const {
        return visit_blocks_with_adjoint(
            {.threads = threads}, c.covariance, {c.inducing, c.targets, c.graph}, c.rows, c.form, c.fill(), [](const Block&) {}, locations);
    }
    template <class Change>
    double slope(double log_value, const Change& change) const {
        const auto along = [&](double x) {
            Covariance moved = c.covariance;
            change(moved, std::exp(x));
            return c.values(moved, c.inducing).sum();
        };
        return testing::derivative(along, log_value, 1e-3);
    }
};

TEST_P(BlockAdjoint, MatchesFiniteDifferencesInTheCovariance) {
    const auto gradient = adjoint().gradient;
    for (int d = 0; d < 2; ++d)
        EXPECT_NEAR(gradient.log_shape[d], slope(std::log(1.3), [d](Covariance& at, double x) { at.shape[d] = x; }), 1e-6);
    EXPECT_NEAR(gradient.log_outputscale, slope(std::log(1.4), [](Covariance& at, double x) { at.outputscale = x; }), 1e-6);
    EXPECT_NEAR(gradient.log_nugget, slope(std::log(0.05), [](Covariance& at, double x) { at.nugget = x; }), 1e-6);
}

TEST_P(BlockAdjoint, MatchesFiniteDifferencesInTheLocations) {
    std::vector<double> per_row(static_cast<std::size_t>(kRows) * c.size * 2);
    adjoint(per_row);
    Points total = Points::Zero(30, 2);
    for (Index i = 0; i < kRows; ++i)
        for (Index p = 0; p < c.size; ++p)
            for (int d = 0; d < 2; ++d) total(c.graph.row(i)[p], d) += per_row[(i * c.size + p) * 2 + d];
    for (Index j = 0; j < 30; j += 4)
        for (int d = 0; d < 2; ++d) {
            const auto along = [&](double x) {
                Points moved = c.inducing;
                moved(j, d) = x;
                return c.values(c.covariance, moved).sum();
            };
            EXPECT_NEAR(total(j, d), testing::derivative(along, c.inducing(j, d), 1e-4), 1e-5) << j << " " << d;
        }
}

TEST_P(BlockAdjoint, IsIdenticalOnOneAndTwoThreads) {
    const auto one = adjoint({}, 1).gradient, two = adjoint({}, 2).gradient;
    EXPECT_EQ(one.log_shape, two.log_shape);
    EXPECT_EQ(one.log_outputscale, two.log_outputscale);
    EXPECT_EQ(one.log_nugget, two.log_nugget);
}

TEST_P(BlockAdjoint, LeavesTheValuesAsTheyAre) {
    const Vector alone = c.values(c.covariance, c.inducing);
    visit_blocks_with_adjoint({}, c.covariance, {c.inducing, c.targets, c.graph}, c.rows, c.form, c.fill(),
                              [&](const Block& block) { EXPECT_EQ(block.value, alone[block.position]); });
}

INSTANTIATE_TEST_SUITE_P(Forms, BlockAdjoint,
                         ::testing::Values(BlockForm{1.0, 1.0, 1.0}, BlockForm{-1.0, -1.0, 0.0}, BlockForm{1.0, 0.0, 0.0},
                                           BlockForm{0.0, 1.0, 0.0}, BlockForm{0.0, 0.0, 1.0}),
                         [](const auto& suite) { return "Number" + std::to_string(suite.index); });

// Rows of different lengths share a batch of lanes.
TEST(Blocks, ShorterOnesAreNotDisturbedByLongerOnes) {
    const Case c;
    NeighborGraph ragged(kRows, c.size);
    for (Index i = 0; i < kRows; ++i) ragged.set_row(i, c.graph.row(i).first(1 + i % c.size));
    const auto values = [&](std::span<const Index> rows) {
        std::vector<double> found(kRows);
        visit_blocks({}, c.covariance, {c.inducing, c.targets, ragged}, rows, c.form, c.fill(),
                     [&](const Block& block) { found[block.id] = block.value; });
        return found;
    };
    const auto together = values(c.rows);
    for (const Index i : c.rows) EXPECT_NEAR(values(std::vector<Index>{i})[i], together[i], 1e-12 * (1.0 + std::abs(together[i])));
}

TEST(BlockJitter, IsRaisedOnlyWhereCoincidentPointsNeedIt) {
    Case c;
    const Index one = c.graph.row(0)[0], other = c.graph.row(0)[3];
    c.inducing.row(other) = c.inducing.row(one);
    c.covariance.nugget = 0.0;
    c.covariance.jitter = 0.0;
    Index with_both = 0;
    for (Index i = 0; i < kRows; ++i) {
        const auto row = c.graph.row(i);
        with_both += std::count(row.begin(), row.end(), one) + std::count(row.begin(), row.end(), other) == 2;
    }
    const auto jitter = visit_blocks({}, c.covariance, {c.inducing, c.targets, c.graph}, c.rows, c.form, c.fill(),
                                     [](const Block& block) { EXPECT_TRUE(std::isfinite(block.value)); });
    ASSERT_GT(with_both, 0);
    EXPECT_EQ(jitter.raised, with_both);
    EXPECT_LE(jitter.largest, 1e-8);
}

TEST(BlockJitter, AHopelessBlockNamesItsRow) {
    Case c;
    c.inducing(c.graph.row(17)[0], 0) = std::numeric_limits<double>::quiet_NaN();
    try {
        visit_blocks({}, c.covariance, {c.inducing, c.targets, c.graph}, std::vector<Index>{17}, c.form, c.fill(), [](const Block&) {});
        FAIL();
    } catch (const NumericalError& error) {
        EXPECT_NE(std::string(error.what()).find("point 17"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace vnngp::conditional
