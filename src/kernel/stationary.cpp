// Stationary kernels: functions of the distance in units of one length-scale per input.
#include <algorithm>
#include <numeric>

#include "kernel/pair_lanes.hpp"
#include "kernel/parts.hpp"
#include "kernel/stationary_cross.hpp"
#include "kernel/stationary_lanes.hpp"

namespace vnngp::kernel {
namespace {

using linalg::kLanes;
using linalg::kLanesOf;

class StationaryKernel final : public Kernel {
public:
    StationaryKernel(std::string name, Profile profile, ScaledColumns inputs, std::optional<Parameter> alpha)
        : name_(std::move(name)), profile_(profile), inputs_(std::move(inputs)), alpha_(std::move(alpha)) {
        std::vector<int> places(inputs_.columns.size());
        std::iota(places.begin(), places.end(), 0);
        one_lengthscale_per_column_ = places == inputs_.lengthscale;
    }

    std::string name() const override { return name_; }
    int num_dims() const override { return inputs_.num_dims; }
    int num_parameters() const override { return num_lengthscales() + (alpha_ ? 1 : 0); }
    bool metric_is_exact() const override { return true; }

    std::vector<Parameter> parameters() const override {
        std::vector<Parameter> parameters = inputs_.lengthscales;
        if (alpha_) parameters.push_back(*alpha_);
        return parameters;
    }

    void correlations(std::span<const double> parameters, const LaneBlock& block, KernelScratch& scratch, bool with_slope,
                      double* correlation) const override {
        fill(parameters, block, scratch, with_slope, correlation);
    }

    void contract(std::span<const double>, const LaneBlock& block, KernelScratch& scratch, const double* weight, double* gradient,
                  double* location_gradient) const override {
        add_lengthscale_gradient(block, scratch, weight, gradient);
        if (alpha_)
            add_pair_sums(block.num_points, weight, scratch.shape_slope.data(),
                          gradient + static_cast<std::size_t>(num_lengthscales()) * kLanes);
        if (location_gradient != nullptr)
            stationary_location_gradient(block.num_points, num_columns(), scratch.scaled.data(), weight, scratch.slope.data(),
                                         scratch.factors.data(), inputs_.columns.data(), block.num_dims, location_gradient);
    }

    bool has_single_precision() const override { return !alpha_; }

    void correlations(std::span<const double> parameters, const LaneBlockOf<float>& block, KernelScratchOf<float>& scratch, bool with_slope,
                      float* correlation) const override {
        fill(parameters, block, scratch, with_slope, correlation);
    }

    void contract(const LaneBlockOf<float>& block, KernelScratchOf<float>& scratch, const float* weight, float* gradient) const override {
        add_lengthscale_gradient(block, scratch, weight, gradient);
    }

    bool has_cross() const override { return true; }

    void cross_correlations(std::span<const double> parameters, const CrossBlockOf<double>& block, KernelScratch& scratch, bool with_slope,
                            double* correlation) const override {
        fill_cross(parameters, block, scratch, with_slope, correlation);
    }
    void cross_correlations(std::span<const double> parameters, const CrossBlockOf<float>& block, KernelScratchOf<float>& scratch,
                            bool with_slope, float* correlation) const override {
        fill_cross(parameters, block, scratch, with_slope, correlation);
    }
    void cross_contract(const CrossBlockOf<double>&, KernelScratch& scratch, const double* weight, double* gradient,
                        double* row_gradient) const override {
        add_cross_gradient(scratch, weight, gradient, row_gradient);
    }
    void cross_contract(const CrossBlockOf<float>&, KernelScratchOf<float>& scratch, const float* weight, float* gradient,
                        float* row_gradient) const override {
        add_cross_gradient(scratch, weight, gradient, row_gradient);
    }

    void add_to_metric(std::span<const double> parameters, double share, Metric& metric) const override {
        for (int c = 0; c < num_columns(); ++c) {
            const double lengthscale = parameters[inputs_.lengthscale[c]];
            metric.precision[inputs_.columns[c]] += share / (lengthscale * lengthscale);
        }
    }

private:
    int num_columns() const { return static_cast<int>(inputs_.columns.size()); }
    int num_lengthscales() const { return static_cast<int>(inputs_.lengthscales.size()); }

    template <class T>
    void fill(std::span<const double> parameters, const LaneBlockOf<T>& block, KernelScratchOf<T>& scratch, bool with_slope,
              T* correlation) const {
        scale(parameters, block, scratch);
        scratch.workspace.resize(lengthscale_workspace<T>(block.num_points));
        const std::size_t size = with_slope ? linalg::packed_row(block.num_points) * kLanesOf<T> : 0;
        if (with_slope) scratch.slope.resize(size);
        if (with_slope && alpha_) scratch.shape_slope.resize(size);
        stationary_correlations(profile_, alpha_ ? parameters.back() : 0.0, block.num_points, num_columns(), scratch.scaled.data(),
                                scratch.workspace.data(),
                                PairValues<T>{correlation, with_slope ? scratch.slope.data() : nullptr, scratch.shape_slope.data()});
    }

