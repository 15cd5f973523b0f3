// Targets that are wrong by orders of magnitude.
#include <algorithm>

#include "model_support.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

constexpr Index kRows = 400, kEvery = 20;  ///< 5 % of the targets

struct Spoilt {
    Points x = random_points(kRows, 2, 1);
    Vector y = wave(x);
    explicit Spoilt(double factor) {
        for (Index i = 0; i < kRows; i += kEvery) y[i] *= factor;
    }
};

FittedModel student(const Spoilt& data) {
    FitOptions options = settled(15);
    options.likelihood = "student-t";
    return fit(data.x, data.y, options);
}

TEST(StudentT, IsNotImpressedByGrossOutliers) {
    const Points test = 0.7 * random_points(200, 2, 2);
    for (const double factor : {1.0, 1e2, 1e4, 1e6}) {
        const auto model = student(Spoilt(factor));
        EXPECT_LT(root_mean_square(model.predict(test).latent_mean - wave(test, 0.0)), 0.06) << factor;
    }
}

TEST(StudentT, SaysWhenTheScaleOfTheTargetsIsThatOfTheirBulk) {
    const auto says = [](const FittedModel& model) {
        return std::any_of(model.report.notes.begin(), model.report.notes.end(),
                           [](const std::string& note) { return contains(note, "outliers"); });
    };
    EXPECT_TRUE(says(student(Spoilt(1e4))));
    EXPECT_FALSE(says(student(Spoilt(1.0))));
}

TEST(HeavyTails, AreWarnedOfUnderNormalNoiseAlone) {
    constexpr Index kMany = 2200, kOneIn = 25;
    const Points x = random_points(kMany, 2, 1), test = random_points(kMany, 2, 2);
    const auto spoilt = [](Vector y) {
        for (Index i = 0; i < kMany; i += kOneIn) y[i] += i % 2 == 0 ? 10.0 : -10.0;
        return y;
    };
    const auto fitted = [&](const Vector& y, const std::string& likelihood) {
        FitOptions options = settled();
        options.prediction_neighbors = 0;
        options.likelihood = likelihood;
        return fit(x, y, options);
    };
    const auto warned = [](const FittedModel& model) {
        return std::ranges::count_if(model.report.warnings, [](const std::string& text) { return contains(text, "heavy tails"); });
    };
    const auto score = [&](const FittedModel& model) { return Predictor(model, {}).density(test, spoilt(wave(test))).log_density.mean(); };
    const auto normal = fitted(spoilt(wave(x)), "gaussian"), student = fitted(spoilt(wave(x)), "student-t");
    EXPECT_EQ(warned(normal), 1);
    EXPECT_EQ(warned(student), 0);
    EXPECT_EQ(warned(fitted(wave(x), "gaussian")), 0);
    EXPECT_GT(score(student), score(normal) + 0.1);  // the advice was good
}

}  // namespace
}  // namespace vnngp
