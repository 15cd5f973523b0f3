// Correlation functions, evaluated for whole neighbourhoods at a time.
//
// A kernel here is a correlation: k(x, x) = 1. The output scale and the nugget belong to the covariance (conditional/covariance.hpp).
// Its shape parameters are positive numbers; derivatives are taken in their logarithms.
#pragma once

#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/base/types.hpp"
#include "vnngp/kernel/metric.hpp"
#include "vnngp/linalg/lanes.hpp"

namespace vnngp::kernel {

/// One input of a kernel: one coordinate, or several that share a length-scale (a place on a sphere has three).
struct Input {
    std::string name;    ///< empty: called x1, x2, ... by its place, and 1, 2, ... in the names of parameters
    int num_dims = 1;    ///< consecutive coordinates
    double scale = 1.0;  ///< data units per unit of the coordinates the kernel sees
};

struct Parameter {
    std::string name;  ///< unique within a kernel
    int input = -1;    ///< number of the input in whose unit the parameter is measured (length-scale, period), -1 when it has no unit
    double initial = std::numbers::ln2;
    double lower = 1e-6;
    double upper = 1e6;
    bool is_lengthscale = false;
};

/// kLanesOf<T> neighbourhoods of num_points points each, side by side. Coordinates are [num_points][num_dims][lanes].
template <class T>
struct LaneBlockOf {
    int num_points = 0;
    int num_dims = 0;
    linalg::LaneBufferOf<T> coordinates;

    T* point(int p) { return coordinates.data() + static_cast<std::size_t>(p) * num_dims * linalg::kLanesOf<T>; }
    const T* point(int p) const { return coordinates.data() + static_cast<std::size_t>(p) * num_dims * linalg::kLanesOf<T>; }
};
using LaneBlock = LaneBlockOf<double>;

/// All points of one set against all of another, kCrossSide each. Coordinates are [num_dims][kCrossSide], values of pairs
/// [point of cols][point of rows].
inline constexpr int kCrossSide = 64;
template <class T>
struct CrossBlockOf {
    int num_dims = 0;
    linalg::LaneBufferOf<T> rows, cols;
};

/// Memory a kernel may use between the two calls below for one block; grown by the kernel, reused by the caller, one per thread.
template <class T>
struct KernelScratchOf {
    linalg::LaneBufferOf<T> scaled;           ///< the block's coordinates in units of the length-scales
    linalg::LaneBufferOf<T> slope;            ///< one value per pair: what the derivative of the correlation needs
    linalg::LaneBufferOf<T> shape_slope;      ///< one value per pair: the derivative in the logarithm of a profile's own parameter
    linalg::LaneBufferOf<T> workspace;        ///< some values per point
    linalg::LaneBufferOf<T> column_gradient;  ///< derivatives before those of coordinates that share a length-scale are added up
    std::vector<double> factors;              ///< a few numbers derived from the parameters: inverse length-scales, shares of a mixture

    std::vector<KernelScratchOf> parts;   ///< of a kernel made of kernels, one for each
    linalg::LaneBufferOf<T> correlation;  ///< of a part: its correlations
    linalg::LaneBufferOf<T> passed_down;  ///< the weights that contract() hands to a part
};
using KernelScratch = KernelScratchOf<double>;

/// Immutable; any number of threads may call it at once, each with its own scratch.
class Kernel {
public:
    virtual ~Kernel() = default;
    /// The expression that make_kernel turns into this kernel again, given the same inputs.
    virtual std::string name() const = 0;
    /// Coordinates of a point, those of all inputs.
    virtual int num_dims() const = 0;
    virtual std::vector<Parameter> parameters() const = 0;
    virtual int num_parameters() const = 0;

    /// correlation [packed lower triangle of order num_points][kLanes]: fills the entries below the diagonal, leaves the diagonal alone.
    /// with_slope: also prepares `scratch` for contract().
    virtual void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                              double* correlation) const = 0;

    /// For weights w_pq (p > q, same packing; the derivative of some objective in each correlation, counted once per pair), adds the
    /// objective's derivatives in the logarithms of the parameters to gradient [num_parameters][kLanes], and, unless it is null, those in
    /// the coordinates to location_gradient [num_points][num_dims][kLanes]. Must follow correlations(..., with_slope = true, ...) with
    /// the same block and scratch.
    virtual void contract(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, const double* weight,
                          double* gradient, double* location_gradient) const = 0;

    /// Whether there are the two below: the same in single precision, with twice as many lanes and no derivatives in the coordinates.
    virtual bool has_single_precision() const { return false; }
    virtual void correlations(std::span<const double> parameters, const LaneBlockOf<float>& block, KernelScratchOf<float>& scratch,
                              bool with_slope, float* correlation) const;
    virtual void contract(const LaneBlockOf<float>& block, KernelScratchOf<float>& scratch, const float* weight, float* gradient) const;

    /// Whether there are the two below, which spare dense matrices the pairs within a set; in single precision if has_single_precision().
    virtual bool has_cross() const { return false; }
    /// As above. correlation [kCrossSide][kCrossSide] and 64-byte aligned.
    virtual void cross_correlations(std::span<const double> parameters, const CrossBlockOf<double>& block, KernelScratchOf<double>& scratch,
                                    bool with_slope, double* correlation) const;
    virtual void cross_correlations(std::span<const double> parameters, const CrossBlockOf<float>& block, KernelScratchOf<float>& scratch,
                                    bool with_slope, float* correlation) const;
    /// gradient [num_parameters]; row_gradient, unless null, [num_dims][kCrossSide]: of the coordinates of `rows`.
    virtual void cross_contract(const CrossBlockOf<double>& block, KernelScratchOf<double>& scratch, const double* weight, double* gradient,
                                double* row_gradient) const;
    virtual void cross_contract(const CrossBlockOf<float>& block, KernelScratchOf<float>& scratch, const float* weight, float* gradient,
                                float* row_gradient) const;

    /// Adds `share` times this kernel's squared distance to the metric.
    virtual void add_to_metric(std::span<const double> parameters, double share, Metric& metric) const = 0;
    /// true: Euclidean distance in metric_coordinates() orders points by correlation. false: it does so roughly. Then take more
    /// candidates than are needed and rank them by correlation (conditional/kernel_neighbors.hpp).
    virtual bool metric_is_exact() const = 0;
    /// One row per point. The number of columns need not be num_dims().
    Points metric_coordinates(std::span<const double> parameters, const Points& points) const;
};

/// The kernel of an expression such as `matern32(lon,lat) * matern12(t) + rbf(t)` (docs/concepts.md). A kernel without a list is one of
/// all inputs. Throws InputError saying where the expression is wrong and what was expected.
std::unique_ptr<Kernel> make_kernel(std::string_view expression, std::span<const Input> inputs);
/// The same on num_dims unnamed inputs of one coordinate each.
std::unique_ptr<Kernel> make_kernel(std::string_view expression, int num_dims);
/// The names of which expressions are made.
std::vector<std::string> kernel_names();

}  // namespace vnngp::kernel
