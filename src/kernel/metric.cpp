#include "vnngp/kernel/metric.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

Points embedding(const Metric& metric, const Points& points) {
    std::vector<int> columns;
    for (std::size_t c = 0; c < metric.precision.size(); ++c)
        if (metric.precision[c] > 0.0) columns.push_back(static_cast<int>(c));
    Points embedded(points.rows(), columns.size() + 2 * metric.circles.size());
    Eigen::Index to = 0;
    for (const int column : columns) embedded.col(to++) = points.col(column) * std::sqrt(metric.precision[column]);
    for (const Metric::Circle& circle : metric.circles) {
        const double radius = std::sqrt(circle.precision);
        const Eigen::ArrayXd angle = points.col(circle.column).array() * (2.0 * std::numbers::pi / circle.period);
        embedded.col(to++) = radius * angle.cos();
        embedded.col(to++) = radius * angle.sin();
    }
    return embedded;
}

void Kernel::correlations(std::span<const double>, const LaneBlockOf<float>&, KernelScratchOf<float>&, bool, float*) const {
    throw std::logic_error("kernel " + name() + " has no single precision");
}
void Kernel::contract(const LaneBlockOf<float>&, KernelScratchOf<float>&, const float*, float*) const {
    throw std::logic_error("kernel " + name() + " has no single precision");
}

namespace {
[[noreturn]] void refuse_cross(const Kernel& kernel) { throw std::logic_error("kernel " + kernel.name() + " has no cross blocks"); }
}  // namespace

void Kernel::cross_correlations(std::span<const double>, const CrossBlockOf<double>&, KernelScratchOf<double>&, bool, double*) const {
    refuse_cross(*this);
}
void Kernel::cross_correlations(std::span<const double>, const CrossBlockOf<float>&, KernelScratchOf<float>&, bool, float*) const {
    refuse_cross(*this);
}
void Kernel::cross_contract(const CrossBlockOf<double>&, KernelScratchOf<double>&, const double*, double*, double*) const {
    refuse_cross(*this);
}
void Kernel::cross_contract(const CrossBlockOf<float>&, KernelScratchOf<float>&, const float*, float*, float*) const {
    refuse_cross(*this);
}

Points Kernel::metric_coordinates(std::span<const double> parameters, const Points& points) const {
    Metric metric(num_dims());
    add_to_metric(parameters, 1.0, metric);
    return embedding(metric, points);
}

}  // namespace vnngp::kernel
