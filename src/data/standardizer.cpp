#include "vnngp/data/standardizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vnngp::data {
namespace {

bool all_equal(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& values) {
    return values.size() <= 1 || (values.array() == values[0]).all();
}

double standardized(double value, double center, double scale) {
    const double shifted = value - center;
    // The difference of two finite numbers can overflow; the difference of their halves cannot.
    return std::isfinite(shifted) ? shifted / scale : (0.5 * value - 0.5 * center) / scale * 2.0;
}

double restored(double value, double center, double scale) {
    const double sum = value * scale + center;
    return std::isfinite(sum) ? sum : 2.0 * (value * (0.5 * scale) + 0.5 * center);
}

// Halves: the difference of two finite numbers can overflow.
TargetStandardizer fit_range(const Vector& values) {
    if (values.size() == 0) return {};
    const double low = 0.5 * values.minCoeff(), high = 0.5 * values.maxCoeff();
    if (low == high) return {.center = values[0], .scale = 1.0};
    return {.center = low + high, .scale = high - low};
}

}  // namespace

std::vector<Index> constant_columns(const Points& points) {
    std::vector<Index> constant;
    for (Eigen::Index c = 0; c < points.cols(); ++c)
        if (all_equal(points.col(c))) constant.push_back(static_cast<Index>(c));
    return constant;
}

bool is_constant(const Vector& values) { return all_equal(values); }

Standardizer fit_standardizer(const Points& points, Scale scale) {
    Standardizer standardizer{.center = Vector(points.cols()), .scale = Vector(points.cols())};
    for (Eigen::Index c = 0; c < points.cols(); ++c) {
        // Columns are copied: several passes follow.
        const TargetStandardizer column = scale == Scale::range ? fit_range(points.col(c)) : fit_target_standardizer(points.col(c));
        standardizer.center[c] = column.center;
        standardizer.scale[c] = column.scale;
    }
    return standardizer;
}

TargetStandardizer fit_target_standardizer(const Vector& values) {
    if (values.size() == 0) return {};
    if (all_equal(values)) return {.center = values[0], .scale = 1.0};
    // Moments are taken of the values scaled to around 1 by a power of two: exact, and the squares neither overflow nor vanish.
    const int exponent = std::clamp(std::ilogb(values.cwiseAbs().maxCoeff()) + 1, -1022, 1022);
    const double shrink = std::ldexp(1.0, -exponent);
    const double count = static_cast<double>(values.size());
    double mean = (values.array() * shrink).sum() / count;
    mean += (values.array() * shrink - mean).sum() / count;  // what rounding in the first sum lost
    const double deviation = std::sqrt((values.array() * shrink - mean).square().sum() / count);
    return {.center = std::ldexp(mean, exponent),
            .scale = std::max(std::ldexp(deviation, exponent), std::numeric_limits<double>::denorm_min())};
}

Points apply(const Standardizer& standardizer, Points points) {
    for (Eigen::Index row = 0; row < points.rows(); ++row)
        for (Eigen::Index c = 0; c < points.cols(); ++c)
            points(row, c) = standardized(points(row, c), standardizer.center[c], standardizer.scale[c]);
    return points;
}

Points invert(const Standardizer& standardizer, Points points) {
    for (Eigen::Index row = 0; row < points.rows(); ++row)
        for (Eigen::Index c = 0; c < points.cols(); ++c)
            points(row, c) = restored(points(row, c), standardizer.center[c], standardizer.scale[c]);
    return points;
}

Vector apply(const TargetStandardizer& standardizer, Vector values) {
    for (double& value : values) value = standardized(value, standardizer.center, standardizer.scale);
    return values;
}

Vector invert(const TargetStandardizer& standardizer, Vector values) {
    for (double& value : values) value = restored(value, standardizer.center, standardizer.scale);
    return values;
}

}  // namespace vnngp::data
