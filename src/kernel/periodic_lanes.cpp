#include "kernel/periodic_lanes.hpp"

#include <numbers>

#include "vnngp/linalg/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/periodic_lanes.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::kernel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using linalg::kLanes;
using linalg::packed_row;
using Tag = hn::CappedTag<double, kLanes>;
using Lane = hn::Vec<Tag>;

void WindAroundCircle(int num_points, int num_dims, int column, const double* coordinates, double period, double inverse_lengthscale,
                      double* circle) {
    const Tag d;
    const Lane radius = hn::Set(d, inverse_lengthscale);
    for (int p = 0; p < num_points; ++p) {
        for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
            const Lane t = hn::Load(d, coordinates + (static_cast<std::size_t>(p) * num_dims + column) * kLanes + lane);
            const Lane turns = hn::Div(t, hn::Set(d, period));
            const Lane angle = hn::Mul(hn::Set(d, 2.0 * std::numbers::pi), hn::Sub(turns, hn::Round(turns)));
            double* to = circle + static_cast<std::size_t>(p) * 2 * kLanes + lane;
            hn::Store(hn::Mul(radius, hn::Cos(d, angle)), d, to);
            hn::Store(hn::Mul(radius, hn::Sin(d, angle)), d, to + kLanes);
        }
    }
}

void PeriodicGradient(int num_points, int num_dims, int column, const double* coordinates, double period, const double* circle,
                      const double* weight, const double* correlation, double* period_gradient, double* location_gradient) {
    const Tag d;
    const Lane frequency = hn::Set(d, 2.0 * std::numbers::pi / period);
    const std::size_t stride = static_cast<std::size_t>(num_dims) * kLanes;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
        const double* t = coordinates + column * kLanes + lane;
        double* location = location_gradient == nullptr ? nullptr : location_gradient + column * kLanes + lane;
        Lane sum = hn::Zero(d);
        for (int p = 1; p < num_points; ++p) {
            const double* u = circle + static_cast<std::size_t>(p) * 2 * kLanes + lane;
            const Lane cos_p = hn::Load(d, u), sin_p = hn::Load(d, u + kLanes), t_p = hn::Load(d, t + p * stride);
            for (int q = 0; q < p; ++q) {
                const std::size_t pair = (packed_row(p) + q) * kLanes + lane;
                const double* v = circle + static_cast<std::size_t>(q) * 2 * kLanes + lane;
                // sin(p) cos(q) - cos(p) sin(q), written so that it is 0 for coincident points.
                const Lane cosine_difference = hn::Sub(hn::Load(d, v), cos_p), sine_difference = hn::Sub(hn::Load(d, v + kLanes), sin_p);
                const Lane sine = hn::MulSub(sin_p, cosine_difference, hn::Mul(cos_p, sine_difference));
                const Lane pull = hn::Mul(hn::Mul(hn::Load(d, weight + pair), hn::Load(d, correlation + pair)), hn::Mul(frequency, sine));
                sum = hn::MulAdd(pull, hn::Sub(t_p, hn::Load(d, t + q * stride)), sum);
                if (location == nullptr) continue;
                hn::Store(hn::Sub(hn::Load(d, location + p * stride), pull), d, location + p * stride);
                hn::Store(hn::Add(hn::Load(d, location + q * stride), pull), d, location + q * stride);
            }
        }
        if (period_gradient != nullptr) hn::Store(hn::Add(hn::Load(d, period_gradient + lane), sum), d, period_gradient + lane);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::kernel {

HWY_EXPORT(WindAroundCircle);
HWY_EXPORT(PeriodicGradient);

void wind_around_circle(int num_points, int num_dims, int column, const double* coordinates, double period, double inverse_lengthscale,
                        double* circle) {
    HWY_DYNAMIC_DISPATCH(WindAroundCircle)(num_points, num_dims, column, coordinates, period, inverse_lengthscale, circle);
}

void periodic_gradient(int num_points, int num_dims, int column, const double* coordinates, double period, const double* circle,
                       const double* weight, const double* correlation, double* period_gradient, double* location_gradient) {
    HWY_DYNAMIC_DISPATCH(PeriodicGradient)
    (num_points, num_dims, column, coordinates, period, circle, weight, correlation, period_gradient, location_gradient);
}

}  // namespace vnngp::kernel
#endif
