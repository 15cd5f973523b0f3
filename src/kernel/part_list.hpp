// What products and mixtures have in common: several kernels on the same inputs, their parameters one after the other.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

class PartList {
public:
    explicit PartList(std::vector<std::unique_ptr<Kernel>> parts);

    int size() const { return static_cast<int>(parts_.size()); }
    const Kernel& operator[](int part) const { return *parts_[part]; }
    int num_parameters() const { return offsets_.back(); }
    std::vector<Parameter> parameters() const;
    std::span<const double> parameters_of(int part, std::span<const double> parameters) const;

    /// Leaves the correlations of every part in its scratch.
    void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope) const;
    /// Kernel::contract of one part, with the weights in scratch.passed_down.
    void contract(int part, std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, double* gradient,
                  double* location_gradient) const;

private:
    std::vector<std::unique_ptr<Kernel>> parts_;
    std::vector<int> offsets_;  ///< where the parameters of a part begin; one more, where all end
};

}  // namespace vnngp::kernel
