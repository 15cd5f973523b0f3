// A field observed without noise.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model_support.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

TEST(Noiseless, SmoothFieldsArePredictedToAThousandthOfTheirSpread) {
    const Points x = random_points(500, 2, 1), test = 0.6 * random_points(200, 2, 2);
    const auto truth = [](const Points& points) { return Vector(points.col(0).array().sin() + (0.7 * points.col(1).array()).cos()); };
    const Vector y = truth(x);
    const double spread = root_mean_square(y.array() - y.mean());
    for (const std::string kernel : {"rbf", "matern52", "auto"}) {
        FitOptions options;
        options.kernel = kernel;
        const auto model = fit(x, y, options);
        EXPECT_LT(root_mean_square(model.predict(test).mean - truth(test)), 1e-3 * spread) << kernel;
        EXPECT_TRUE(model.report.warnings.empty()) << kernel << ": " << fmt::format("{}", fmt::join(model.report.warnings, "; "));
        const auto learned = in_data_units(model);
        EXPECT_LT(std::sqrt(learned.likelihood[0] + learned.nugget), 0.01 * spread) << kernel;
    }
}

}  // namespace
}  // namespace vnngp
