// The bound contains the nearest-neighbour likelihood of the observations as a limit: all white noise in the nugget, q(u) on the
// observations. Its maximum is therefore not lower.
#include "model_support.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

class Bound : public ::testing::TestWithParam<double> {};

TEST_P(Bound, IsNotBelowTheLikelihoodOfTheObservations) {
    for (const Metric metric : {Metric::euclidean, Metric::kernel})
        for (const std::string kernel : {"matern32", "rbf"}) {
            const auto data =
                simulate({.points = 300, .kernel = kernel, .lengthscales = {0.3, 0.6}, .noise = GetParam(), .neighbors = 50}, {.seed = 7});
            FitOptions options = settled(10, kernel);
            options.metric = metric;
            const auto bound = fit(data.inputs, data.targets, options);
            options.inference = Inference::response;
            const auto response = fit(data.inputs, data.targets, options);
            EXPECT_TRUE(bound.report.converged) << bound.report.stopped_because;
            EXPECT_TRUE(response.report.converged) << response.report.stopped_because;
            EXPECT_GT(bound.report.elbo_per_point(), response.report.elbo_per_point() - 1e-3) << kernel;
        }
}

INSTANTIATE_TEST_SUITE_P(Noise, Bound, ::testing::Values(1e-3, 0.1, 1.0),
                         [](const auto& suite) { return "number" + std::to_string(suite.index); });

}  // namespace
}  // namespace vnngp
