// Laws that hold whatever way of training is chosen.
#include "vnngp/model/fit.hpp"

#include <algorithm>
#include <limits>

#include "model_support.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

FitOptions quick(Inference inference = Inference::automatic) {
    FitOptions options = settled();
    options.inference = inference;
    if (inference == Inference::stochastic) {
        options.metric = Metric::euclidean;
        options.nugget = {NuggetOption::Mode::published, 0.0};
        options.epochs = 100;
        options.batch = 64;
        options.learning_rate = 0.05;
    }
    return options;
}

class EveryInference : public ::testing::TestWithParam<Inference> {};

TEST_P(EveryInference, PredictsASmoothFunctionWithHonestUncertainty) {
    const Points x = random_points(600, 2, 1), test = 0.7 * random_points(300, 2, 2);
    const Vector y = wave(x), truth = wave(test, 0.0);
    const auto model = fit(x, y, quick(GetParam()));
    EXPECT_EQ(model.report.inference, inference_name(GetParam()));
    const auto prediction = model.predict(test);
    EXPECT_LT(root_mean_square(prediction.mean - truth), 0.2);
    EXPECT_LT((prediction.latent_variance - prediction.variance).maxCoeff(), 0.0) << "a new observation is less certain than the function";
    const auto standardized = (prediction.mean - truth).array().abs() / prediction.latent_variance.array().sqrt();
    EXPECT_GT((standardized < 3.0).count(), 240);
}

TEST_P(EveryInference, SinglePrecisionIsForMinibatchesAndDoesNotShow) {
    const Points x = random_points(500, 2, 31), test = random_points(50, 2, 32);
    const auto in = [&](Precision precision) {
        FitOptions options = quick(GetParam());
        options.precision = precision;
        return fit(x, wave(x), options).predict(test);
    };
    const Prediction automatic = in(Precision::automatic), single = in(Precision::single_), full = in(Precision::double_);
    EXPECT_EQ(automatic.mean, GetParam() == Inference::stochastic ? single.mean : full.mean);
    EXPECT_NE(single.mean, full.mean);
    // Line searches that end where rounding hides the gain of a step end apart: by much less than what is known.
    const auto apart = (single.mean - full.mean).array() / full.latent_variance.array().sqrt();
    EXPECT_LT(root_mean_square(apart.matrix()), 0.25);
}

TEST_P(EveryInference, DoesNotDependOnTheUnitsOfTheData) {
    const Points x = random_points(200, 2, 3), test = random_points(50, 2, 4);
    const Vector y = wave(x);
    Points x2 = x, test2 = test;
    x2.col(0) = x.col(0).array() * 1000.0 + 5e5;
    test2.col(0) = test.col(0).array() * 1000.0 + 5e5;
    const auto a = fit(x, y, quick(GetParam()));
    const auto b = fit(x2, (y.array() * 1e-6 - 3.0).matrix(), quick(GetParam()));
    const auto pa = a.predict(test), pb = b.predict(test2);
    // The standardised data differ in their last bits, which training amplifies.
    EXPECT_LT(((pb.mean.array() + 3.0) * 1e6 - pa.mean.array()).abs().maxCoeff(), 5e-3);
    EXPECT_NEAR(in_data_units(b).shape[0], 1000 * in_data_units(a).shape[0], 1e-3 * in_data_units(b).shape[0]);
    EXPECT_NEAR(in_data_units(b).likelihood[0] * 1e12, in_data_units(a).likelihood[0], 1e-4);
}

TEST_P(EveryInference, OneThreadEqualsTwo) {
    const Points x = random_points(200, 2, 6), test = random_points(50, 2, 7);
    const auto one = fit(x, wave(x), quick(GetParam()), {.threads = 1}), two = fit(x, wave(x), quick(GetParam()), {.threads = 2});
    EXPECT_EQ(one.posterior.mean, two.posterior.mean);
    EXPECT_EQ(one.predict(test, {.threads = 1}).mean, two.predict(test, {.threads = 2}).mean);
    EXPECT_EQ(one.report.elbo, two.report.elbo);
}

