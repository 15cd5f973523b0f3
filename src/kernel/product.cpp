// Products of kernels. dk = sum_i (prod_{j != i} k_j) dk_i: part i is contracted with the weights times the other parts.
#include "kernel/pair_lanes.hpp"
#include "kernel/part_list.hpp"
#include "kernel/parts.hpp"

namespace vnngp::kernel {
namespace {

class ProductKernel final : public Kernel {
public:
    ProductKernel(std::string name, std::vector<std::unique_ptr<Kernel>> parts) : name_(std::move(name)), parts_(std::move(parts)) {}

    std::string name() const override { return name_; }
    int num_dims() const override { return parts_[0].num_dims(); }
    int num_parameters() const override { return parts_.num_parameters(); }
    std::vector<Parameter> parameters() const override { return parts_.parameters(); }
    bool metric_is_exact() const override { return false; }

    void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                      double* correlation) const override {
        parts_.correlations(parameters, block, scratch, with_slope);
        multiply_pairs(block.num_points, scratch.parts[0].correlation.data(), scratch.parts[1].correlation.data(), correlation);
        for (int part = 2; part < parts_.size(); ++part)
            multiply_pairs(block.num_points, correlation, scratch.parts[part].correlation.data(), correlation);
    }

    void contract(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, const double* weight,
                  double* gradient, double* location_gradient) const override {
        for (int part = 0; part < parts_.size(); ++part) {
            const double* product = weight;
            for (int other = 0; other < parts_.size(); ++other) {
                if (other == part) continue;
                multiply_pairs(block.num_points, product, scratch.parts[other].correlation.data(), scratch.passed_down.data());
                product = scratch.passed_down.data();
            }
            parts_.contract(part, parameters, block, scratch, gradient, location_gradient);
        }
    }

    // At small distances -log k is the sum of those of the parts.
    void add_to_metric(std::span<const double> parameters, double share, Metric& metric) const override {
        for (int part = 0; part < parts_.size(); ++part) parts_[part].add_to_metric(parts_.parameters_of(part, parameters), share, metric);
    }

private:
    std::string name_;
    PartList parts_;
};

}  // namespace

std::unique_ptr<Kernel> make_product(std::string name, std::vector<std::unique_ptr<Kernel>> parts) {
    return std::make_unique<ProductKernel>(std::move(name), std::move(parts));
}

}  // namespace vnngp::kernel
