// The other methods through fit(), predict() and the model file, as a user meets them.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/model/fit.hpp"
#include "vnngp/model/model_file.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

struct Data {
    Points x;
    Vector y;
    Points grid;
};

Data field(Index count) {
    const auto simulated = simulate({.points = count, .dims = 2, .kernel = "matern52", .lengthscales = {0.3}, .noise = 0.05}, {.seed = 4});
    return {simulated.inputs, simulated.targets, testing::random_points(50, 2, 5).cwiseAbs()};
}

FitOptions rival(Method method) {
    FitOptions options{.kernel = "matern52", .metric = Metric::euclidean, .method = method};
    options.nugget.mode = NuggetOption::Mode::none;
    options.epochs = 40;
    options.batch = 100;
    options.learning_rate = 0.05;
    return options;
}

inference::Hyperparameters known() { return {{0.3, 0.35}, 1.2, 0.0, 0.1, {0.06}}; }

// With hyperparameters known and every point a neighbour of every later one, vnngp predicts as the exact process does.
TEST(RivalModels, ExactIsWhatVnngpBecomesWithAllNeighbours) {
    const Data data = field(60);
    FitOptions exact = rival(Method::exact);
    exact.fixed = known();
    FitOptions nearest{.kernel = "matern52", .neighbors = 59, .prediction_neighbors = 60};
    nearest.fixed = known();
    // All noise in the nugget: the posterior of u is the observations, and mean field loses nothing.
    nearest.fixed->nugget = 0.06 - 1e-7;
    nearest.fixed->likelihood[0] = 1e-7;
    const auto a = fit(data.x, data.y, exact), b = fit(data.x, data.y, nearest);
    const auto pa = a.predict(data.grid), pb = b.predict(data.grid);
    EXPECT_LT((pa.mean - pb.mean).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_LT((pa.variance - pb.variance).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_NEAR(in_data_units(a).shape[1], 0.35, 1e-12);
}

TEST(RivalModels, KnownHyperparametersSurviveAnyMethod) {
    const Data data = field(60);
    for (const Method method : {Method::vnngp, Method::exact, Method::svgp, Method::swsgp, Method::sggp}) {
        FitOptions options = rival(method);
        options.mean = {MeanOption::Kind::linear, {1}};
        options.fixed = known();
        options.fixed->slopes = {-0.4};
        options.epochs = 3;
        const auto back = in_data_units(fit(data.x, data.y, options));
        const auto wanted = *options.fixed;
        for (int d = 0; d < 2; ++d) EXPECT_NEAR(back.shape[d], wanted.shape[d], 1e-12) << method_name(method);
        EXPECT_NEAR(back.outputscale, wanted.outputscale, 1e-12);
        EXPECT_NEAR(back.mean, wanted.mean, 1e-12);
        EXPECT_NEAR(back.slopes[0], wanted.slopes[0], 1e-12);
        EXPECT_NEAR(back.likelihood[0], wanted.likelihood[0], 1e-12);
    }
}

// The scale of the inputs is where learning starts from: it says nothing about a model that is known.
TEST(RivalModels, TheScaleOfTheInputsIsWhereLengthScalesStart) {
    const Data data = field(60);
    FitOptions options = rival(Method::exact);
    options.fixed = known();
    const auto by_deviation = fit(data.x, data.y, options).predict(data.grid);
    options.input_scale = data::Scale::range;
    const auto by_range = fit(data.x, data.y, options).predict(data.grid);
    EXPECT_LT((by_deviation.mean - by_range.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((by_deviation.variance - by_range.variance).cwiseAbs().maxCoeff(), 1e-9);

    options.fixed.reset();
    options.inference = Inference::stochastic;
    options.epochs = 1;
    options.learning_rate = 0.001;
    const auto learned = in_data_units(fit(data.x, data.y, options));
    for (int d = 0; d < 2; ++d) {
        const double half_range = 0.5 * (data.x.col(d).maxCoeff() - data.x.col(d).minCoeff());
        EXPECT_NEAR(learned.shape[d], 0.6931 * half_range, 0.01 * half_range);
    }
}

TEST(RivalModels, KnownHyperparametersThatDoNotSuitAreRefused) {
    const Data data = field(20);
    FitOptions options = rival(Method::exact);
    options.fixed = known();
    options.fixed->shape.pop_back();
    EXPECT_THROW(fit(data.x, data.y, options), InputError);
    options.fixed = known();
    options.kernel = kAutomaticKernel;
    EXPECT_THROW(fit(data.x, data.y, options), InputError);
}

class EveryRival : public ::testing::TestWithParam<Method> {};

TEST_P(EveryRival, LearnsTheFieldAndSurvivesItsFile) {
    const Data data = field(400);
    FitOptions options = rival(GetParam());
    options.inducing = GetParam() == Method::svgp ? 60 : 0;
    const FittedModel model = fit(data.x, data.y, options);
    EXPECT_EQ(model.method, GetParam());
    EXPECT_TRUE(std::isfinite(model.report.elbo));
    const auto before = Predictor(model, {}).score(data.x, data.y);
    EXPECT_LT(std::sqrt((before.mean - data.y).squaredNorm() / 400), 0.5 * std::sqrt((data.y.array() - data.y.mean()).square().mean()));

    const std::string path = ::testing::TempDir() + "rival_" + std::string(method_name(GetParam())) + ".vnngp";
    save_model(path, model);
    const FittedModel loaded = load_model(path);
    std::filesystem::remove(path);
    EXPECT_EQ(loaded.method, GetParam());
    const auto after = Predictor(loaded, {}).score(data.x, data.y);
    EXPECT_EQ(before.log_density, after.log_density);
    const Points drawn = Predictor(loaded, {}).sample(data.grid, 3, 1);
    EXPECT_TRUE(drawn.allFinite());
    EXPECT_EQ(Predictor(loaded, {}).joint(data.grid).covariance.rows(), 50);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryRival, ::testing::Values(Method::exact, Method::svgp, Method::swsgp, Method::sggp),
                         [](const auto& method) { return std::string(method_name(method.param)); });

TEST(RivalModels, WhatAMethodCannotDoIsRefusedByName) {
    const Data data = field(20);
    for (const Method method : {Method::exact, Method::sggp}) {
        FitOptions options = rival(method);
        options.likelihood = "student-t";
        EXPECT_THROW(fit(data.x, data.y, options), InputError);
        options = rival(method);
        options.inducing = 5;
        EXPECT_THROW(fit(data.x, data.y, options), InputError);
    }
    FitOptions options = rival(Method::swsgp);
    options.posterior = PosteriorForm::full;
    EXPECT_THROW(fit(data.x, data.y, options), InputError);
}

}  // namespace
}  // namespace vnngp
