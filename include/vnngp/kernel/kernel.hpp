// Correlation functions, evaluated for whole neighbourhoods at a time.
//
// A kernel here is a correlation: k(x, x) = 1. The output scale and the nugget belong to the covariance (conditional/covariance.hpp).
// Its shape parameters are positive numbers; derivatives are taken in their logarithms.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/base/types.hpp"
#include "vnngp/linalg/lanes.hpp"

namespace vnngp::kernel {

/// kLanes neighbourhoods of num_points points each, side by side. Coordinates are [num_points][num_dims][kLanes].
struct LaneBlock {
    int num_points = 0;
    int num_dims = 0;
    linalg::LaneBuffer coordinates;

    double* point(int p) { return coordinates.data() + static_cast<std::size_t>(p) * num_dims * linalg::kLanes; }
    const double* point(int p) const { return coordinates.data() + static_cast<std::size_t>(p) * num_dims * linalg::kLanes; }
};

/// Memory a kernel may use between the two calls below for one block; grown by the kernel, reused by the caller, one per thread.
struct KernelScratch {
    linalg::LaneBuffer scaled;  ///< the block's coordinates in units of the length-scales
    linalg::LaneBuffer slope;   ///< one value per pair: what the derivative of the correlation needs
};

class Kernel {
public:
    virtual ~Kernel() = default;
    virtual std::string name() const = 0;
    virtual int num_dims() const = 0;
    /// Names of the shape parameters, e.g. lengthscale_1.
    virtual std::vector<std::string> parameter_names() const = 0;
    int num_parameters() const { return static_cast<int>(parameter_names().size()); }

    /// correlation [packed lower triangle of order num_points][kLanes]: fills the entries below the diagonal, leaves the diagonal alone.
    /// with_slope: also prepares `scratch` for contract().
    virtual void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                              double* correlation) const = 0;

    /// For weights w_pq (p > q, same packing; the derivative of some objective in each correlation, counted once per pair), adds the
    /// objective's derivatives in the logarithms of the parameters to gradient [num_parameters][kLanes], and, unless it is null, those in
    /// the coordinates to location_gradient [num_points][num_dims][kLanes]. Must follow correlations(..., with_slope = true, ...) with
    /// the same block and scratch.
    virtual void contract(std::span<const double> parameters, const LaneBlock& block, const KernelScratch& scratch, const double* weight,
                          double* gradient, double* location_gradient) const = 0;

    /// Coordinates in which Euclidean distance orders points by correlation.
    virtual Points metric_coordinates(std::span<const double> parameters, const Points& points) const = 0;
};

/// One input of a kernel: one coordinate, or several that share a length-scale (a place on a sphere has three).
struct Input {
    std::string name;
    int num_dims = 1;
    double scale = 1.0;  ///< data units per unit of the coordinates the kernel sees
};

/// The kernel called `name` with one length-scale per input.
std::unique_ptr<Kernel> make_kernel(std::string_view name, std::span<const Input> inputs);
/// The kernel called `name` on num_dims inputs; throws InputError listing the known names.
std::unique_ptr<Kernel> make_kernel(std::string_view name, int num_dims);
std::vector<std::string> kernel_names();

}  // namespace vnngp::kernel