TEST_P(EveryInference, SurvivesHugeAndTinyValues) {
    for (const double scale : {1e300, 1e-300}) {
        const Points x = random_points(60, 2, 15);
        const auto model = fit(x * scale, wave(x) * scale, quick(GetParam()));
        const auto prediction = model.predict(x * scale);
        EXPECT_TRUE(prediction.mean.allFinite()) << scale;
        EXPECT_NEAR(prediction.mean[0] / scale, wave(x)[0], 1.0);
    }
}

TEST_P(EveryInference, ThreeRowsAreEnough) {
    const Points x = random_points(3, 1, 13);
    EXPECT_TRUE(fit(x, random_vector(3, 14), quick(GetParam())).predict(x).mean.allFinite());
}

INSTANTIATE_TEST_SUITE_P(Names, EveryInference,
                         ::testing::Values(Inference::collapsed, Inference::natural, Inference::response, Inference::stochastic),
                         [](const auto& suite) { return std::string(inference_name(suite.param)); });

TEST(Fit, RepeatedInputsShareAnInducingPoint) {
    Points x = random_points(150, 2, 8);
    x.bottomRows(50) = x.topRows(50);
    const auto model = fit(x, wave(x), quick());
    EXPECT_EQ(model.report.duplicates_merged, 50);
    EXPECT_EQ(model.inducing.rows(), 100);
    EXPECT_TRUE(std::isfinite(model.report.elbo));
}

TEST(Fit, FewerInducingPointsThanDataPredictToo) {
    const Points x = random_points(400, 2, 9), test = 0.7 * random_points(100, 2, 10);
    for (const Inference inference : {Inference::collapsed, Inference::natural, Inference::stochastic}) {
        FitOptions options = quick(inference);
        options.inducing = 60;
        const auto model = fit(x, wave(x), options);
        EXPECT_EQ(model.inducing.rows(), 60);
        EXPECT_LT(root_mean_square(model.predict(test).mean - wave(test, 0.0)), 0.4) << inference_name(inference);
    }
}

TEST(Fit, AFewInducingPointsLearnWhatTheyCan) {
    const Points x = random_points(400, 2, 26), test = 0.7 * random_points(100, 2, 27);
    const auto truth = [](const Points& points) { return Vector((2.0 * points.col(0).array()).sin() + points.col(1).array()); };
    for (const Index inducing : {8, 10, 12, 15, 20}) {
        FitOptions options = quick();
        options.inducing = inducing;
        const auto prediction = fit(x, truth(x) + 0.1 * random_vector(400, 28), options).predict(test);
        EXPECT_LT(root_mean_square(prediction.mean - truth(test)), 0.6) << inducing << " for a function with standard deviation 1";
    }
}

// Long length-scales make all of it noise, and there the likelihood has no slope.
TEST(Fit, FindsAFieldThatTurnsOverManyTimes) {
    Points x(600, 1), test(200, 1);
    RandomStream stream(3, StreamPurpose::test);
    for (double& t : x.reshaped()) t = 100.0 * stream.uniform();
    for (double& t : test.reshaped()) t = 100.0 * stream.uniform();
    const auto truth = [](const Points& points) { return Vector((3.0 * points.col(0).array()).sin()); };
    for (const std::string kernel : {"matern32", "matern52", "rbf"}) {
        FitOptions options = quick();
        options.kernel = kernel;
        const auto model = fit(x, truth(x) + 0.1 * random_vector(600, 29), options);
        EXPECT_LT(root_mean_square(model.predict(test).mean - truth(test)), 0.35) << kernel << ": the function's own is 0.71";
    }
    const auto noise = fit(x, random_vector(600, 30), quick());
    EXPECT_LT(root_mean_square(noise.predict(test).latent_mean), 0.35) << "noise stays noise";
}

