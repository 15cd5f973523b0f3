#include "vnngp/model/model_file.hpp"

#include "model_support.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

class ModelFile : public TemporaryDirectory {
protected:
    /// Nothing is lost on the way to a file and back: a second copy has the same bytes, and predictions the same bits.
    FittedModel expect_faithful(const FittedModel& model, const Points& x) const {
        save_model(path("a.vnngp"), model);
        const auto loaded = load_model(path("a.vnngp"));
        save_model(path("b.vnngp"), loaded);
        EXPECT_EQ(bytes_of(path("a.vnngp")), bytes_of(path("b.vnngp")));
        const auto before = model.predict(x), after = loaded.predict(x);
        EXPECT_EQ(before.mean, after.mean);
        EXPECT_EQ(before.variance, after.variance);
        EXPECT_EQ(loaded.metric, model.metric);
        EXPECT_EQ(loaded.kernel, model.kernel);
        EXPECT_EQ(loaded.lonlat, model.lonlat);
        EXPECT_EQ(loaded.mean_columns, model.mean_columns);
        EXPECT_EQ(loaded.hyper.slopes, model.hyper.slopes);
        EXPECT_EQ(loaded.report.tried.size(), model.report.tried.size());
        EXPECT_EQ(loaded.report.neighbors_changed, model.report.neighbors_changed);
        return loaded;
    }
};

TEST_F(ModelFile, KeepsNamesTraceAndLikelihood) {
    const Points x = random_points(100, 2, 21);
    FitOptions options = settled();
    options.likelihood = "student-t";
    options.input_names = {"längs", "quer \"x\""};
    options.target_name = "y";
    const auto model = fit(x, wave(x), options);
    const auto loaded = expect_faithful(model, x);
    EXPECT_EQ(loaded.input_names, options.input_names);
    EXPECT_EQ(loaded.target_name, "y");
    EXPECT_EQ(loaded.report.trace, model.report.trace);
    EXPECT_EQ(loaded.metric, Metric::kernel);
}

TEST_F(ModelFile, KeepsTheEuclideanMetric) {
    const Points x = random_points(100, 2, 22);
    FitOptions options = settled();
    options.metric = Metric::euclidean;
    EXPECT_EQ(expect_faithful(fit(x, wave(x), options), x).metric, Metric::euclidean);
}

TEST_F(ModelFile, KeepsTheSlopesOfTheMean) {
    const Points x = random_points(100, 2, 23);
    FitOptions options = settled();
    options.mean = {MeanOption::Kind::linear, {1}};
    const auto loaded = expect_faithful(fit(x, wave(x), options), x);
    EXPECT_EQ(loaded.mean_columns, std::vector<Index>{1});
    EXPECT_EQ(loaded.hyper.slopes.size(), 1u);
}

TEST_F(ModelFile, KeepsThatRepeatedInputsShareTheirNugget) {
    Points x = random_points(100, 2, 24);
    x.bottomRows(50) = x.topRows(50);
    EXPECT_TRUE(expect_faithful(fit(x, wave(x), settled()), x).shared_nugget);
}

TEST_F(ModelFile, KeepsTheCalibrationOfItsQuantiles) {
    const Points x = random_points(100, 2, 26);
    auto model = fit(x, wave(x), settled());
    model.calibration.model_tails = {0.7, 0.5, 0.4, 0.3, 1e-12};
    EXPECT_EQ(expect_faithful(model, x).calibration.model_tails, model.calibration.model_tails);
    for (const auto& impossible : {std::vector<double>{0.7, 0.5, 0.4, 0.3, 0.2, 0.1},
                                   {0.7, 0.8, 0.4, 0.3, 0.1},
                                   {0.7, 0.5, 0.4, 0.3, 0.0},
                                   {1.7, 0.5, 0.4, 0.3, 0.1}}) {
        model.calibration.model_tails = impossible;
        save_model(path("wrong"), model);
        EXPECT_TRUE(contains(input_error([&] { load_model(path("wrong")); }), "calibration"));
    }
}

// JSON cannot say infinity; a report that has to must not make the model unreadable.
TEST_F(ModelFile, SurvivesAReportWithoutFiniteNumbers) {
    const Points x = random_points(100, 2, 25);
    auto model = fit(x, wave(x), settled());
    model.report.trace.front() = -INFINITY;
    model.report.elbo = NAN;
    const auto loaded = expect_faithful(model, x);
    EXPECT_TRUE(std::isnan(loaded.report.trace.front()) && std::isnan(loaded.report.elbo));
}

TEST_F(ModelFile, KeepsPlacesOnTheSphere) {
    Points x(80, 3);
    x << 10.0 * random_points(80, 2, 24), random_points(80, 1, 25);
    FitOptions options = settled();
    options.lonlat = {0, 1};
    options.mean = {MeanOption::Kind::linear, {}};
    EXPECT_EQ(expect_faithful(fit(x, wave(x), options), x).mean_columns, (std::vector<Index>{0, 1, 2, 3}));
}

TEST_F(ModelFile, KeepsExpressionsOfKernels) {
    const Points x = random_points(100, 2, 26);
    FitOptions options = settled(8, "matern32(a,b) + rbf(b) * periodic(a)");
    options.input_names = {"a", "b"};
    const auto model = fit(x, wave(x), options);
    const auto loaded = expect_faithful(model, x);
    EXPECT_EQ(loaded.hyper.shape, model.hyper.shape);
    EXPECT_EQ(loaded.kernel, options.kernel);
}

