// In many dimensions all points are far from one another; a fit must not start where it can learn nothing.
#include "model_support.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

class ManyInputs : public ::testing::TestWithParam<Inference> {};

TEST_P(ManyInputs, AreLearntFrom) {
    constexpr int kInputs = 30;
    const auto truth = [](const Points& x) { return Vector(x.rowwise().sum() / std::sqrt(double{kInputs})); };
    const Points x = random_points(400, kInputs, 1), test = random_points(200, kInputs, 2);
    FitOptions options = settled(30);
    options.inference = GetParam();
    const auto prediction = fit(x, truth(x) + 0.1 * random_vector(400, 3), options).predict(test);
    EXPECT_LT(root_mean_square(prediction.mean - truth(test)), 0.5) << "of a function with standard deviation 1";
}

INSTANTIATE_TEST_SUITE_P(Names, ManyInputs, ::testing::Values(Inference::collapsed, Inference::natural, Inference::response),
                         [](const auto& suite) { return std::string(inference_name(suite.param)); });

}  // namespace
}  // namespace vnngp