TEST(Fit, DropsConstantColumnsAndSaysSo) {
    Points x(100, 3);
    x << random_points(100, 2, 11), Vector::Constant(100, 7.0);
    FitOptions options = quick();
    options.input_names = {"a", "b", "site"};
    const auto model = fit(x, wave(x), options);
    EXPECT_EQ(model.used_columns, (std::vector<Index>{0, 1}));
    ASSERT_EQ(model.report.notes.size(), 1u);
    EXPECT_TRUE(contains(model.report.notes[0], "'site'"));
    EXPECT_EQ(model.predict(x).mean.size(), 100);
}

TEST(Fit, MakesNoMorePassesThanEvaluationsAllow) {
    const Points x = random_points(300, 2, 12);
    for (const Inference inference : {Inference::collapsed, Inference::response}) {
        FitOptions options = quick();
        options.inference = inference;
        options.metric = Metric::euclidean;  // one search
        const auto free = fit(x, wave(x), options).report;
        options.evaluations = 2;
        const auto limited = fit(x, wave(x), options).report;
        EXPECT_EQ(limited.iterations, 2);
        EXPECT_LT(limited.passes, free.passes);
        EXPECT_LE(limited.elbo, free.elbo);
    }
}

TEST(Fit, ClampsTheNumberOfNeighboursAndSaysSo) {
    const Points x = random_points(10, 2, 12);
    FitOptions options = quick();
    options.neighbors = 32;
    const auto model = fit(x, wave(x), options);
    EXPECT_EQ(model.neighbors, 9);
    ASSERT_EQ(model.report.notes.size(), 1u);
    EXPECT_TRUE(contains(model.report.notes[0], "32"));
}

