// Stationary kernels with one length-scale per input dimension, and the registry of kernels by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/stationary_lanes.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {
namespace {

using linalg::kLanes;

class StationaryKernel final : public Kernel {
public:
    StationaryKernel(std::string name, Profile profile, std::span<const Input> inputs)
        : name_(std::move(name)), profile_(profile), num_inputs_(static_cast<int>(inputs.size())) {
        for (int input = 0; input < num_inputs_; ++input) input_of_dim_.insert(input_of_dim_.end(), inputs[input].num_dims, input);
        num_dims_ = static_cast<int>(input_of_dim_.size());
    }

    std::string name() const override { return name_; }
    int num_dims() const override { return num_dims_; }

    std::vector<std::string> parameter_names() const override {
        std::vector<std::string> names;
        for (int input = 1; input <= num_inputs_; ++input) names.push_back(fmt::format("lengthscale_{}", input));
        return names;
    }

    void correlations(std::span<const double> lengthscales, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                      double* correlation) const override {
        scale(lengthscales, block, scratch.scaled);
        if (with_slope) scratch.slope.resize(linalg::packed_row(block.num_points) * kLanes);
        stationary_correlations(profile_, block.num_points, num_dims_, scratch.scaled.data(), correlation,
                                with_slope ? scratch.slope.data() : nullptr);
    }

    void contract(std::span<const double> lengthscales, const LaneBlock& block, const KernelScratch& scratch, const double* weight,
                  double* gradient, double* location_gradient) const override {
        if (num_inputs_ == num_dims_) {
            stationary_lengthscale_gradient(block.num_points, num_dims_, scratch.scaled.data(), weight, scratch.slope.data(), gradient);
        } else {
            linalg::LaneBuffer per_dim(static_cast<std::size_t>(num_dims_) * kLanes, 0.0);
            stationary_lengthscale_gradient(block.num_points, num_dims_, scratch.scaled.data(), weight, scratch.slope.data(),
                                            per_dim.data());
            for (int dim = 0; dim < num_dims_; ++dim)
                for (int lane = 0; lane < kLanes; ++lane) gradient[input_of_dim_[dim] * kLanes + lane] += per_dim[dim * kLanes + lane];
        }
        if (location_gradient == nullptr) return;
        std::vector<double> inverse(num_dims_);
        for (int dim = 0; dim < num_dims_; ++dim) inverse[dim] = 1.0 / lengthscales[input_of_dim_[dim]];
        stationary_location_gradient(block.num_points, num_dims_, scratch.scaled.data(), weight, scratch.slope.data(), inverse.data(),
                                     location_gradient);
    }

    Points metric_coordinates(std::span<const double> lengthscales, const Points& points) const override {
        Points scaled = points;
        for (int dim = 0; dim < num_dims_; ++dim) scaled.col(dim) /= lengthscales[input_of_dim_[dim]];
        return scaled;
    }

private:
    void scale(std::span<const double> lengthscales, const LaneBlock& block, linalg::LaneBuffer& scaled) const {
        scaled.resize(block.coordinates.size());
        for (int p = 0; p < block.num_points; ++p) {
            const double* from = block.point(p);
            double* to = scaled.data() + (from - block.coordinates.data());
            for (int dim = 0; dim < num_dims_; ++dim) {
                const double inverse = 1.0 / lengthscales[input_of_dim_[dim]];
                for (int lane = 0; lane < kLanes; ++lane) to[dim * kLanes + lane] = from[dim * kLanes + lane] * inverse;
            }
        }
    }

    std::string name_;
    Profile profile_;
    int num_inputs_;
    int num_dims_;
    std::vector<int> input_of_dim_;
};

struct Entry {
    std::string_view name;
    Profile profile;
};

constexpr Entry kRegistry[] = {
#define VNNGP_ENTRY(name, type) {#name, Profile::name},
    VNNGP_STATIONARY_PROFILES(VNNGP_ENTRY)
#undef VNNGP_ENTRY
};

}  // namespace

std::unique_ptr<Kernel> make_kernel(std::string_view name, int num_dims) {
    return make_kernel(name, std::vector<Input>(static_cast<std::size_t>(num_dims)));
}

std::unique_ptr<Kernel> make_kernel(std::string_view name, std::span<const Input> inputs) {
    for (const Entry& entry : kRegistry)
        if (entry.name == name) return std::make_unique<StationaryKernel>(std::string(name), entry.profile, inputs);
    throw InputError(fmt::format("unknown kernel '{}': expected one of {}", name, fmt::join(kernel_names(), ", ")));
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kRegistry) names.emplace_back(entry.name);
    return names;
}

}  // namespace vnngp::kernel
