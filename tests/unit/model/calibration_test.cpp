// Quantiles that held-out observations have corrected.
#include "vnngp/model/calibration.hpp"

#include "model_support.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

double normal_quantile(double p) {
    const double zero = 0.0, one = 1.0;
    double q = 0.0;
    likelihood::make_likelihood("gaussian")->predictive_quantile({&one, 1}, p, {{&zero, 1}, {&zero, 1}}, {&q, 1});
    return q;
}

/// Of normal observations with this standard deviation under a model that believes in 1.
std::vector<double> tails_of(Index count, double sd) {
    RandomStream stream(3, StreamPurpose::test);
    std::vector<double> tails(count);
    for (double& tail : tails) tail = std::erfc(std::abs(sd * stream.normal()) / std::sqrt(2.0));
    return tails;
}

TEST(Calibration, LeavesALawThatIsRightAlone) {
    EXPECT_TRUE(calibrate(tails_of(3000, 1.0)).model_tails.empty());
    EXPECT_TRUE(calibrate(tails_of(300, 1.05)).model_tails.empty()) << "300 observations cannot tell";
    EXPECT_TRUE(calibrate(tails_of(100, 3.0)).model_tails.empty()) << "too few for a tail";
    for (const double p : {0.001, 0.3, 0.5, 0.975}) EXPECT_EQ(model_probability({}, p), p);
}

TEST(Calibration, FindsTheQuantilesOfTheTruth) {
    for (const double sd : {0.3, 0.8, 1.4, 3.0}) {
        const Calibration calibration = calibrate(tails_of(20000, sd));
        ASSERT_FALSE(calibration.model_tails.empty()) << sd;
        for (const double p : {0.005, 0.025, 0.05, 0.1, 0.25, 0.75, 0.9, 0.975, 0.995}) {
            const double truth = sd * normal_quantile(p), ours = normal_quantile(model_probability(calibration, p));
            EXPECT_NEAR(ours / truth, 1.0, 0.05) << "sd " << sd << " p " << p;
        }
    }
}

// A tail that ten observations or fewer were in is not told from them: it goes on in proportion to the last one that was.
TEST(Calibration, DoesNotReadTailsOutOfAHandfulOfOutliers) {
    std::vector<double> tails = tails_of(300, 0.3);
    for (std::size_t i = 0; i < 4; ++i) tails[i] = 1e-200;
    const Calibration calibration = calibrate(tails);
    ASSERT_EQ(calibration.model_tails.size(), 4u);
    EXPECT_GT(calibration.model_tails.back(), 0.1);
    EXPECT_NEAR(model_probability(calibration, 0.0025), 0.1 * model_probability(calibration, 0.025), 1e-12);
    EXPECT_LT(model_probability(calibration, 1e-6), model_probability(calibration, 1e-5));
}

TEST(Calibration, WantsFiniteNumbers) {
    std::vector<double> tails = tails_of(1000, 0.3);
    tails[500] = NAN;
    EXPECT_TRUE(calibrate(tails).model_tails.empty());
}

TEST(Calibration, IsIncreasingAndSymmetric) {
    for (const double sd : {0.1, 0.7, 5.0}) {
        const Calibration calibration = calibrate(tails_of(2000, sd));
        double last = 0.0;
        for (double p = 1e-6; p < 1.0; p += 1e-3) {
            const double q = model_probability(calibration, p);
            EXPECT_GE(q, last) << p;
            EXPECT_GT(q, 0.0);
            EXPECT_LT(q, 1.0);
            EXPECT_NEAR(model_probability(calibration, 1.0 - p), 1.0 - q, 1e-12) << p;
            last = q;
        }
    }
}

/// Nearly all observations have little noise, one in a hundred has much: a normal law that allows for it is too wide for the others.
Vector of_two_scales(const Points& x) {
    Vector y = wave(x, 0.0);
    RandomStream stream(8, StreamPurpose::test);
    for (Eigen::Index i = 0; i < y.size(); ++i) y[i] += (stream.uniform() < 0.01 ? 3.0 : 0.03) * stream.normal();
    return y;
}

