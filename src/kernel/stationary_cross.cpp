#include "kernel/stationary_cross.hpp"

#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/stationary_cross.cpp"
#include <hwy/foreach_target.h>  // first: it includes this file once per instruction set
// (kept apart from the next block, which a formatter would sort it into)
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::kernel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
template <class T>
using TagOf = hn::CappedTag<T, linalg::kLanesOf<T>>;
template <class T>
using LaneOf = hn::Vec<TagOf<T>>;
using Tag = TagOf<double>;
using Lane = LaneOf<double>;

#include "kernel/pair_stores-inl.hpp"

constexpr int kRegisters = 2, kPairColumns = 4;  ///< of rows, and columns, whose distances are computed together
constexpr int kMomentRegisters = 4;

template <class T, class Pairs>
void fill_cross(int num_columns, const T* x, const T* y, const Pairs& pairs) {
    const TagOf<T> d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int q = 0; q < kCrossSide; q += kPairColumns)
        for (int p = 0; p < kCrossSide; p += kRegisters * width) {
            LaneOf<T> squared[kRegisters][kPairColumns];
            for (int i = 0; i < kRegisters; ++i)
                for (int j = 0; j < kPairColumns; ++j) squared[i][j] = hn::Zero(d);
            for (int c = 0; c < num_columns; ++c) {
                LaneOf<T> x_i[kRegisters];
                for (int i = 0; i < kRegisters; ++i) x_i[i] = hn::Load(d, x + c * kCrossSide + p + i * width);
#pragma GCC unroll 4
                for (int j = 0; j < kPairColumns; ++j) {
                    const LaneOf<T> y_j = hn::Set(d, y[c * kCrossSide + q + j]);
#pragma GCC unroll 4
                    for (int i = 0; i < kRegisters; ++i) {
                        const LaneOf<T> difference = hn::Sub(x_i[i], y_j);
                        squared[i][j] = hn::MulAdd(difference, difference, squared[i][j]);
                    }
                }
            }
#pragma GCC unroll 4
            for (int j = 0; j < kPairColumns; ++j)
#pragma GCC unroll 4
                for (int i = 0; i < kRegisters; ++i) pairs(squared[i][j], static_cast<std::size_t>(q + j) * kCrossSide + p + i * width);
        }
}

template <class T>
void values(Profile profile, double alpha, int num_columns, const T* x, const T* y, const PairValues<T>& out) {
    switch (profile) {
#define VNNGP_PLAIN(name, type) \
    case Profile::name:         \
        return fill_cross(num_columns, x, y, PlainPairs<type, T>{out});
#define VNNGP_SHAPED(name, type) \
    case Profile::name:          \
        if constexpr (std::is_same_v<T, double>) return fill_cross(num_columns, x, y, ShapedPairs<type>{out, alpha});
        VNNGP_STATIONARY_PROFILES(VNNGP_PLAIN)
        VNNGP_SHAPED_PROFILES(VNNGP_SHAPED)
#undef VNNGP_PLAIN
#undef VNNGP_SHAPED
    }
}

// Differences rather than products of coordinates: nothing cancels, however far apart the points are.
template <bool kPull, class T>
HWY_INLINE void column_moments(const T* x, const T* y, const T* v, T* stretch, T* pull) {
    const TagOf<T> d;
    const int width = static_cast<int>(hn::Lanes(d));
    LaneOf<T> squares[kMomentRegisters];
    for (int i = 0; i < kMomentRegisters; ++i) squares[i] = hn::Zero(d);
    for (int p = 0; p < kCrossSide; p += kMomentRegisters * width) {
        LaneOf<T> x_i[kMomentRegisters], sums[kMomentRegisters];
        for (int i = 0; i < kMomentRegisters; ++i) {
            x_i[i] = hn::Load(d, x + p + i * width);
            sums[i] = hn::Zero(d);
        }
        for (int q = 0; q < kCrossSide; ++q) {
            const LaneOf<T> y_q = hn::Set(d, y[q]);
#pragma GCC unroll 4
            for (int i = 0; i < kMomentRegisters; ++i) {
                const LaneOf<T> difference = hn::Sub(x_i[i], y_q);
                const LaneOf<T> weighted = hn::Mul(hn::Load(d, v + q * kCrossSide + p + i * width), difference);
                squares[i] = hn::MulAdd(weighted, difference, squares[i]);
                if constexpr (kPull) sums[i] = hn::Add(sums[i], weighted);
            }
        }
        if constexpr (kPull)
            for (int i = 0; i < kMomentRegisters; ++i) hn::Store(sums[i], d, pull + p + i * width);
    }
    for (int i = 1; i < kMomentRegisters; ++i) squares[0] = hn::Add(squares[0], squares[i]);
    *stretch = hn::GetLane(hn::SumOfLanes(d, squares[0]));
}

template <class T>
void moments(int num_columns, const T* x, const T* y, const T* weight, const T* slope, T* v, T* stretch, T* pull) {
    const TagOf<T> d;
    for (int at = 0; at < kCrossSide * kCrossSide; at += static_cast<int>(hn::Lanes(d)))
        hn::Store(hn::Mul(hn::Load(d, weight + at), hn::Load(d, slope + at)), d, v + at);
    for (int c = 0; c < num_columns; ++c, x += kCrossSide, y += kCrossSide)
        if (pull != nullptr)
            column_moments<true>(x, y, v, stretch + c, pull + c * kCrossSide);
        else
            column_moments<false, T>(x, y, v, stretch + c, nullptr);
}

void ValuesDouble(Profile profile, double alpha, int num_columns, const double* x, const double* y, const PairValues<double>& out) {
    values(profile, alpha, num_columns, x, y, out);
}
void ValuesSingle(Profile profile, double alpha, int num_columns, const float* x, const float* y, const PairValues<float>& out) {
    values(profile, alpha, num_columns, x, y, out);
}
void MomentsDouble(int num_columns, const double* x, const double* y, const double* weight, const double* slope, double* v, double* stretch,
                   double* pull) {
    moments(num_columns, x, y, weight, slope, v, stretch, pull);
}
void MomentsSingle(int num_columns, const float* x, const float* y, const float* weight, const float* slope, float* v, float* stretch,
                   float* pull) {
    moments(num_columns, x, y, weight, slope, v, stretch, pull);
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::kernel {

HWY_EXPORT(ValuesDouble);
HWY_EXPORT(ValuesSingle);
HWY_EXPORT(MomentsDouble);
HWY_EXPORT(MomentsSingle);

void cross_values(Profile profile, double alpha, int num_columns, const double* x, const double* y, const PairValues<double>& out) {
    HWY_DYNAMIC_DISPATCH(ValuesDouble)(profile, alpha, num_columns, x, y, out);
}
void cross_values(Profile profile, double alpha, int num_columns, const float* x, const float* y, const PairValues<float>& out) {
    HWY_DYNAMIC_DISPATCH(ValuesSingle)(profile, alpha, num_columns, x, y, out);
}

void cross_moments(int num_columns, const double* x, const double* y, const double* weight, const double* slope, double* v, double* stretch,
                   double* pull) {
    HWY_DYNAMIC_DISPATCH(MomentsDouble)(num_columns, x, y, weight, slope, v, stretch, pull);
}
void cross_moments(int num_columns, const float* x, const float* y, const float* weight, const float* slope, float* v, float* stretch,
                   float* pull) {
    HWY_DYNAMIC_DISPATCH(MomentsSingle)(num_columns, x, y, weight, slope, v, stretch, pull);
}

}  // namespace vnngp::kernel
#endif
