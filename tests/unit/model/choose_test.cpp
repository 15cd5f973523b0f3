// What is left open is compared on held-out data; what is given is respected.
#include <set>

#include "model_support.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

Simulation field(const std::string& kernel, double lengthscale, double noise, Index points = 400) {
    return simulate({.points = points, .kernel = kernel, .lengthscales = {lengthscale}, .noise = noise, .neighbors = 50}, {.seed = 3});
}

// One after the other, each must be better than the last one taken by more than half the error of the difference.
const Tried& best_of(const std::vector<Tried>& tried) {
    const Tried* best = &tried.front();
    for (const Tried& each : tried)
        if (each.score - best->score > 0.5 * each.error) best = &each;
    return *best;
}

TEST(Choice, OfAKernelTakesTheMoreLikelyOfThoseThatScoreAlike) {
    const auto data = field("matern12", 0.5, 1e-3);
    FitOptions options;
    options.neighbors = 10;
    const auto model = fit(data.inputs, data.targets, options);
    std::set<std::string> kernels;
    for (const Tried& tried : model.report.tried) {
        kernels.insert(tried.kernel);
        EXPECT_EQ(tried.neighbors, 10);
        EXPECT_TRUE(tried.prediction_neighbors == 10 || tried.prediction_neighbors == 20 || tried.prediction_neighbors == 40);
        EXPECT_TRUE(std::isfinite(tried.score));
    }
    EXPECT_EQ(kernels, (std::set<std::string>{"matern12", "matern32", "matern52", "rbf"}));
    EXPECT_EQ(model.report.tried.size(), 4u);
    const auto& tried = model.report.tried;
    const auto chosen = std::find_if(tried.begin(), tried.end(), [&](const Tried& each) { return each.kernel == model.kernel; });
    EXPECT_EQ(model.kernel, "matern12") << "the law of the field itself";
    EXPECT_EQ(best_of(tried).kernel, "matern32") << "held-out rows alone would not have found it";
    EXPECT_NEAR(chosen->score, best_of(tried).score, 0.02);
    EXPECT_EQ(model.prediction_neighbors, chosen->prediction_neighbors);
    EXPECT_GT(model.report.seconds_choose, 0.0);
}

TEST(Choice, OfAKernelFindsASmoothFieldSmooth) {
    const auto data = field("rbf", 0.3, 1e-4);
    FitOptions options;
    options.neighbors = 15;
    const std::string kernel = fit(data.inputs, data.targets, options).kernel;
    EXPECT_TRUE(kernel == "rbf" || kernel == "matern52") << kernel;
}

/// Nothing is left to compare but the neighbours of a prediction.
FitOptions open_prediction(Index neighbors, Inference inference) {
    FitOptions options;
    options.kernel = "matern52";
    options.neighbors = neighbors;
    options.inference = inference;
    return options;
}

TEST(Choice, OfAPredictionNamesNoMoreNeighboursThanThereAre) {
    const auto data = field("matern52", 0.3, 0.01);
    for (const Inference inference : {Inference::automatic, Inference::response}) {
        const auto model = fit(data.inputs.topRows(70), data.targets.head(70), open_prediction(50, inference));
        EXPECT_LE(model.prediction_neighbors, model.inducing.rows());
        ASSERT_EQ(model.report.tried.size(), 1u);
        EXPECT_LE(model.report.tried[0].prediction_neighbors, 60);
    }
}

// Only the neighbours of a prediction are open: what is learned is what would be learned were they not.
TEST(Choice, OfAPredictionLeavesTheTrainingAlone) {
    const auto data = field("matern52", 0.3, 0.01);
    for (const Inference inference : {Inference::automatic, Inference::response}) {
        const FitOptions open = open_prediction(12, inference);
        FitOptions closed = open;
        closed.prediction_neighbors = 24;
        const auto a = fit(data.inputs, data.targets, open), b = fit(data.inputs, data.targets, closed);
        EXPECT_EQ(a.hyper.shape, b.hyper.shape);
        EXPECT_EQ(a.hyper.nugget, b.hyper.nugget);
        EXPECT_EQ(a.posterior.mean, b.posterior.mean);
    }
}

