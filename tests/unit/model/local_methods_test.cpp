// swsgp and sggp as methods of fit(), and known hyperparameters.
#include <gtest/gtest.h>

#include "model_support.hpp"
#include "vnngp/model/model_file.hpp"

namespace vnngp {
namespace {

using testing::contains;
using testing::input_error;

FitOptions local(Method method, int epochs = 20) {
    FitOptions options;
    options.method = method;
    options.kernel = "matern52";
    options.neighbors = 8;
    options.metric = Metric::euclidean;
    options.nugget = {NuggetOption::Mode::none, 0.0};
    options.epochs = epochs;
    options.batch = 64;
    options.learning_rate = 0.05;
    return options;
}

double error_of(const FittedModel& model) {
    const Points there = testing::random_points(60, 2, 9);
    return testing::root_mean_square(model.predict(there).mean - testing::wave(there, 0.0));
}

TEST(Swsgp, FitsAtAllInputsAndAtFewer) {
    const Points x = testing::random_points(300, 2, 8);
    for (const Index inducing : {0, 60}) {
        FitOptions options = local(Method::swsgp, 60);
        options.inducing = inducing;
        const FittedModel model = fit(x, testing::wave(x), options);
        EXPECT_EQ(model.method, Method::swsgp);
        EXPECT_EQ(model.report.num_inducing, inducing == 0 ? 300 : 60);
        EXPECT_EQ(model.prediction_neighbors, 8);
        EXPECT_EQ(model.report.trace.size(), 60u);
        EXPECT_TRUE(std::isfinite(model.report.elbo));
        EXPECT_LT(error_of(model), 0.5) << inducing;
    }
}

TEST(Swsgp, MayLookAtAllPoints) {
    const Points x = testing::random_points(20, 2, 8);
    FitOptions options = local(Method::swsgp, 3);
    options.neighbors = 20;
    EXPECT_EQ(fit(x, testing::wave(x), options).report.num_neighbors, 20);
}

TEST(Swsgp, TakesRepeatedInputs) {
    Points x = testing::random_points(120, 2, 8);
    x.bottomRows(40) = x.topRows(40);
    const FittedModel model = fit(x, testing::wave(x), local(Method::swsgp));
    EXPECT_EQ(model.report.num_inducing, 80);
    EXPECT_EQ(model.report.duplicates_merged, 40);
}

TEST(Sggp, ConditionsOnTheObservations) {
    const Points x = testing::random_points(150, 2, 8);
    const Vector y = testing::wave(x);
    const FittedModel model = fit(x, y, local(Method::sggp, 60));
    EXPECT_EQ(model.report.num_neighbors, 15);
    EXPECT_EQ(model.prediction_neighbors, 150);
    EXPECT_LT(error_of(model), 0.35);

    // All observations are neighbours of every prediction: that of the exact Gaussian process.
    const auto hyper = in_data_units(model);
    const Points there = testing::random_points(10, 2, 9);
    const auto k = [&](const Points& a, const Points& b) {
        return testing::covariance_matrix("matern52", a, b, hyper.shape, hyper.outputscale);
    };
    const Eigen::MatrixXd c = k(x, x) + (hyper.likelihood[0] + model.jitter * hyper.outputscale) * Eigen::MatrixXd::Identity(150, 150);
    const Eigen::MatrixXd across = k(x, there), solved = c.ldlt().solve(across);
    const Prediction prediction = model.predict(there);
    for (Eigen::Index i = 0; i < 10; ++i) {
        const double latent = hyper.outputscale - across.col(i).dot(solved.col(i));
        EXPECT_NEAR(prediction.mean[i], hyper.mean + solved.col(i).dot((y.array() - hyper.mean).matrix()), 1e-6);
        EXPECT_NEAR(prediction.latent_variance[i], latent, 1e-6);
        EXPECT_NEAR(prediction.variance[i], latent + hyper.likelihood[0], 1e-6);
    }
}

TEST(Sggp, KeepsRepeatedInputsApart) {
    Points x = testing::random_points(120, 2, 8);
    x.bottomRows(40) = x.topRows(40);
    EXPECT_EQ(fit(x, testing::wave(x), local(Method::sggp, 3)).report.num_inducing, 120);
}

TEST(Sggp, HasGaussianNoiseOnly) {
    FitOptions options = local(Method::sggp);
    options.likelihood = "student-t";
    const Points x = testing::random_points(30, 2, 8);
    const std::string message = input_error([&] { fit(x, testing::wave(x), options); });
    EXPECT_TRUE(contains(message, "--likelihood student-t") && contains(message, "sggp")) << message;
}

class LocalMethodFile : public testing::TemporaryDirectory {};

TEST_F(LocalMethodFile, PredictsTheSameAgain) {
    const Points x = testing::random_points(80, 2, 8), there = testing::random_points(5, 2, 9);
    for (const Method method : {Method::swsgp, Method::sggp}) {
        const FittedModel model = fit(x, testing::wave(x), local(method, 3));
        save_model(path("model"), model);
        const FittedModel loaded = load_model(path("model"));
        EXPECT_EQ(loaded.method, method);
        EXPECT_EQ(loaded.predict(there).mean, model.predict(there).mean);
        EXPECT_EQ(loaded.predict(there).variance, model.predict(there).variance);
    }
}

TEST(KnownHyperparameters, AreKeptInTheUnitsOfTheData) {
    const Points x = testing::random_points(100, 2, 8);
    const inference::Hyperparameters known{{0.9, 2.1}, 1.7, 0.02, 0.4, {0.05}};
    for (const Method method : {Method::vnngp, Method::swsgp, Method::sggp}) {
        FitOptions options = local(method, 3);
        options.inference = Inference::stochastic;
        options.fixed = known;
        const auto kept = in_data_units(fit(10.0 * x, 3.0 * testing::wave(x).array() + 1.0, options));
        EXPECT_NEAR(kept.shape[0], 0.9, 1e-12);
        EXPECT_NEAR(kept.shape[1], 2.1, 1e-12);
        EXPECT_NEAR(kept.outputscale, 1.7, 1e-12);
        EXPECT_NEAR(kept.nugget, 0.02, 1e-12);
        EXPECT_NEAR(kept.mean, 0.4, 1e-12);
        EXPECT_NEAR(kept.likelihood[0], 0.05, 1e-12);
    }
}

TEST(KnownHyperparameters, MustBeThoseOfTheModel) {
    const Points x = testing::random_points(100, 2, 8);
    FitOptions options = local(Method::swsgp, 3);
    options.fixed = inference::Hyperparameters{{0.9}, 1.7, 0.0, 0.0, {0.05}};
    EXPECT_TRUE(contains(input_error([&] { fit(x, testing::wave(x), options); }), "1 known parameters of the kernel: expected 2"));
}

TEST(StandardUnits, AreTheInverseOfDataUnits) {
    const Points x = testing::random_points(100, 2, 8);
    FitOptions options = testing::settled();
    options.mean.kind = MeanOption::Kind::linear;
    const FittedModel model = fit(10.0 * x, 3.0 * testing::wave(x).array() + 1.0, options);
    const auto back = in_standard_units(model, in_data_units(model));
    EXPECT_NEAR(back.mean, model.hyper.mean, 1e-12);
    for (int d = 0; d < 2; ++d) {
        EXPECT_NEAR(back.shape[d], model.hyper.shape[d], 1e-9 * model.hyper.shape[d]);
        EXPECT_NEAR(back.slopes[d], model.hyper.slopes[d], 1e-12);
    }
    EXPECT_NEAR(back.likelihood[0], model.hyper.likelihood[0], 1e-12);
}

}  // namespace
}  // namespace vnngp
