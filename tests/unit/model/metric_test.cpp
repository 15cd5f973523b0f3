// What near means: in training and in prediction alike.
#include <cmath>

#include "dense_prediction.hpp"
#include "vnngp/model/neighbor_search.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

FitOptions with_metric(Metric metric, Index neighbors) {
    FitOptions options = settled(neighbors, "matern32");
    options.prediction_neighbors = neighbors;
    options.metric = metric;
    return options;
}

class EveryMetric : public ::testing::TestWithParam<Metric> {};

TEST_P(EveryMetric, PredictionsLookAtTheNearestInducingPointsInIt) {
    Points x = random_points(300, 2, 1), test = random_points(50, 2, 2);
    const Vector y = (4.0 * x.col(0).array()).sin() + 0.3 * x.col(1).array() + 0.1 * random_vector(300, 3).array();
    const auto model = fit(x, y, with_metric(GetParam(), 6));
    ASSERT_EQ(model.metric, GetParam());
    ASSERT_GT(model.hyper.shape[1], 2.0 * model.hyper.shape[0]) << "the two metrics differ";
    const DenseModel dense(model);
    const auto expected = dense.predict(dense.standardized(test), 6, GetParam());
    const auto prediction = model.predict(test);
    const double unit = model.target_scaling.scale;
    EXPECT_LT((prediction.latent_mean - data::invert(model.target_scaling, expected.mean)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((prediction.latent_variance - unit * unit * expected.variance).cwiseAbs().maxCoeff(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Names, EveryMetric, ::testing::Values(Metric::kernel, Metric::euclidean),
                         [](const auto& suite) { return suite.param == Metric::kernel ? "kernel" : "euclidean"; });

TEST(KernelMetric, IsWorthItWhereAnInputHasNoInfluence) {
    const Points x = random_points(400, 2, 4), test = 0.8 * random_points(200, 2, 5);
    const auto truth = [](const Points& points) { return Vector((4.0 * points.col(0).array()).sin()); };
    const Vector y = truth(x) + 0.1 * random_vector(400, 6);
    const auto error = [&](Metric metric) {
        return root_mean_square(fit(x, y, with_metric(metric, 4)).predict(test).latent_mean - truth(test));
    };
    EXPECT_LT(error(Metric::kernel), 0.85 * error(Metric::euclidean));
}

TEST(KernelMetric, SearchesUntilTheNeighboursSettle) {
    constexpr std::size_t kRounds = 4;
    constexpr double kSettled = 0.03;
    const Points x = random_points(300, 3, 7);
    const Vector y = (3.0 * x.col(0).array()).sin() + 0.2 * x.col(1).array() + 0.1 * random_vector(300, 8).array();
    for (const Inference inference : {Inference::collapsed, Inference::natural, Inference::response}) {
        FitOptions options = with_metric(Metric::kernel, 8);
        options.inference = inference;
        const auto changed = fit(x, y, options).report.neighbors_changed;
        ASSERT_FALSE(changed.empty()) << inference_name(inference);
        for (const double share : changed) EXPECT_TRUE(share >= 0.0 && share <= 1.0);
        EXPECT_LE(changed.size(), kRounds);
        EXPECT_TRUE(changed.back() < kSettled || changed.size() >= kRounds - 1) << inference_name(inference);
        for (std::size_t round = 0; round + 1 < changed.size(); ++round) EXPECT_GE(changed[round], kSettled);
        options.metric = Metric::euclidean;
        EXPECT_TRUE(fit(x, y, options).report.neighbors_changed.empty()) << inference_name(inference);
    }
}

TEST(LargestChange, IsNotExceededByWhatASearchReplaces) {
    constexpr Index kCount = 3000, kNeighbors = 16;
    for (const int dims : {2, 5}) {
        const auto kernel = kernel::make_kernel("matern32", dims);
        const Points points = random_points(kCount, dims, 9);
        const NeighborMetric before{Metric::kernel, *kernel, std::vector<double>(dims, 0.5)};
        const auto graph = nearest_predecessors(before, points, kNeighbors, {});
        for (const double spread : {0.01, 0.1}) {
            NeighborMetric after = before;
            for (int d = 0; d < dims; ++d) after.shape[d] *= 3.0 * std::exp(spread * d / (dims - 1));
            const double replaced = neighbors::fraction_changed(nearest_predecessors(after, points, kNeighbors, {}), graph, {});
            const double most = largest_change(before, after, points);
            EXPECT_NEAR(most, dims * spread, 1e-12);
            EXPECT_GT(replaced, 0.05 * most) << dims;
            EXPECT_LT(replaced, most) << dims;
        }
    }
}

TEST(LargestChange, IsNothingForACommonFactor) {
    const auto kernel = kernel::make_kernel("rbf", 3);
    const Points points = random_points(500, 3, 10);
    const NeighborMetric before{Metric::kernel, *kernel, {0.2, 0.7, 3.0}}, after{Metric::kernel, *kernel, {0.4, 1.4, 6.0}};
    EXPECT_LT(largest_change(before, after, points), 1e-12);
    const auto graph = nearest_predecessors(before, points, 8, {});
    EXPECT_EQ(neighbors::fraction_changed(nearest_predecessors(after, points, 8, {}), graph, {}), 0.0);
}

TEST(LargestChange, IsUnknownWhereMoreThanFactorsDiffer) {
    const Points points = random_points(50, 2, 11);
    // With one parameter a little larger.
    const auto change = [&](const char* expression, std::size_t parameter) {
        const auto kernel = kernel::make_kernel(expression, 2);
        NeighborMetric before{Metric::kernel, *kernel, {}};
        for (const auto& each : kernel->parameters()) before.shape.push_back(each.initial);
        EXPECT_EQ(largest_change(before, before, points), 0.0);
        NeighborMetric after = before;
        after.shape.at(parameter) *= 1.001;
        return largest_change(before, after, points);
    };
    EXPECT_TRUE(std::isinf(change("matern32(x1) + rbf(x2)", 0)));
    EXPECT_LT(change("periodic(x2)", 0), 1e-12) << "its length-scale";
    EXPECT_TRUE(std::isinf(change("periodic(x2)", 1))) << "its period";
    EXPECT_NEAR(change("rbf", 0), 2.0 * std::log(1.001), 1e-12);
}

TEST(KernelMetric, IsNotSearchedAgainWhereOneLengthscaleIsAll) {
    const Points x = random_points(300, 1, 12);
    const Vector y = (9.0 * x.col(0).array()).sin() + 0.1 * random_vector(300, 13).array();
    const auto changed = fit(x, y, with_metric(Metric::kernel, 8)).report.neighbors_changed;
    EXPECT_EQ(changed, std::vector<double>{0.0}) << "the nearest are the nearest at any length-scale";
}

}  // namespace
}  // namespace vnngp
