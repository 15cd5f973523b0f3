// Targets that are wrong by orders of magnitude.
#include "model_support.hpp"

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

}  // namespace
}  // namespace vnngp
