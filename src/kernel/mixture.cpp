// Mixtures k = sum_i a_i k_i with shares a_i = w_i / W, W = sum_i w_i and w_1 = 1. In log w_j: dk = a_j (k_j - k).
#include <numeric>

#include "kernel/pair_lanes.hpp"
#include "kernel/part_list.hpp"
#include "kernel/parts.hpp"

namespace vnngp::kernel {
namespace {

using linalg::kLanes;

class MixtureKernel final : public Kernel {
public:
    MixtureKernel(std::string name, std::vector<std::unique_ptr<Kernel>> parts, std::vector<Parameter> weights)
        : name_(std::move(name)), parts_(std::move(parts)), weights_(std::move(weights)) {}

    std::string name() const override { return name_; }
    int num_dims() const override { return parts_[0].num_dims(); }
    int num_parameters() const override { return parts_.num_parameters() + parts_.size() - 1; }
    bool metric_is_exact() const override { return false; }

    std::vector<Parameter> parameters() const override {
        std::vector<Parameter> parameters = parts_.parameters();
        parameters.insert(parameters.end(), weights_.begin(), weights_.end());
        return parameters;
    }

    void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                      double* correlation) const override {
        parts_.correlations(parameters, block, scratch, with_slope);
        compute_shares(parameters, scratch.factors);
        scale_pairs(block.num_points, scratch.factors[0], scratch.parts[0].correlation.data(), correlation);
        for (int part = 1; part < parts_.size(); ++part)
            add_scaled_pairs(block.num_points, scratch.factors[part], scratch.parts[part].correlation.data(), correlation);
    }

    void contract(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, const double* weight,
                  double* gradient, double* location_gradient) const override {
        const int num_parts = parts_.size();
        linalg::LaneBuffer& weighted = scratch.column_gradient;  // the weighted sums of the k_i
        weighted.assign(static_cast<std::size_t>(num_parts) * kLanes, 0.0);
        for (int part = 0; part < num_parts; ++part) {
            add_pair_sums(block.num_points, weight, scratch.parts[part].correlation.data(), weighted.data() + part * kLanes);
            scale_pairs(block.num_points, scratch.factors[part], weight, scratch.passed_down.data());
            parts_.contract(part, parameters, block, scratch, gradient, location_gradient);
        }
        double* weight_gradient = gradient + static_cast<std::size_t>(parts_.num_parameters()) * kLanes;
        for (int lane = 0; lane < kLanes; ++lane) {
            double mixture = 0.0;
            for (int part = 0; part < num_parts; ++part) mixture += scratch.factors[part] * weighted[part * kLanes + lane];
            for (int part = 1; part < num_parts; ++part)
                weight_gradient[(part - 1) * kLanes + lane] += scratch.factors[part] * (weighted[part * kLanes + lane] - mixture);
        }
    }

    // At small distances 1 - k is the mean of those of the parts.
    void add_to_metric(std::span<const double> parameters, double share, Metric& metric) const override {
        std::vector<double> shares;
        compute_shares(parameters, shares);
        for (int part = 0; part < parts_.size(); ++part)
            parts_[part].add_to_metric(parts_.parameters_of(part, parameters), share * shares[part], metric);
    }

private:
    void compute_shares(std::span<const double> parameters, std::vector<double>& shares) const {
        shares.assign(1, 1.0);
        const auto weights = parameters.subspan(parts_.num_parameters());
        shares.insert(shares.end(), weights.begin(), weights.end());
        const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
        for (double& share : shares) share /= sum;
    }

    std::string name_;
    PartList parts_;
    std::vector<Parameter> weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_mixture(std::string name, std::vector<std::unique_ptr<Kernel>> parts, std::vector<Parameter> weights) {
    return std::make_unique<MixtureKernel>(std::move(name), std::move(parts), std::move(weights));
}

}  // namespace vnngp::kernel