TEST(Choice, OfNeighboursDoublesFrom16WhileItGains) {
    const auto data = field("matern52", 0.3, 0.01);
    FitOptions options;
    options.kernel = "matern52";
    options.neighbors = 0;
    const auto model = fit(data.inputs, data.targets, options);
    const auto& tried = model.report.tried;
    ASSERT_GE(tried.size(), 2u);
    Index expected = 16;
    for (const Tried& each : tried) {
        EXPECT_EQ(each.kernel, "matern52");
        EXPECT_EQ(each.neighbors, expected);
        expected *= 2;
    }
    // Each step up to the chosen K gained more than its error; at most one more was tried, and did not gain enough.
    std::size_t chosen = 0;
    while (chosen < tried.size() && tried[chosen].neighbors != model.neighbors) ++chosen;
    ASSERT_LT(chosen, tried.size());
    EXPECT_GE(chosen + 2, tried.size());
    for (std::size_t i = 1; i <= chosen; ++i) EXPECT_GT(tried[i].score - tried[i - 1].score, tried[i].error);
}

TEST(Choice, OfAKernelAndNeighboursGoesOnFromTheKernel) {
    const auto data = field("matern32", 0.3, 0.05, 200);
    FitOptions options;
    options.neighbors = 0;
    const auto model = fit(data.inputs, data.targets, options);
    const auto& tried = model.report.tried;
    ASSERT_GE(tried.size(), 5u) << "four kernels, then a larger K";
    for (std::size_t i = 4; i < tried.size(); ++i) {
        EXPECT_EQ(tried[i].kernel, model.kernel);
        EXPECT_GT(tried[i].neighbors, tried[i - 1].neighbors);
    }
}

TEST(Choice, OfPredictionNeighboursAloneTriesOneSetting) {
    const auto data = field("matern32", 0.3, 0.05, 200);
    FitOptions options = settled(8, "matern32");
    options.prediction_neighbors = 0;
    const auto model = fit(data.inputs, data.targets, options);
    ASSERT_EQ(model.report.tried.size(), 1u);
    EXPECT_EQ(model.prediction_neighbors, model.report.tried[0].prediction_neighbors);
    EXPECT_EQ(model.neighbors, 8);
    EXPECT_EQ(model.kernel, "matern32");
}

TEST(Choice, RespectsAGivenNumberOfPredictionNeighbours) {
    const auto data = field("matern32", 0.3, 0.05, 200);
    FitOptions options;
    options.neighbors = 8;
    options.prediction_neighbors = 13;
    const auto model = fit(data.inputs, data.targets, options);
    EXPECT_EQ(model.prediction_neighbors, 13);
    EXPECT_EQ(model.report.tried.size(), 4u);
    for (const Tried& tried : model.report.tried) EXPECT_EQ(tried.prediction_neighbors, 13);
}

TEST(Choice, IsNotMadeWhereNothingIsOpen) {
    const auto data = field("matern32", 0.3, 0.05, 200);
    const auto model = fit(data.inputs, data.targets, settled(8, "matern12"));
    EXPECT_TRUE(model.report.tried.empty());
    EXPECT_EQ(model.kernel, "matern12");
    EXPECT_EQ(model.neighbors, 8);
    EXPECT_EQ(model.prediction_neighbors, 16);
}

TEST(Choice, IsNotMadeFromAHandfulOfRowsOrForMinibatches) {
    const auto data = field("matern32", 0.3, 0.05, 100);
    FitOptions options;
    const auto few = fit(data.inputs.topRows(40), data.targets.head(40), options);
    EXPECT_TRUE(few.report.tried.empty());
    EXPECT_EQ(few.kernel, "matern52");
    options.inference = Inference::stochastic;
    options.metric = Metric::euclidean;
    options.epochs = 2;
    const auto minibatches = fit(data.inputs, data.targets, options);
    EXPECT_TRUE(minibatches.report.tried.empty());
    EXPECT_EQ(minibatches.kernel, "matern52");
    EXPECT_EQ(minibatches.neighbors, 32);
}

TEST(Choice, IsTheSameForTheSameSeedAtAnyNumberOfThreads) {
    const auto data = field("matern32", 0.2, 0.05, 150);
    FitOptions options;
    options.neighbors = 6;
    const auto one = fit(data.inputs, data.targets, options, {.threads = 1, .seed = 5});
    const auto two = fit(data.inputs, data.targets, options, {.threads = 2, .seed = 5});
    ASSERT_EQ(one.report.tried.size(), two.report.tried.size());
    for (std::size_t i = 0; i < one.report.tried.size(); ++i) EXPECT_EQ(one.report.tried[i].score, two.report.tried[i].score);
    EXPECT_EQ(one.posterior.mean, two.posterior.mean);
}

}  // namespace
}  // namespace vnngp
