#include "vnngp/model/fit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/model/model_file.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using vnngp::testing::random_points;
using vnngp::testing::random_vector;

Vector wave(const Points& x, double noise = 0.1) {
    return (3.0 * x.col(0).array()).sin() + x.col(1).array() + noise * random_vector(static_cast<Index>(x.rows()), 5).array();
}

FitOptions quick() {
    FitOptions options;
    options.neighbors = 8;
    options.epochs = 40;
    options.batch = 64;
    options.learning_rate = 0.05;
    return options;
}

template <class Body>
std::string input_error(const Body& body) {
    try {
        body();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Fit, PredictsASmoothFunctionWithHonestUncertainty) {
    const Points x = random_points(600, 2, 1), test = 0.7 * random_points(300, 2, 2);
    const Vector y = wave(x), truth = wave(test, 0.0);
    const auto prediction = fit(x, y, quick()).predict(test);
    EXPECT_LT(std::sqrt((prediction.mean - truth).squaredNorm() / 300), 0.2);
    EXPECT_LT((prediction.latent_variance - prediction.variance).maxCoeff(), 0.0) << "a new observation is less certain than the function";
    const auto standardized = (prediction.mean - truth).array().abs() / prediction.latent_variance.array().sqrt();
    EXPECT_GT((standardized < 3.0).count(), 240);
}

TEST(Fit, DoesNotDependOnTheUnitsOfTheData) {
    const Points x = random_points(200, 2, 3), test = random_points(50, 2, 4);
    const Vector y = wave(x);
    Points x2 = x, test2 = test;
    x2.col(0) = x.col(0).array() * 1000.0 + 5e5;
    test2.col(0) = test.col(0).array() * 1000.0 + 5e5;
    const auto a = fit(x, y, quick());
    const auto b = fit(x2, (y.array() * 1e-6 - 3.0).matrix(), quick());
    const auto pa = a.predict(test), pb = b.predict(test2);
    // The standardised data differ in their last bits, which training amplifies.
    EXPECT_LT(((pb.mean.array() + 3.0) * 1e6 - pa.mean.array()).abs().maxCoeff(), 5e-3);
    EXPECT_NEAR(in_data_units(b).shape[0], 1000 * in_data_units(a).shape[0], 1e-3 * in_data_units(b).shape[0]);
    EXPECT_NEAR(in_data_units(b).likelihood[0] * 1e12, in_data_units(a).likelihood[0], 1e-4);
}

TEST(Fit, OneThreadEqualsTwo) {
    const Points x = random_points(200, 2, 6), test = random_points(50, 2, 7);
    const auto one = fit(x, wave(x), quick(), {.threads = 1}), two = fit(x, wave(x), quick(), {.threads = 2});
    EXPECT_EQ(one.posterior.mean, two.posterior.mean);
    EXPECT_EQ(one.predict(test, {.threads = 1}).mean, two.predict(test, {.threads = 2}).mean);
    EXPECT_EQ(one.report.elbo, two.report.elbo);
}

TEST(Fit, RepeatedInputsShareAnInducingPoint) {
    Points x = random_points(150, 2, 8);
    x.bottomRows(50) = x.topRows(50);
    const auto model = fit(x, wave(x), quick());
    EXPECT_EQ(model.report.duplicates_merged, 50);
    EXPECT_EQ(model.inducing.rows(), 100);
    EXPECT_TRUE(std::isfinite(model.report.elbo));
}

TEST(Fit, FewerInducingPointsThanDataAreLearned) {
    const Points x = random_points(400, 2, 9), test = 0.7 * random_points(100, 2, 10);
    FitOptions options = quick();
    options.inducing = 60;
    const auto model = fit(x, wave(x), options);
    EXPECT_EQ(model.inducing.rows(), 60);
    EXPECT_LT(std::sqrt((model.predict(test).mean - wave(test, 0.0)).squaredNorm() / 100), 0.4);
}

TEST(Fit, DropsConstantColumnsAndSaysSo) {
    Points x(100, 3);
    x << random_points(100, 2, 11), Vector::Constant(100, 7.0);
    FitOptions options = quick();
    options.input_names = {"a", "b", "site"};
    const auto model = fit(x, wave(x), options);
    EXPECT_EQ(model.used_columns, (std::vector<Index>{0, 1}));
    ASSERT_EQ(model.report.notes.size(), 1u);
    EXPECT_NE(model.report.notes[0].find("'site'"), std::string::npos);
    EXPECT_EQ(model.predict(x).mean.size(), 100);
}

TEST(Fit, ClampsTheNumberOfNeighboursAndSaysSo) {
    const Points x = random_points(10, 2, 12);
    FitOptions options = quick();
    options.neighbors = 32;
    const auto model = fit(x, wave(x), options);
    EXPECT_EQ(model.neighbors, 9);
    ASSERT_EQ(model.report.notes.size(), 1u);
    EXPECT_NE(model.report.notes[0].find("32"), std::string::npos);
}

TEST(Fit, ThreeRowsAreEnough) {
    const Points x = random_points(3, 1, 13);
    EXPECT_TRUE(fit(x, random_vector(3, 14), quick()).predict(x).mean.allFinite());
}

TEST(Fit, SurvivesHugeAndTinyValues) {
    for (const double scale : {1e300, 1e-300}) {
        const Points x = random_points(60, 2, 15);
        const auto model = fit(x * scale, wave(x) * scale, quick());
        const auto prediction = model.predict(x * scale);
        EXPECT_TRUE(prediction.mean.allFinite()) << scale;
        EXPECT_NEAR(prediction.mean[0] / scale, wave(x)[0], 1.0);
    }
}

class EveryLikelihood : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLikelihood, FitsAndPredictsItsOwnSimulation) {
    SimulateOptions simulation{.points = 300, .lengthscales = {0.3}, .likelihood = GetParam(), .neighbors = 20};
    const auto data = simulate(simulation, {.seed = 1});
    FitOptions options = quick();
    options.likelihood = GetParam();
    const auto model = fit(data.inputs, data.targets, options);
    const Predictor predictor(model, {});
    const auto prediction = predictor.predict(data.inputs);
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_GT(prediction.variance.minCoeff(), 0.0);
    const auto scored = predictor.score(data.inputs, data.targets);
    EXPECT_TRUE(scored.log_density.allFinite());
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
    EXPECT_NE(message(x.topRows(2), y.head(2)).find("at least 3"), std::string::npos);
    EXPECT_NE(message(x, y.head(19)).find("19 targets"), std::string::npos);
    EXPECT_NE(message(x, Vector::Constant(20, 4.0)).find("same value 4"), std::string::npos);
    EXPECT_NE(message(Points::Constant(20, 2, 1.0), y).find("every input column is constant"), std::string::npos);
    Points nan = x;
    nan(4, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(message(nan, y).find("row 5"), std::string::npos);
    Vector infinite = y;
    infinite[7] = std::numeric_limits<double>::infinity();
    EXPECT_NE(message(x, infinite).find("row 8"), std::string::npos);
    FitOptions options = quick();
    options.likelihood = "bernoulli";
    EXPECT_NE(message(x, y, options).find("row 1"), std::string::npos);
    options.likelihood = "gaussain";
    EXPECT_NE(message(x, y, options).find("gaussain"), std::string::npos);
    options = quick();
    options.neighbors = 0;
    EXPECT_NE(message(x, y, options).find("--neighbors 0"), std::string::npos);
    options = quick();
    options.learning_rate = -1;
    EXPECT_NE(message(x, y, options).find("--learning-rate"), std::string::npos);
}

TEST(Predict, RefusesPointsWithAnotherNumberOfColumns) {
    const Points x = random_points(30, 2, 17);
    const auto model = fit(x, wave(x), quick());
    EXPECT_NE(input_error([&] { model.predict(random_points(3, 3, 18)); }).find("2 input columns"), std::string::npos);
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
    Points moved = x;
    moved.array() += 1e-7;
    EXPECT_LT((model.predict(x).mean - model.predict(moved).mean).cwiseAbs().maxCoeff(), 1e-4);
}

class TemporaryDirectory : public ::testing::Test {
protected:
    std::filesystem::path directory = std::filesystem::temp_directory_path() / ("vnngp-fit-test-" + std::to_string(::getpid()));
    void SetUp() override { std::filesystem::create_directories(directory); }
    void TearDown() override { std::filesystem::remove_all(directory); }
    std::string path(const std::string& name) const { return (directory / name).string(); }
};
using ModelFile = TemporaryDirectory;

std::string bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(ModelFile, PredictsTheSameAfterSaveAndLoadAndWritesTheSameBytes) {
    const Points x = random_points(100, 2, 21);
    FitOptions options = quick();
    options.likelihood = "student-t";
    options.input_names = {"längs", "quer \"x\""};
    options.target_name = "y";
    const auto model = fit(x, wave(x), options);
    save_model(path("a.vnngp"), model);
    const auto loaded = load_model(path("a.vnngp"));
    const auto before = model.predict(x), after = loaded.predict(x);
    EXPECT_EQ(before.mean, after.mean);
    EXPECT_EQ(before.variance, after.variance);
    EXPECT_EQ(loaded.input_names, options.input_names);
    EXPECT_EQ(loaded.report.trace, model.report.trace);
    save_model(path("b.vnngp"), loaded);
    EXPECT_EQ(bytes(path("a.vnngp")), bytes(path("b.vnngp")));
}

TEST_F(ModelFile, OfThisVersionKeepsLoading) {
    const auto model = load_model(VNNGP_TEST_DATA "/models/version-1.vnngp");
    EXPECT_EQ(model.input_names, (std::vector<std::string>{"x1", "x2"}));
    EXPECT_EQ(model.target_name, "y");
    Points x(2, 2);
    x << 0.25, 0.75, 0.5, 0.5;
    const auto prediction = model.predict(x);
    // What the version that wrote the file predicted.
    EXPECT_NEAR(prediction.mean[0], -0.02863471385724828, 1e-9);
    EXPECT_NEAR(prediction.mean[1], 0.5501331300184938, 1e-9);
    EXPECT_NEAR(prediction.variance[1], 0.3768561781289217, 1e-9);
}

TEST_F(ModelFile, RefusesForeignAndInconsistentFiles) {
    std::ofstream(path("table.csv")) << "x,y\n1,2\n";
    EXPECT_NE(input_error([&] { load_model(path("table.csv")); }).find("table.csv"), std::string::npos);
    EXPECT_NE(input_error([&] { load_model(path("absent.vnngp")); }).find("absent.vnngp"), std::string::npos);
    const Points x = random_points(30, 2, 22);
    auto model = fit(x, wave(x), quick());
    model.posterior.mean.conservativeResize(5);
    save_model(path("odd.vnngp"), model);
    EXPECT_NE(input_error([&] { load_model(path("odd.vnngp")); }).find("posterior"), std::string::npos);
}

using Checkpoints = TemporaryDirectory;

TEST_F(Checkpoints, AnInterruptedFitResumesToTheSameModel) {
    const Points x = random_points(200, 2, 23);
    FitOptions options = quick();
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
    FitOptions options = quick();
    options.checkpoint = path("run.checkpoint");
    options.resume = true;
    EXPECT_NE(input_error([&] { fit(x, wave(x), options); }).find("no checkpoint"), std::string::npos);

    options.resume = false;
    std::atomic<bool> stop{false};
    Context context{.progress =
                        [&](const Progress& event) {
                            if (event.stage == "train") stop = true;
                        },
                    .stop = &stop};
    EXPECT_THROW(fit(x, wave(x), options, context), Interrupted);
    options.resume = true;
    options.epochs = 41;
    EXPECT_NE(input_error([&] { fit(x, wave(x), options); }).find("other data or options"), std::string::npos);
}

}  // namespace
}  // namespace vnngp
