// Inputs of several coordinates: one length-scale for all of them, which then are as in a kernel with equal length-scales.
#include <gtest/gtest.h>

#include "vnngp/base/random.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {
namespace {

using linalg::kLanes;

struct Evaluated {
    linalg::LaneBuffer correlation, gradient, locations;
};

Evaluated evaluated(const Kernel& kernel, std::span<const double> parameters, const LaneBlock& block, const linalg::LaneBuffer& weight) {
    Evaluated out{linalg::LaneBuffer(weight.size(), 0.0), linalg::LaneBuffer(parameters.size() * kLanes, 0.0),
                  linalg::LaneBuffer(block.coordinates.size(), 0.0)};
    KernelScratch scratch;
    kernel.correlations(parameters, block, scratch, true, out.correlation.data());
    kernel.contract(parameters, block, scratch, weight.data(), out.gradient.data(), out.locations.data());
    return out;
}

TEST(SharedLengthscale, IsTheKernelWithEqualLengthscalesAndItsGradientTheirSum) {
    const std::vector<Input> inputs{{"t"}, {"lon,lat", 3}, {"z"}};
    RandomStream stream(1, StreamPurpose::test);
    LaneBlock block{6, 5, linalg::LaneBuffer(6 * 5 * kLanes)};
    for (double& x : block.coordinates) x = stream.normal();
    linalg::LaneBuffer weight(linalg::packed_row(6) * kLanes);
    for (double& w : weight) w = stream.normal();

    for (const char* name : {"matern12", "matern32", "matern52", "rbf"}) {
        const auto shared = make_kernel(name, inputs), separate = make_kernel(name, 5);
        ASSERT_EQ(shared->num_parameters(), 3) << name;
        ASSERT_EQ(shared->num_dims(), 5) << name;
        const std::vector<double> three{0.7, 1.9, 3.0}, five{0.7, 1.9, 1.9, 1.9, 3.0};
        const auto a = evaluated(*shared, three, block, weight), b = evaluated(*separate, five, block, weight);
        for (std::size_t e = 0; e < a.correlation.size(); ++e) EXPECT_NEAR(a.correlation[e], b.correlation[e], 1e-14) << name;
        for (std::size_t e = 0; e < a.locations.size(); ++e) EXPECT_NEAR(a.locations[e], b.locations[e], 1e-12) << name;
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto of = [&](int dim) { return b.gradient[dim * kLanes + lane]; };
            EXPECT_NEAR(a.gradient[lane], of(0), 1e-12) << name;
            EXPECT_NEAR(a.gradient[kLanes + lane], of(1) + of(2) + of(3), 1e-12) << name;
            EXPECT_NEAR(a.gradient[2 * kLanes + lane], of(4), 1e-12) << name;
        }
        const Points points = Points::Ones(2, 5);
        EXPECT_EQ(shared->metric_coordinates(three, points), separate->metric_coordinates(five, points)) << name;
    }
}

}  // namespace
}  // namespace vnngp::kernel