TEST_F(ModelFile, KeepsWhatWasTried) {
    const Points x = random_points(100, 2, 27);
    FitOptions options;
    options.neighbors = 8;
    const auto model = fit(x, wave(x), options);
    ASSERT_FALSE(model.report.tried.empty());
    const auto loaded = expect_faithful(model, x);
    for (std::size_t i = 0; i < model.report.tried.size(); ++i) {
        EXPECT_EQ(loaded.report.tried[i].kernel, model.report.tried[i].kernel);
        EXPECT_EQ(loaded.report.tried[i].score, model.report.tried[i].score);
        EXPECT_EQ(loaded.report.tried[i].prediction_neighbors, model.report.tried[i].prediction_neighbors);
    }
    EXPECT_EQ(loaded.report.passes, model.report.passes);
    EXPECT_EQ(loaded.report.seconds_choose, model.report.seconds_choose);
}

TEST_F(ModelFile, OfVersion1KeepsLoading) {
    const auto model = load_model(VNNGP_TEST_DATA "/models/version-1.vnngp");
    EXPECT_EQ(model.input_names, (std::vector<std::string>{"x1", "x2"}));
    EXPECT_EQ(model.target_name, "y");
    EXPECT_EQ(model.metric, Metric::euclidean);
    EXPECT_TRUE(model.mean_columns.empty());
    Points x(2, 2);
    x << 0.25, 0.75, 0.5, 0.5;
    const auto prediction = model.predict(x);
    // What the version that wrote the file predicted.
    EXPECT_NEAR(prediction.mean[0], -0.02863471385724828, 1e-9);
    EXPECT_NEAR(prediction.mean[1], 0.5501331300184938, 1e-9);
    EXPECT_NEAR(prediction.variance[1], 0.3768561781289217, 1e-9);
    expect_faithful(model, x);
}

// Made by
//   vnngp simulate --points 60 --lengthscale 0.3,0.6 --seed 4 -o v2.csv
//   vnngp fit v2.csv --target y --kernel matern32 --mean linear --neighbors 6 --prediction-neighbors 12 --seed 4
TEST_F(ModelFile, OfVersion2KeepsLoading) {
    const auto model = load_model(VNNGP_TEST_DATA "/models/version-2.vnngp");
    EXPECT_EQ(model.metric, Metric::kernel);
    EXPECT_EQ(model.kernel, "matern32");
    EXPECT_EQ(model.mean_columns, (std::vector<Index>{0, 1}));
    EXPECT_NEAR(in_data_units(model).slopes[0], 2.364, 1e-3);
    EXPECT_EQ(model.report.inference, "collapsed");
    Points x(2, 2);
    x << 0.25, 0.75, 0.5, 0.5;
    const auto prediction = model.predict(x);
    // What the version that wrote the file predicted.
    EXPECT_NEAR(prediction.mean[0], -0.4009469931469658, 1e-9);
    EXPECT_NEAR(prediction.mean[1], -0.950667669932967, 1e-9);
    EXPECT_NEAR(std::sqrt(prediction.variance[1]), 0.17428195207362815, 1e-9);
    expect_faithful(model, x);
}

// Made by
//   vnngp simulate --points 60 --lengthscale 0.3,0.6 --seed 4 -o v3.csv
//   vnngp fit v3.csv --target y --method svgp --inducing 12 --kernel matern32 --epochs 100 --learning-rate 0.05 --batch 20 --seed 4
TEST_F(ModelFile, OfVersion3KeepsLoading) {
    const auto model = load_model(VNNGP_TEST_DATA "/models/version-3.vnngp");
    EXPECT_EQ(model.method, Method::svgp);
    EXPECT_EQ(model.posterior_factor.rows(), 12);
    EXPECT_EQ(model.posterior_factor.cols(), 12);
    Points x(2, 2);
    x << 0.25, 0.75, 0.5, 0.5;
    const auto prediction = model.predict(x);
    // What the version that wrote the file predicted.
    EXPECT_NEAR(prediction.mean[0], -0.5288808767460345, 1e-9);
    EXPECT_NEAR(prediction.mean[1], -1.07846012217671, 1e-9);
    EXPECT_NEAR(std::sqrt(prediction.variance[1]), 0.39749319139192746, 1e-9);
    expect_faithful(model, x);
}

TEST_F(ModelFile, RefusesForeignAndInconsistentFiles) {
    std::ofstream(path("table.csv")) << "x,y\n1,2\n";
    EXPECT_TRUE(contains(input_error([&] { load_model(path("table.csv")); }), "table.csv"));
    EXPECT_TRUE(contains(input_error([&] { load_model(path("absent.vnngp")); }), "absent.vnngp"));
    const Points x = random_points(30, 2, 22);
    FitOptions options = settled();
    options.mean.kind = MeanOption::Kind::linear;
    const auto good = fit(x, wave(x), options);
    const auto refusal = [&](auto change) {
        FittedModel odd = good;
        change(odd);
        save_model(path("odd.vnngp"), odd);
        return input_error([&] { load_model(path("odd.vnngp")); });
    };
    EXPECT_EQ(refusal([](FittedModel&) {}), "no error");
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.posterior.mean.conservativeResize(5); }), "posterior"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.hyper.slopes.pop_back(); }), "slopes"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.mean_columns[0] = 7; }), "mean uses a coordinate"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.hyper.shape.pop_back(); }), "kernel parameters"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.hyper.likelihood.clear(); }), "likelihood parameters"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.kernel = "matern32 +"; }), "matern32 +"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.hyper.outputscale = 0.0; }), "hyperparameters"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.hyper.likelihood[0] = NAN; }), "hyperparameters"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.posterior.variance[3] = -1.0; }), "posterior"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.posterior.mean[3] = INFINITY; }), "posterior"));
    EXPECT_TRUE(contains(refusal([](FittedModel& m) { m.gap_distance = 0.0, m.gap_neighbors = 20; }), "gaps"));
}

}  // namespace
}  // namespace vnngp
