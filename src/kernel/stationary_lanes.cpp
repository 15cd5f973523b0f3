#include "kernel/stationary_lanes.hpp"

#include "vnngp/linalg/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/stationary_lanes.cpp"
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

#include "kernel/profile/matern12-inl.hpp"
#include "kernel/profile/matern32-inl.hpp"
#include "kernel/profile/matern52-inl.hpp"
#include "kernel/profile/rbf-inl.hpp"
#include "kernel/profile/rq-inl.hpp"

// Squared distances of point p from the kWidth points q, q + 1, ...: several at a time so that p's coordinates are loaded once for all.
template <int kWidth>
HWY_INLINE void squared_distances(int num_dims, const double* p, const double* q, Lane sums[kWidth]) {
    const Tag d;
    const std::size_t point_stride = static_cast<std::size_t>(num_dims) * kLanes;
    for (int j = 0; j < kWidth; ++j) sums[j] = hn::Zero(d);
    for (int dim = 0; dim < num_dims; ++dim) {
        const Lane x = hn::Load(d, p + dim * kLanes);
#pragma GCC unroll 4
        for (int j = 0; j < kWidth; ++j) {
            const Lane difference = hn::Sub(x, hn::Load(d, q + j * point_stride + dim * kLanes));
            sums[j] = hn::MulAdd(difference, difference, sums[j]);
        }
    }
}

// Where the values of a pair are computed from its squared distance and stored.
template <class P>
struct PlainPairs {
    PairValues out;
    HWY_INLINE void operator()(Lane squared_distance, std::size_t at) const {
        const Tag d;
        Lane k, e;
        P::profile(d, squared_distance, k, e);
        hn::Store(k, d, out.correlation + at);
        if (out.slope != nullptr) hn::Store(e, d, out.slope + at);
    }
};
template <class P>
struct ShapedPairs {
    PairValues out;
    double alpha;
    HWY_INLINE void operator()(Lane squared_distance, std::size_t at) const {
        const Tag d;
        Lane k, e, shape;
        P::profile(d, alpha, squared_distance, k, e, shape);
        hn::Store(k, d, out.correlation + at);
        if (out.slope == nullptr) return;
        hn::Store(e, d, out.slope + at);
        hn::Store(shape, d, out.shape_slope + at);
    }
};

template <int kWidth, class Pairs>
HWY_INLINE void fill_pairs(int num_dims, const double* p, const double* q, const Pairs& pairs, std::size_t at) {
    Lane sums[kWidth];
    squared_distances<kWidth>(num_dims, p, q, sums);
#pragma GCC unroll 4
    for (int j = 0; j < kWidth; ++j) pairs(sums[j], at + j * kLanes);
}

template <class Pairs>
void fill_block(int num_points, int num_dims, const double* scaled, const Pairs& pairs) {
    const std::size_t point_stride = static_cast<std::size_t>(num_dims) * kLanes;
    const int width = static_cast<int>(hn::Lanes(Tag()));
    for (int lane = 0; lane < kLanes; lane += width) {
        for (int p = 1; p < num_points; ++p) {
            const double* x = scaled + p * point_stride + lane;
            const std::size_t row = packed_row(p) * kLanes + lane;
            int q = 0;
            for (; q + 4 <= p; q += 4) fill_pairs<4>(num_dims, x, scaled + q * point_stride + lane, pairs, row + q * kLanes);
            for (; q < p; ++q) fill_pairs<1>(num_dims, x, scaled + q * point_stride + lane, pairs, row + q * kLanes);
        }
    }
}

void Correlations(Profile profile, double alpha, int num_points, int num_dims, const double* scaled, const PairValues& out) {
    switch (profile) {
#define VNNGP_PLAIN(name, type) \
    case Profile::name:         \
        return fill_block(num_points, num_dims, scaled, PlainPairs<type>{out});
#define VNNGP_SHAPED(name, type) \
    case Profile::name:          \
        return fill_block(num_points, num_dims, scaled, ShapedPairs<type>{out, alpha});
        VNNGP_STATIONARY_PROFILES(VNNGP_PLAIN)
        VNNGP_SHAPED_PROFILES(VNNGP_SHAPED)
#undef VNNGP_PLAIN
#undef VNNGP_SHAPED
    }
}

// The derivatives for kWidth dimensions at once: each weight is loaded once for all of them.
template <int kWidth>
HWY_INLINE void contract_dims(int num_points, int num_dims, const double* scaled, const double* weight, const double* slope,
                              double* gradient) {
    const Tag d;
    const std::size_t point_stride = static_cast<std::size_t>(num_dims) * kLanes;
    Lane sums[kWidth];
    for (int j = 0; j < kWidth; ++j) sums[j] = hn::Load(d, gradient + j * kLanes);
    for (int p = 1; p < num_points; ++p) {
        Lane x[kWidth];
        for (int j = 0; j < kWidth; ++j) x[j] = hn::Load(d, scaled + p * point_stride + j * kLanes);
        for (int q = 0; q < p; ++q) {
            const std::size_t pair = (packed_row(p) + q) * kLanes;
            const Lane weighted = hn::Mul(hn::Load(d, weight + pair), hn::Load(d, slope + pair));
#pragma GCC unroll 4
            for (int j = 0; j < kWidth; ++j) {
                const Lane difference = hn::Sub(x[j], hn::Load(d, scaled + q * point_stride + j * kLanes));
                sums[j] = hn::MulAdd(hn::Mul(weighted, difference), difference, sums[j]);
            }
        }
    }
    for (int j = 0; j < kWidth; ++j) hn::Store(sums[j], d, gradient + j * kLanes);
}

