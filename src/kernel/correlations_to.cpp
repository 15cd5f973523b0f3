#include "vnngp/kernel/correlations_to.hpp"

#include <algorithm>

namespace vnngp::kernel {

using linalg::kLanes;

// Blocks of two points, a candidate and the target: every lane has its own candidate.
void correlations_to(const Kernel& kernel, std::span<const double> parameters, const Points& points, std::span<const Index> candidates,
                     const double* target, std::span<double> out) {
    const int dims = kernel.num_dims();
    LaneBlock block{2, dims, linalg::LaneBuffer(static_cast<std::size_t>(2 * dims) * kLanes)};
    for (int dim = 0; dim < dims; ++dim) std::fill_n(block.point(1) + dim * kLanes, kLanes, target[dim]);
    linalg::LaneBuffer packed(linalg::packed_row(2) * kLanes);
    KernelScratch scratch;
    for (std::size_t begin = 0; begin < candidates.size(); begin += kLanes) {
        const std::size_t count = std::min<std::size_t>(kLanes, candidates.size() - begin);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double* from = points.data() + static_cast<std::size_t>(candidates[begin + (lane < count ? lane : 0)]) * dims;
            for (int dim = 0; dim < dims; ++dim) block.point(0)[dim * kLanes + lane] = from[dim];
        }
        kernel.correlations(parameters, block, scratch, false, packed.data());
        std::copy_n(packed.data() + linalg::packed_row(1) * kLanes, count, out.data() + begin);
    }
}

}  // namespace vnngp::kernel
