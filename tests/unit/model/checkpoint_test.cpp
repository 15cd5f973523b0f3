// Minibatch training is the one that may take hours: it can be interrupted and resumed.
#include <atomic>

#include "model_support.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;
using Checkpoints = TemporaryDirectory;

FitOptions minibatches() {
    FitOptions options = settled();
    options.inference = Inference::stochastic;
    options.metric = Metric::euclidean;
    options.epochs = 40;
    options.batch = 64;
    options.learning_rate = 0.05;
    return options;
}

TEST_F(Checkpoints, AnInterruptedFitResumesToTheSameModel) {
    const Points x = random_points(200, 2, 23);
    FitOptions options = minibatches();
    const auto whole = fit(x, wave(x), options, {.seed = 4});

    options.checkpoint = path("run.checkpoint");
    std::atomic<bool> stop{false};
    int events = 0;
    Context context{.seed = 4,
                    .progress =
                        [&](const Progress& event) {
                            if (event.stage == "train" && ++events == 1) stop = true;
                        },
                    .stop = &stop};
    EXPECT_THROW(fit(x, wave(x), options, context), Interrupted);
    ASSERT_TRUE(std::filesystem::exists(options.checkpoint));
    options.resume = true;
    const auto resumed = fit(x, wave(x), options, {.seed = 4});
    EXPECT_EQ(resumed.posterior.mean, whole.posterior.mean);
    EXPECT_EQ(resumed.report.elbo, whole.report.elbo);
    EXPECT_TRUE(std::filesystem::exists(options.checkpoint)) << "kept until the model is safe";
    discard_checkpoint(options.checkpoint);
    EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

TEST_F(Checkpoints, ResumeRefusesNothingAndOtherRuns) {
    const Points x = random_points(200, 2, 24);
    FitOptions options = minibatches();
    options.checkpoint = path("run.checkpoint");
    options.resume = true;
    EXPECT_TRUE(contains(input_error([&] { fit(x, wave(x), options); }), "no checkpoint"));

    options.resume = false;
    std::atomic<bool> stop{false};
    Context context{.progress =
                        [&](const Progress& event) {
                            if (event.stage == "train") stop = true;
                        },
                    .stop = &stop};
    EXPECT_THROW(fit(x, wave(x), options, context), Interrupted);
    options.resume = true;
    const auto refused = [&](const FitOptions& other) {
        return contains(input_error([&] { fit(x, wave(x), other); }), "other data or options");
    };
    FitOptions longer = options, sloping = options;
    longer.epochs = 41;
    sloping.mean = {MeanOption::Kind::linear, {1}};
    EXPECT_TRUE(refused(longer));
    EXPECT_TRUE(refused(sloping));
}

}  // namespace
}  // namespace vnngp