    template <class T>
    void scale(std::span<const double> lengthscales, const LaneBlockOf<T>& block, KernelScratchOf<T>& scratch) const {
        const int columns = num_columns();
        invert_lengthscales(lengthscales, scratch);
        scratch.scaled.resize(static_cast<std::size_t>(block.num_points) * columns * kLanesOf<T>);
        scale_columns(block, columns, inputs_.columns.data(), scratch.factors.data(), scratch.scaled.data());
    }

    template <class T>
    void add_lengthscale_gradient(const LaneBlockOf<T>& block, KernelScratchOf<T>& scratch, const T* weight, T* gradient) const {
        constexpr int lanes = kLanesOf<T>;
        const auto add_per_column = [&](T* to) {
            stationary_lengthscale_gradient(block.num_points, num_columns(), scratch.scaled.data(), weight, scratch.slope.data(),
                                            scratch.workspace.data(), to);
        };
        if (one_lengthscale_per_column_) return add_per_column(gradient);
        scratch.column_gradient.assign(static_cast<std::size_t>(num_columns()) * lanes, 0);
        add_per_column(scratch.column_gradient.data());
        for (int c = 0; c < num_columns(); ++c)
            for (int lane = 0; lane < lanes; ++lane)
                gradient[inputs_.lengthscale[c] * lanes + lane] += scratch.column_gradient[c * lanes + lane];
    }

    static constexpr std::size_t kCrossPairs = static_cast<std::size_t>(kCrossSide) * kCrossSide;

    template <class T>
    void invert_lengthscales(std::span<const double> lengthscales, KernelScratchOf<T>& scratch) const {
        scratch.factors.resize(num_columns());
        for (int c = 0; c < num_columns(); ++c) scratch.factors[c] = 1.0 / lengthscales[inputs_.lengthscale[c]];
    }

    // scratch.scaled: first the columns of the rows, then those of the cols.
    template <class T>
    void fill_cross(std::span<const double> parameters, const CrossBlockOf<T>& block, KernelScratchOf<T>& scratch, bool with_slope,
                    T* correlation) const {
        invert_lengthscales(parameters, scratch);
        const std::size_t set = static_cast<std::size_t>(num_columns()) * kCrossSide;
        scratch.scaled.resize(2 * set);
        const auto scale_set = [&](const T* from, T* to) {
            for (int c = 0; c < num_columns(); ++c, to += kCrossSide) {
                const T factor = static_cast<T>(scratch.factors[c]);
                for (int p = 0; p < kCrossSide; ++p) to[p] = factor * from[inputs_.columns[c] * kCrossSide + p];
            }
        };
        scale_set(block.rows.data(), scratch.scaled.data());
        scale_set(block.cols.data(), scratch.scaled.data() + set);
        if (with_slope) scratch.slope.resize(kCrossPairs);
        if (with_slope && alpha_) scratch.shape_slope.resize(kCrossPairs);
        cross_values(profile_, alpha_ ? parameters.back() : 0.0, num_columns(), scratch.scaled.data(), scratch.scaled.data() + set,
                     PairValues<T>{correlation, with_slope ? scratch.slope.data() : nullptr, scratch.shape_slope.data()});
    }

    template <class T>
    void add_cross_gradient(KernelScratchOf<T>& scratch, const T* weight, T* gradient, T* row_gradient) const {
        const std::size_t set = static_cast<std::size_t>(num_columns()) * kCrossSide;
        scratch.workspace.resize(kCrossPairs);
        scratch.column_gradient.resize(set + num_columns());
        T *pull = scratch.column_gradient.data(), *stretch = pull + set;
        cross_moments(num_columns(), scratch.scaled.data(), scratch.scaled.data() + set, weight, scratch.slope.data(),
                      scratch.workspace.data(), stretch, row_gradient != nullptr ? pull : nullptr);
        for (int c = 0; c < num_columns(); ++c) gradient[inputs_.lengthscale[c]] += stretch[c];
        if (alpha_) gradient[num_lengthscales()] += std::inner_product(weight, weight + kCrossPairs, scratch.shape_slope.data(), T(0));
        if (row_gradient == nullptr) return;
        for (int c = 0; c < num_columns(); ++c, pull += kCrossSide) {
            const T factor = static_cast<T>(scratch.factors[c]);
            for (int p = 0; p < kCrossSide; ++p) row_gradient[inputs_.columns[c] * kCrossSide + p] -= factor * pull[p];
        }
    }

    std::string name_;
    Profile profile_;
    ScaledColumns inputs_;
    std::optional<Parameter> alpha_;
    bool one_lengthscale_per_column_;
};

}  // namespace

std::unique_ptr<Kernel> make_stationary(std::string name, Profile profile, ScaledColumns inputs, std::optional<Parameter> alpha) {
    return std::make_unique<StationaryKernel>(std::move(name), profile, std::move(inputs), std::move(alpha));
}

}  // namespace vnngp::kernel
