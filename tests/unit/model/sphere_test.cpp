// Inputs on the sphere: where a map has an edge or a point spread out to a line, the model has neither.
#include "vnngp/data/sphere.hpp"

#include "model_support.hpp"
#include "vnngp/model/model_file.hpp"

namespace vnngp {
namespace {

using testing::input_error;

// Degrees are multiples of 1/1024, so that adding 360 does not round.
double rounded(double degrees) { return std::round(degrees * 1024.0) / 1024.0; }

/// Columns time, lat, lon about a centre.
Points scattered(Index count, double lon, double lat, double spread, std::uint64_t seed) {
    RandomStream stream(seed, StreamPurpose::test);
    Points points(count, 3);
    for (Index i = 0; i < count; ++i)
        points.row(i) << stream.uniform(), rounded(lat + spread * (2 * stream.uniform() - 1)),
            rounded(lon + spread * (2 * stream.uniform() - 1));
    return points;
}

/// A smooth function of the place: a linear one in space.
Vector field(const Points& points, double turned = 0.0) {
    Vector y(points.rows());
    for (Index i = 0; i < points.rows(); ++i) {
        const double lon = points(i, 2) - turned, lat = points(i, 1);
        const Points at = data::sphere_coordinates({&lon, 1}, {&lat, 1}) / data::kEarthRadius;
        y[i] = std::sin(8.0 * at(0, 0)) + 3.0 * at(0, 1) + at(0, 2) + 0.2 * points(i, 0);
    }
    return y;
}

FitOptions quick() {
    FitOptions options = testing::settled();
    options.lonlat = {2, 1};
    options.input_names = {"time", "lat", "lon"};
    return options;
}

TEST(SphereModel, LongitudesThatDifferBy360AreTheSame) {
    const Points x = scattered(150, 178.0, 30.0, 15.0, 1), test = scattered(40, 178.0, 30.0, 15.0, 2);
    const Vector y = field(x);
    const auto wrapped = [](Points points) {
        for (Index i = 0; i < points.rows(); ++i)
            if (points(i, 2) > 180.0) points(i, 2) -= 360.0;
        return points;
    };
    ASSERT_LT(wrapped(x).col(2).minCoeff(), -170.0);
    const auto a = fit(x, y, quick()), b = fit(wrapped(x), y, quick());
    EXPECT_EQ(a.predict(test).mean, b.predict(wrapped(test)).mean);
    EXPECT_EQ(a.predict(wrapped(test)).variance, b.predict(test).variance);
}

TEST(SphereModel, TurningTheEarthChangesNothing) {
    Points x = scattered(150, 3.0, 85.0, 0.0, 3), test = scattered(40, 3.0, 85.0, 0.0, 4);
    RandomStream stream(5, StreamPurpose::test);
    for (Points* points : {&x, &test})
        for (Index i = 0; i < points->rows(); ++i) {
            (*points)(i, 1) = 80.0 + 10.0 * stream.uniform();
            (*points)(i, 2) = 360.0 * stream.uniform() - 180.0;
        }
    const auto turned = [](Points points) {
        points.col(2).array() += 170.0;
        return points;
    };
    const Vector noise = 0.05 * testing::random_vector(150, 17);
    const auto a = fit(x, field(x) + noise, quick()), b = fit(turned(x), field(turned(x), 170.0) + noise, quick());
    const auto pa = a.predict(test), pb = b.predict(turned(test));
    // The turned coordinates differ in their last bits, which training amplifies.
    EXPECT_LT((pa.mean - pb.mean).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_LT((pa.variance - pb.variance).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(SphereModel, PredictionsContinueOverThePole) {
    Points x = scattered(200, 0.0, 89.0, 0.0, 6);
    RandomStream stream(7, StreamPurpose::test);
    for (Index i = 0; i < 200; ++i) {
        x(i, 1) = 90.0 - 4.0 * std::sqrt(stream.uniform());
        x(i, 2) = 360.0 * stream.uniform();
    }
    const Vector noise = 0.05 * testing::random_vector(200, 16);
    const auto model = fit(x, field(x) + noise, quick());
    Points across(4, 3);  // opposite longitudes, a hundredth of a degree from the pole, and at the pole
    across << 0.5, 89.99, 20.0, 0.5, 89.99, 200.0, 0.5, 90.0, 77.0, 0.5, 90.0, -150.0;
    const auto prediction = model.predict(across);
    EXPECT_EQ(prediction.mean[2], prediction.mean[3]);
    EXPECT_NEAR(prediction.mean[0], prediction.mean[1], 0.01);
    EXPECT_NEAR(prediction.mean[0], prediction.mean[2], 0.01);
    const Eigen::MatrixXd joint = Predictor(model, {}).joint(across.topRows(2)).covariance;
    EXPECT_GT(joint(0, 1), 0.99 * joint(0, 0));
}

TEST(SphereModel, EqualPlacesAreMerged) {
    Points x = scattered(60, 175.0, 80.0, 5.0, 8);
    x.col(0).setConstant(1.0);
    x.row(0) << 1.0, 81.5, 180.0;
    x.row(1) << 1.0, 81.5, -180.0;
    for (Index i = 2; i < 5; ++i) x.row(i) << 1.0, 90.0, 40.0 * i;
    const auto model = fit(x, testing::random_vector(60, 9), quick());
    EXPECT_EQ(model.report.duplicates_merged, 3);
    EXPECT_EQ(model.used_columns, (std::vector<Index>{1, 2})) << "the constant time is dropped";
}

// A series of one station, or of a pole.
TEST(SphereModel, OnePlaceIsDroppedLikeAConstantColumn) {
    Points x = scattered(60, 10.0, 50.0, 5.0, 8);
    x.col(0) = testing::random_vector(60, 3);
    for (const double lat : {50.1, 90.0}) {
        x.col(1).setConstant(lat);
        if (lat < 90.0) x.col(2).setConstant(9.9);
        const auto model = fit(x, (2.0 * x.col(0)).array().sin(), quick());
        EXPECT_EQ(model.used_columns, std::vector<Index>{0});
        EXPECT_FALSE(model.lonlat);
        ASSERT_FALSE(model.report.notes.empty());
        EXPECT_NE(model.report.notes[0].find("one place"), std::string::npos) << model.report.notes[0];
        Points elsewhere = x;
        elsewhere.col(2).array() += 1.0;
        EXPECT_EQ(model.predict(elsewhere).mean, model.predict(x).mean);
        x = scattered(60, 10.0, 50.0, 5.0, 8);
        x.col(0) = testing::random_vector(60, 3);
    }
}

TEST(SphereModel, HasOneLengthscaleInKilometres) {
    const Points x = scattered(150, 10.0, 50.0, 4.0, 10);
    const auto model = fit(x, field(x), quick());
    ASSERT_EQ(model.hyper.shape.size(), 2u);
    const auto inputs = kernel_inputs(model);
    EXPECT_EQ(inputs[0].name, "time");
    EXPECT_EQ(inputs[1].name, "lon,lat");
    EXPECT_EQ(inputs[1].num_dims, 3);
    // Uniform within 4 degrees: a standard deviation of 2.3 degrees north and 1.5 east; 111 km a degree.
    EXPECT_NEAR(inputs[1].scale, 111.2 * std::sqrt((2.31 * 2.31 + 1.48 * 1.48) / 2), 20.0);
    EXPECT_NEAR(in_data_units(model).shape[1], model.hyper.shape[1] * inputs[1].scale, 1e-9);
    // Distances between inducing points are chords in units of that scale.
    const Points places = coordinates(model, x).rightCols(3);
    const Points standardized = data::apply(model.input_scaling, coordinates(model, x)).rightCols(3);
    EXPECT_NEAR((standardized.row(3) - standardized.row(7)).norm() * inputs[1].scale, (places.row(3) - places.row(7)).norm(), 1e-9);
}

TEST(SphereModel, AColumnOfPlacesIsUsedEvenWhenConstant) {
    Points x = scattered(60, 0.0, 0.0, 30.0, 11);
    x.col(1).setZero();
    const auto model = fit(x, field(x), quick());
    EXPECT_EQ(model.used_columns, (std::vector<Index>{0, 1, 2}));
    x.col(2).setConstant(5.0);
    EXPECT_TRUE(fit(x, field(x), quick()).predict(x).mean.allFinite()) << "one place at several times";
    x.col(0).setZero();
    EXPECT_NE(input_error([&] { fit(x, testing::random_vector(60, 12), quick()); }).find("constant"), std::string::npos);
}

TEST(SphereModel, RefusesWhatIsNotDegrees) {
    const Points x = scattered(60, 10.0, 50.0, 4.0, 13);
    const Vector y = field(x);
    Points bad = x;
    bad(4, 1) = 90.5;
    EXPECT_NE(input_error([&] { fit(bad, y, quick()); }).find("input column 'lat', row 5: 90.5 is not a latitude"), std::string::npos);
    bad = x;
    bad(6, 2) = -361.0;
    EXPECT_NE(input_error([&] { fit(bad, y, quick()); }).find("input column 'lon', row 7: -361 is not a longitude"), std::string::npos);
    const auto model = fit(x, y, quick());
    EXPECT_NE(input_error([&] { model.predict(bad); }).find("'lon', row 7"), std::string::npos);
    FitOptions options = quick();
    for (const auto& pair : {std::pair<Index, Index>{1, 1}, {0, 3}, {-1, 0}}) {
        options.lonlat = pair;
        EXPECT_NE(input_error([&] { fit(x, y, options); }).find("--lonlat"), std::string::npos);
    }
}

TEST(SphereModel, PredictsTheSameAfterSaveAndLoad) {
    const Points x = scattered(60, 10.0, 50.0, 4.0, 14);
    const auto model = fit(x, field(x), quick());
    const auto path = (std::filesystem::temp_directory_path() / ("vnngp-sphere-test-" + std::to_string(::getpid()) + ".vnngp")).string();
    save_model(path, model);
    const auto loaded = load_model(path);
    EXPECT_EQ(loaded.lonlat, model.lonlat);
    EXPECT_EQ(loaded.predict(x).mean, model.predict(x).mean);
    auto odd = model;
    odd.lonlat = {2, 7};
    save_model(path, odd);
    EXPECT_NE(input_error([&] { load_model(path); }).find("longitude"), std::string::npos);
    std::filesystem::remove(path);
}

TEST(SphereModel, LearnsLocationsToo) {
    const Points x = scattered(150, 10.0, 50.0, 4.0, 15);
    FitOptions options = quick();
    options.inducing = 20;
    options.inference = Inference::stochastic;
    options.metric = Metric::euclidean;
    options.epochs = 4;
    EXPECT_TRUE(fit(x, field(x), options).predict(x).mean.allFinite());
}

}  // namespace
}  // namespace vnngp
