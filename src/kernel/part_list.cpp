#include "kernel/part_list.hpp"

namespace vnngp::kernel {

using linalg::kLanes;

PartList::PartList(std::vector<std::unique_ptr<Kernel>> parts) : parts_(std::move(parts)), offsets_{0} {
    for (const auto& part : parts_) offsets_.push_back(offsets_.back() + part->num_parameters());
}

std::vector<Parameter> PartList::parameters() const {
    std::vector<Parameter> all;
    for (const auto& part : parts_)
        for (Parameter& parameter : part->parameters()) all.push_back(std::move(parameter));
    return all;
}

std::span<const double> PartList::parameters_of(int part, std::span<const double> parameters) const {
    return parameters.subspan(offsets_[part], offsets_[part + 1] - offsets_[part]);
}

void PartList::correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope) const {
    const std::size_t size = linalg::packed_row(block.num_points) * kLanes;
    scratch.parts.resize(parts_.size());
    if (with_slope) scratch.passed_down.resize(size);
    for (int part = 0; part < this->size(); ++part) {
        KernelScratch& own = scratch.parts[part];
        own.correlation.resize(size);
        parts_[part]->correlations(parameters_of(part, parameters), block, own, with_slope, own.correlation.data());
    }
}

void PartList::contract(int part, std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, double* gradient,
                        double* location_gradient) const {
    parts_[part]->contract(parameters_of(part, parameters), block, scratch.parts[part], scratch.passed_down.data(),
                           gradient + static_cast<std::size_t>(offsets_[part]) * kLanes, location_gradient);
}

}  // namespace vnngp::kernel