struct TwoScales : ::testing::Test {
    static constexpr Index kTrain = 2000;
    Points x = random_points(2 * kTrain, 2, 6);
    Vector y = of_two_scales(x);
    Points test = x.bottomRows(kTrain);
    FittedModel model(bool calibrate) const {
        FitOptions options = settled(10);
        options.prediction_neighbors = 0;
        options.calibrate = calibrate;
        options.evaluations = 10;
        return fit(x.topRows(kTrain), y.head(kTrain), options);
    }
    double coverage(const FittedModel& model) const {
        const auto scored = Predictor(model, {}).score(test, y.tail(kTrain));
        return ((y.tail(kTrain).array() >= scored.lower.array()) && (y.tail(kTrain).array() <= scored.upper.array())).cast<double>().mean();
    }
};

TEST_F(TwoScales, AreCoveredAsPromised) {
    const FittedModel own = model(false), calibrated = model(true);
    EXPECT_GT(coverage(own), 0.985) << "nothing to correct: the test shows nothing";
    EXPECT_NEAR(coverage(calibrated), 0.95, 0.03);  // 300 held-out observations: a standard error is .013
    EXPECT_TRUE(own.calibration.model_tails.empty());
    EXPECT_TRUE(std::any_of(calibrated.report.notes.begin(), calibrated.report.notes.end(),
                            [](const std::string& note) { return contains(note, "quantiles are adjusted"); }));
    // Everything but quantiles is the model's own.
    const Prediction a = own.predict(test), b = calibrated.predict(test);
    EXPECT_EQ((a.mean - b.mean).norm(), 0.0);
    EXPECT_EQ((a.variance - b.variance).norm(), 0.0);
    const auto density = [&](const FittedModel& model) { return Predictor(model, {}).density(test, y.tail(kTrain)).log_density; };
    EXPECT_EQ((density(own) - density(calibrated)).norm(), 0.0);
    // Quantiles asked for by name are those that scores use.
    const double probabilities[] = {0.025, 0.975};
    const auto quantiles = Predictor(calibrated, {}).predict(test, probabilities).quantiles;
    EXPECT_LT((quantiles.col(0) - Predictor(calibrated, {}).score(test, y.tail(kTrain)).lower).norm(), 1e-12);
}

/// Quiet but for one corner: where intervals miss, they miss together.
Vector loud_in_a_corner(const Points& x) {
    RandomStream stream(8, StreamPurpose::test);
    Vector y(x.rows());
    for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = (x.row(i).maxCoeff() < -0.47 ? 1.0 : 0.05) * stream.normal();
    return y;
}

TEST(Calibration, CountsMissesAllOverTheData) {
    constexpr Index kTrain = 70000, kTest = 10000;  // more than are compared on
    const Points x = random_points(kTrain + kTest, 2, 7);
    const Vector y = loud_in_a_corner(x);
    FitOptions options = settled(8, "matern32");
    options.prediction_neighbors = 0;
    options.fixed = inference::Hyperparameters{{0.6, 0.6}, 0.01, 0.005, 0.0, {0.005}};
    const FittedModel model = fit(x.topRows(kTrain), y.head(kTrain), options, {.seed = 1});
    ASSERT_FALSE(model.calibration.model_tails.empty());
    const Vector seen = y.tail(kTest);
    const auto scored = Predictor(model, {}).score(x.bottomRows(kTest), seen);
    const double coverage = (seen.array() >= scored.lower.array() && seen.array() <= scored.upper.array()).cast<double>().mean();
    EXPECT_NEAR(coverage, 0.95, 0.02);  // three standard errors of 1,500 held-out observations
}

}  // namespace
}  // namespace vnngp