void LengthscaleGradient(int num_points, int num_dims, const double* scaled, const double* weight, const double* slope, double* gradient) {
    const int width = static_cast<int>(hn::Lanes(Tag()));
    for (int lane = 0; lane < kLanes; lane += width) {
        int dim = 0;
        for (; dim + 4 <= num_dims; dim += 4)
            contract_dims<4>(num_points, num_dims, scaled + dim * kLanes + lane, weight + lane, slope + lane,
                             gradient + dim * kLanes + lane);
        for (; dim < num_dims; ++dim)
            contract_dims<1>(num_points, num_dims, scaled + dim * kLanes + lane, weight + lane, slope + lane,
                             gradient + dim * kLanes + lane);
    }
}

// The derivatives in kWidth columns at once; those in the coordinates of p are added up before they are stored.
template <int kWidth>
HWY_INLINE void pull_columns(int num_points, std::size_t scaled_stride, const double* scaled, const double* weight, const double* slope,
                             const double* inverse_lengthscales, const int* columns, std::size_t point_stride, double* location_gradient) {
    const Tag d;
    Lane inverse[kWidth];
    double* location[kWidth];
    for (int j = 0; j < kWidth; ++j) {
        inverse[j] = hn::Set(d, inverse_lengthscales[j]);
        location[j] = location_gradient + columns[j] * kLanes;
    }
    for (int p = 1; p < num_points; ++p) {
        Lane x[kWidth], sums[kWidth];
        for (int j = 0; j < kWidth; ++j) {
            x[j] = hn::Load(d, scaled + p * scaled_stride + j * kLanes);
            sums[j] = hn::Zero(d);
        }
        for (int q = 0; q < p; ++q) {
            const std::size_t pair = (packed_row(p) + q) * kLanes;
            const Lane weighted = hn::Mul(hn::Load(d, weight + pair), hn::Load(d, slope + pair));
#pragma GCC unroll 4
            for (int j = 0; j < kWidth; ++j) {
                const Lane difference = hn::Sub(x[j], hn::Load(d, scaled + q * scaled_stride + j * kLanes));
                const Lane pull = hn::Mul(weighted, hn::Mul(difference, inverse[j]));
                double* at_q = location[j] + q * point_stride;
                hn::Store(hn::Add(hn::Load(d, at_q), pull), d, at_q);
                sums[j] = hn::Add(sums[j], pull);
            }
        }
        for (int j = 0; j < kWidth; ++j) {
            double* at_p = location[j] + p * point_stride;
            hn::Store(hn::Sub(hn::Load(d, at_p), sums[j]), d, at_p);
        }
    }
}

void LocationGradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                      const double* inverse_lengthscales, const int* columns, int num_dims, double* location_gradient) {
    const int width = static_cast<int>(hn::Lanes(Tag()));
    const std::size_t scaled_stride = static_cast<std::size_t>(num_columns) * kLanes;
    const std::size_t point_stride = static_cast<std::size_t>(num_dims) * kLanes;
    for (int lane = 0; lane < kLanes; lane += width) {
        int c = 0;
        for (; c + 4 <= num_columns; c += 4)
            pull_columns<4>(num_points, scaled_stride, scaled + c * kLanes + lane, weight + lane, slope + lane, inverse_lengthscales + c,
                            columns + c, point_stride, location_gradient + lane);
        for (; c < num_columns; ++c)
            pull_columns<1>(num_points, scaled_stride, scaled + c * kLanes + lane, weight + lane, slope + lane, inverse_lengthscales + c,
                            columns + c, point_stride, location_gradient + lane);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::kernel {

HWY_EXPORT(Correlations);
HWY_EXPORT(LengthscaleGradient);
HWY_EXPORT(LocationGradient);

void stationary_correlations(Profile profile, double alpha, int num_points, int num_columns, const double* scaled, const PairValues& out) {
    HWY_DYNAMIC_DISPATCH(Correlations)(profile, alpha, num_points, num_columns, scaled, out);
}

void stationary_lengthscale_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                     double* gradient) {
    HWY_DYNAMIC_DISPATCH(LengthscaleGradient)(num_points, num_columns, scaled, weight, slope, gradient);
}

void stationary_location_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                  const double* inverse_lengthscales, const int* columns, int num_dims, double* location_gradient) {
    HWY_DYNAMIC_DISPATCH(LocationGradient)
    (num_points, num_columns, scaled, weight, slope, inverse_lengthscales, columns, num_dims, location_gradient);
}

}  // namespace vnngp::kernel
#endif
