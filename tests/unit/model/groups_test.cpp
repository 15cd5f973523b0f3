// --groups: training rows of close points computed together.
#include "model_support.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

FitOptions grouped_options() {
    FitOptions options = settled(6, "matern32");
    options.groups = true;
    return options;
}

TEST(Grouped, FitIsTheSameOnOneAndTwoThreads) {
    const Points x = random_points(900, 2, 1);
    const Vector y = wave(x);
    const auto one = fit(x, y, grouped_options(), {.threads = 1}), two = fit(x, y, grouped_options(), {.threads = 2});
    EXPECT_EQ(one.posterior.mean, two.posterior.mean);
    EXPECT_EQ(one.hyper.shape, two.hyper.shape);
    EXPECT_EQ(one.report.elbo, two.report.elbo);
}

// Rows have more neighbours, so that the bound is that of a larger K.
TEST(Grouped, FitIsBetweenThatWithoutGroupsAndOneWithManyNeighbours) {
    const Points x = random_points(900, 2, 1), test = random_points(300, 2, 2);
    const Vector y = wave(x);
    for (const Inference inference : {Inference::collapsed, Inference::response}) {
        FitOptions options = grouped_options();
        options.inference = inference;
        const auto grouped = fit(x, y, options);
        options.groups = false;
        const auto alone = fit(x, y, options);
        options.neighbors = 40;
        const auto wide = fit(x, y, options);
        EXPECT_TRUE(grouped.report.converged);
        EXPECT_GT(grouped.report.elbo, alone.report.elbo + 1.0);
        EXPECT_LT(grouped.report.elbo, wide.report.elbo);
        const auto error = [&](const FittedModel& model) { return root_mean_square(model.predict(test).mean - wide.predict(test).mean); };
        EXPECT_LT(error(grouped), error(alone));
    }
}

TEST(Grouped, FitWithAllPredecessorsIsThatWithoutGroups) {
    const Points x = random_points(80, 2, 3);
    const Vector y = wave(x);
    FitOptions options = settled(79, "matern32");
    const auto alone = fit(x, y, options);
    options.groups = true;
    const auto grouped = fit(x, y, options);
    EXPECT_NEAR(grouped.report.elbo, alone.report.elbo, 1e-3);
    EXPECT_LT((grouped.posterior.mean - alone.posterior.mean).cwiseAbs().maxCoeff(), 1e-2);
}

TEST(Grouped, IsNotForMinibatchesNorForOtherMethods) {
    const Points x = random_points(60, 2, 3);
    const Vector y = wave(x);
    FitOptions options = grouped_options();
    options.metric = Metric::euclidean;
    options.inference = Inference::stochastic;
    EXPECT_TRUE(contains(input_error([&] { fit(x, y, options); }), "--groups on: expected off with --inference stochastic"));
    options = grouped_options();
    options.metric = Metric::euclidean;
    options.nugget.mode = NuggetOption::Mode::none;
    options.method = Method::svgp;
    EXPECT_TRUE(contains(input_error([&] { fit(x, y, options); }), "--groups on: expected off with --method svgp"));
}

}  // namespace
}  // namespace vnngp