class EveryLikelihood : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLikelihood, FitsAndPredictsItsOwnSimulation) {
    SimulateOptions simulation{.points = 300, .lengthscales = {0.3}, .likelihood = GetParam(), .neighbors = 20};
    const auto data = simulate(simulation, {.seed = 1});
    FitOptions options = quick();
    options.likelihood = GetParam();
    const auto model = fit(data.inputs, data.targets, options);
    EXPECT_EQ(model.report.inference, GetParam() == "gaussian" ? "collapsed" : "natural");
    EXPECT_TRUE(model.report.converged) << model.report.stopped_because;
    const Predictor predictor(model, {});
    const auto prediction = predictor.predict(data.inputs);
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_GT(prediction.variance.minCoeff(), 0.0);
    const auto scored = predictor.score(data.inputs, data.targets);
    EXPECT_TRUE(scored.log_density.allFinite());
    EXPECT_EQ(scored.log_density, predictor.density(data.inputs, data.targets).log_density);
    EXPECT_TRUE(scored.crps.allFinite());
    EXPECT_LE((scored.lower - scored.upper).maxCoeff(), 0.0);
    const Vector centered = data.targets.array() - data.targets.mean();
    EXPECT_LT((prediction.mean - data.targets).squaredNorm(), centered.squaredNorm()) << "better than the mean";
    const std::vector<double> probabilities{0.1, 0.5, 0.9};
    const Points quantiles = predictor.predict(data.inputs, probabilities).quantiles;
    EXPECT_LE((quantiles.col(0) - quantiles.col(1)).maxCoeff(), 0.0);
    EXPECT_LE((quantiles.col(1) - quantiles.col(2)).maxCoeff(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Names, EveryLikelihood, ::testing::ValuesIn(likelihood::likelihood_names()), [](const auto& suite) {
    std::string name = suite.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Fit, RefusesUnusableDataAndSaysWhy) {
    const Points x = random_points(20, 2, 16);
    const Vector y = wave(x);
    const auto message = [&](const Points& points, const Vector& targets, const FitOptions& options = quick()) {
        return input_error([&] { fit(points, targets, options); });
    };
    EXPECT_TRUE(contains(message(x.topRows(2), y.head(2)), "at least 3"));
    EXPECT_TRUE(contains(message(x, y.head(19)), "19 targets"));
    EXPECT_TRUE(contains(message(x, Vector::Constant(20, 4.0)), "same value 4"));
    EXPECT_TRUE(contains(message(Points::Constant(20, 2, 1.0), y), "every input column is constant"));
    Points nan = x;
    nan(4, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(contains(message(nan, y), "row 5"));
    Vector infinite = y;
    infinite[7] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(contains(message(x, infinite), "row 8"));
    FitOptions options = quick();
    options.likelihood = "bernoulli";
    EXPECT_TRUE(contains(message(x, y, options), "row 1"));
    options.likelihood = "gaussain";
    EXPECT_TRUE(contains(message(x, y, options), "gaussain"));
}

TEST(Fit, RefusesOptionsThatContradictEachOtherAndNamesThem) {
    const Points x = random_points(20, 2, 16);
    const auto message = [&](auto change) {
        FitOptions options = quick();
        change(options);
        return input_error([&] { fit(x, wave(x), options); });
    };
    EXPECT_TRUE(contains(message([](FitOptions& o) { o.neighbors = -1; }), "--neighbors -1"));
    EXPECT_TRUE(contains(message([](FitOptions& o) { o.prediction_neighbors = -1; }), "--prediction-neighbors -1"));
    EXPECT_TRUE(contains(message([](FitOptions& o) { o.learning_rate = -1; }), "--learning-rate"));
    EXPECT_TRUE(contains(message([](FitOptions& o) { o.kernel = "matern23"; }), "matern23"));
    const auto poisson = [](Inference inference) {
        return [inference](FitOptions& o) {
            o.likelihood = "poisson";
            o.inference = inference;
        };
    };
    EXPECT_TRUE(contains(message(poisson(Inference::collapsed)), "--inference collapsed"));
    EXPECT_TRUE(contains(message(poisson(Inference::response)), "--inference response"));
    EXPECT_TRUE(contains(message([](FitOptions& o) { o.inference = Inference::stochastic; }), "--metric kernel"));
    EXPECT_TRUE(contains(message([](FitOptions& o) { o.resume = true; }), "--resume"));
    const auto response = [](auto change) {
        return [change](FitOptions& o) {
            o.inference = Inference::response;
            change(o);
        };
    };
    EXPECT_TRUE(contains(message(response([](FitOptions& o) { o.inducing = 5; })), "--inducing 5"));
    EXPECT_TRUE(contains(message(response([](FitOptions& o) { o.nugget.mode = NuggetOption::Mode::none; })), "--nugget"));
}

TEST(Fit, StopsWhenAsked) {
    const Points x = random_points(400, 2, 25);
    for (const std::string_view stage : {"choose", "train"}) {
        std::atomic<bool> stop{false};
        const Context context{.progress = [&](const Progress& event) { stop = stop || event.stage == stage; }, .stop = &stop};
        FitOptions options;
        if (stage == "train") options = quick();
        EXPECT_THROW(fit(x, wave(x), options, context), Interrupted) << stage;
        EXPECT_TRUE(stop) << stage;
    }
}

TEST(Predict, RefusesPointsWithAnotherNumberOfColumns) {
    const Points x = random_points(30, 2, 17);
    const auto model = fit(x, wave(x), quick());
    EXPECT_TRUE(contains(input_error([&] { model.predict(random_points(3, 3, 18)); }), "2 input columns"));
}

TEST(Predict, OfNoPointsIsEmpty) {
    const Points x = random_points(30, 2, 19);
    EXPECT_EQ(fit(x, wave(x), quick()).predict(Points(0, 2)).mean.size(), 0);
}

// Training data with a nugget: a test point at a training input is an ordinary row, so its prediction is continuous in the input.
TEST(Predict, IsContinuousAtTrainingInputs) {
    const Points x = random_points(200, 2, 20);
    FitOptions options = quick();
    options.nugget = {NuggetOption::Mode::fixed, 0.05};
    const auto model = fit(x, wave(x), options);
    EXPECT_NEAR(in_data_units(model).nugget, 0.05, 1e-12);
    Points moved = x;
    moved.array() += 1e-7;
    EXPECT_LT((model.predict(x).mean - model.predict(moved).mean).cwiseAbs().maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace vnngp
