// A field observed without noise.
#include "model_support.hpp"
#include "vnngp/model/predictor.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

TEST(Noiseless, SmoothFieldsArePredictedToAThousandthOfTheirSpread) {
    const Points x = random_points(300, 2, 1), test = 0.6 * random_points(200, 2, 2);
    const auto truth = [](const Points& points) { return Vector(points.col(0).array().sin() + (0.7 * points.col(1).array()).cos()); };
    const Vector y = truth(x);
    const double spread = root_mean_square(y.array() - y.mean());
    for (const std::string kernel : {"rbf", "matern52", "auto"}) {
        FitOptions options;
        options.kernel = kernel;
        const auto model = fit(x, y, options);
        EXPECT_LT(root_mean_square(model.predict(test).mean - truth(test)), 1e-3 * spread) << kernel;
        // Without noise more neighbours always tell more.
        for (const std::string& warning : model.report.warnings) EXPECT_TRUE(contains(warning, "K = 32 looks small")) << kernel << warning;
        const auto learned = in_data_units(model);
        EXPECT_LT(std::sqrt(learned.likelihood[0] + learned.nugget), 0.01 * spread) << kernel;
    }
}

// The noise starts a million times as large as it is, and a round may lower it by a factor of 8 only.
TEST(Noiseless, SmoothFieldsHaveIntervalsAsNarrowAsTheirErrors) {
    constexpr Index kTrain = 500, kTest = 200;
    const auto data = simulate({.points = kTrain + kTest, .kernel = "rbf", .lengthscales = {0.2}, .noise = 0.0}, {.seed = 3});
    const Points test = data.inputs.bottomRows(kTest);
    const Vector truth = data.targets.tail(kTest);
    for (const Inference inference : {Inference::collapsed, Inference::response}) {
        FitOptions options = settled(20, "rbf");
        options.inference = inference;
        const auto model = fit(data.inputs.topRows(kTrain), data.targets.head(kTrain), options);
        const auto prediction = model.predict(test);
        const double error = root_mean_square(prediction.mean - truth), claimed = std::sqrt(prediction.variance.mean());
        EXPECT_LT(error, 1e-3) << inference_name(inference);
        EXPECT_LT(claimed, 3.0 * error) << inference_name(inference);
        EXPECT_GT(claimed, error / 3.0) << inference_name(inference);
    }
}

}  // namespace
}  // namespace vnngp
