#include "kernel/pair_lanes.hpp"

#include "vnngp/linalg/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/pair_lanes.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::kernel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using linalg::kLanes;
using linalg::packed_row;
using Tag = hn::CappedTag<double, kLanes>;
using Lane = hn::Vec<Tag>;

void Multiply(int num_points, const double* a, const double* b, double* out) {
    const Tag d;
    for (int p = 1; p < num_points; ++p)
        for (std::size_t at = packed_row(p) * kLanes; at < (packed_row(p) + p) * kLanes; at += hn::Lanes(d))
            hn::Store(hn::Mul(hn::Load(d, a + at), hn::Load(d, b + at)), d, out + at);
}

void Scale(int num_points, double scale, const double* values, double* out) {
    const Tag d;
    const Lane factor = hn::Set(d, scale);
    for (int p = 1; p < num_points; ++p)
        for (std::size_t at = packed_row(p) * kLanes; at < (packed_row(p) + p) * kLanes; at += hn::Lanes(d))
            hn::Store(hn::Mul(factor, hn::Load(d, values + at)), d, out + at);
}

void AddScaled(int num_points, double scale, const double* values, double* out) {
    const Tag d;
    const Lane factor = hn::Set(d, scale);
    for (int p = 1; p < num_points; ++p)
        for (std::size_t at = packed_row(p) * kLanes; at < (packed_row(p) + p) * kLanes; at += hn::Lanes(d))
            hn::Store(hn::MulAdd(factor, hn::Load(d, values + at), hn::Load(d, out + at)), d, out + at);
}

void AddSums(int num_points, const double* weight, const double* values, double* sums) {
    const Tag d;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
        Lane sum = hn::Load(d, sums + lane);
        for (int p = 1; p < num_points; ++p)
            for (std::size_t at = packed_row(p) * kLanes + lane; at < (packed_row(p) + p) * kLanes; at += kLanes)
                sum = hn::MulAdd(hn::Load(d, weight + at), hn::Load(d, values + at), sum);
        hn::Store(sum, d, sums + lane);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::kernel {

HWY_EXPORT(Multiply);
HWY_EXPORT(Scale);
HWY_EXPORT(AddScaled);
HWY_EXPORT(AddSums);

void multiply_pairs(int num_points, const double* a, const double* b, double* out) {
    HWY_DYNAMIC_DISPATCH(Multiply)(num_points, a, b, out);
}

void scale_pairs(int num_points, double scale, const double* values, double* out) {
    HWY_DYNAMIC_DISPATCH(Scale)(num_points, scale, values, out);
}

void add_scaled_pairs(int num_points, double scale, const double* values, double* out) {
    HWY_DYNAMIC_DISPATCH(AddScaled)(num_points, scale, values, out);
}

void add_pair_sums(int num_points, const double* weight, const double* values, double* sums) {
    HWY_DYNAMIC_DISPATCH(AddSums)(num_points, weight, values, sums);
}

}  // namespace vnngp::kernel
#endif
