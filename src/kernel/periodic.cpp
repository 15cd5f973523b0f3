// The periodic kernel exp(-2 sin^2(pi d / p) / l^2) of one coordinate: the squared exponential on a circle (periodic_lanes.hpp).
#include "kernel/parts.hpp"
#include "kernel/periodic_lanes.hpp"
#include "kernel/stationary_lanes.hpp"

namespace vnngp::kernel {
namespace {

using linalg::kLanes;

class PeriodicKernel final : public Kernel {
public:
    PeriodicKernel(std::string name, PeriodicColumn input) : name_(std::move(name)), input_(std::move(input)) {}

    std::string name() const override { return name_; }
    int num_dims() const override { return input_.num_dims; }
    int num_parameters() const override { return input_.given_period ? 1 : 2; }
    bool metric_is_exact() const override { return true; }

    std::vector<Parameter> parameters() const override {
        if (input_.given_period) return {input_.lengthscale};
        return {input_.lengthscale, input_.period};
    }

    void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                      double* correlation) const override {
        scratch.scaled.resize(static_cast<std::size_t>(block.num_points) * 2 * kLanes);
        if (with_slope) scratch.slope.resize(linalg::packed_row(block.num_points) * kLanes);
        wind_around_circle(block.num_points, block.num_dims, input_.column, block.coordinates.data(), period(parameters),
                           1.0 / parameters[0], scratch.scaled.data());
        scratch.workspace.resize(lengthscale_workspace<double>(block.num_points));
        stationary_correlations(Profile::rbf, 0.0, block.num_points, 2, scratch.scaled.data(), scratch.workspace.data(),
                                {correlation, with_slope ? scratch.slope.data() : nullptr, nullptr});
    }

    void contract(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, const double* weight,
                  double* gradient, double* location_gradient) const override {
        scratch.column_gradient.assign(2 * kLanes, 0.0);
        stationary_lengthscale_gradient(block.num_points, 2, scratch.scaled.data(), weight, scratch.slope.data(), scratch.workspace.data(),
                                        scratch.column_gradient.data());
        for (int lane = 0; lane < kLanes; ++lane) gradient[lane] += scratch.column_gradient[lane] + scratch.column_gradient[kLanes + lane];
        if (input_.given_period && location_gradient == nullptr) return;
        periodic_gradient(block.num_points, block.num_dims, input_.column, block.coordinates.data(), period(parameters),
                          scratch.scaled.data(), weight, scratch.slope.data(), input_.given_period ? nullptr : gradient + kLanes,
                          location_gradient);
    }

    void add_to_metric(std::span<const double> parameters, double share, Metric& metric) const override {
        metric.circles.push_back({input_.column, period(parameters), share / (parameters[0] * parameters[0])});
    }

private:
    double period(std::span<const double> parameters) const { return input_.given_period ? *input_.given_period : parameters[1]; }

    std::string name_;
    PeriodicColumn input_;
};

}  // namespace

std::unique_ptr<Kernel> make_periodic(std::string name, PeriodicColumn input) {
    return std::make_unique<PeriodicKernel>(std::move(name), std::move(input));
}

}  // namespace vnngp::kernel
