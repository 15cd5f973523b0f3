#include "kernel/stationary_lanes.hpp"

#include <cstdint>
#include <type_traits>

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
using linalg::kLanesOf;
using linalg::packed_row;
template <class T>
using TagOf = hn::CappedTag<T, kLanesOf<T>>;
template <class T>
using LaneOf = hn::Vec<TagOf<T>>;
using Tag = TagOf<double>;
using Lane = LaneOf<double>;

#include "kernel/pair_stores-inl.hpp"
#include "linalg/few_registers-inl.hpp"

constexpr int kTile = 4;         ///< pairs are treated in tiles of 4 x 4 points: what is loaded for one serves four
constexpr int kManyColumns = 5;  ///< from which on distances come from products
/// Sums of kTile rows that are kept at a time.
constexpr int kPairColumns = kFewRegisters ? 2 : 4, kGradientColumns = kFewRegisters ? 3 : 4;
/// A distance so much smaller than the points' distances from the origin has lost too many digits in their products.
template <class T>
constexpr T kSmallestShare = std::is_same_v<T, float> ? 1e-2 : 1e-3;

// The points of a block and what is known of them, for one register of lanes.
template <class T>
struct BlockPoints {
    int num_columns;
    const T* scaled;  ///< [point][column][kLanesOf<T>]
    const T* norms;   ///< [point][kLanesOf<T>], squared

    HWY_INLINE const T* point(int p) const { return scaled + static_cast<std::size_t>(p) * num_columns * kLanesOf<T>; }
};

template <int kRows, int kCols, class T>
HWY_INLINE void distances_by_differences(const BlockPoints<T>& points, int p, int q, LaneOf<T> tile[kRows][kCols]) {
    const TagOf<T> d;
    const std::size_t stride = static_cast<std::size_t>(points.num_columns) * kLanesOf<T>;
    const T *x = points.point(p), *y = points.point(q);
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kCols; ++j) tile[i][j] = hn::Zero(d);
    for (int column = 0; column < points.num_columns; ++column, x += kLanesOf<T>, y += kLanesOf<T>) {
        LaneOf<T> y_j[kCols];
#pragma GCC unroll 4
        for (int j = 0; j < kCols; ++j) y_j[j] = hn::Load(d, y + j * stride);
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) {
            const LaneOf<T> x_i = hn::Load(d, x + i * stride);
#pragma GCC unroll 4
            for (int j = 0; j < kCols; ++j) {
                const LaneOf<T> difference = hn::Sub(x_i, y_j[j]);
                tile[i][j] = hn::MulAdd(difference, difference, tile[i][j]);
            }
        }
    }
}

// |x - y|^2 = |x|^2 + |y|^2 - 2 x'y: half the work where there are many columns. False where digits were lost.
template <int kRows, int kCols, class T>
HWY_INLINE bool distances_by_products(const BlockPoints<T>& points, int p, int q, LaneOf<T> tile[kRows][kCols]) {
    const TagOf<T> d;
    const std::size_t stride = static_cast<std::size_t>(points.num_columns) * kLanesOf<T>;
    const T *x = points.point(p), *y = points.point(q);
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kCols; ++j) tile[i][j] = hn::Zero(d);
    for (int column = 0; column < points.num_columns; ++column, x += kLanesOf<T>, y += kLanesOf<T>) {
        LaneOf<T> y_j[kCols];
#pragma GCC unroll 4
        for (int j = 0; j < kCols; ++j) y_j[j] = hn::Load(d, y + j * stride);
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) {
            const LaneOf<T> x_i = hn::Load(d, x + i * stride);
#pragma GCC unroll 4
            for (int j = 0; j < kCols; ++j) tile[i][j] = hn::MulAdd(x_i, y_j[j], tile[i][j]);
        }
    }
    const LaneOf<T> minus_two = hn::Set(d, T(-2)), share = hn::Set(d, kSmallestShare<T>);
    auto kept = hn::Eq(share, share);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
        const LaneOf<T> norm_i = hn::Load(d, points.norms + (p + i) * kLanesOf<T>);
#pragma GCC unroll 4
        for (int j = 0; j < kCols; ++j) {
            const LaneOf<T> norms = hn::Add(norm_i, hn::Load(d, points.norms + (q + j) * kLanesOf<T>));
            tile[i][j] = hn::MulAdd(minus_two, tile[i][j], norms);
            kept = hn::And(kept, hn::Ge(tile[i][j], hn::Mul(share, norms)));  // false for NaN: norms may overflow
        }
    }
    return hn::AllTrue(d, kept);
}

template <int kRows, int kCols, class T>
HWY_INLINE void squared_distances(const BlockPoints<T>& points, int p, int q, LaneOf<T> tile[kRows][kCols]) {
    if (points.num_columns >= kManyColumns && distances_by_products<kRows, kCols>(points, p, q, tile)) return;
    distances_by_differences<kRows, kCols>(points, p, q, tile);
}

template <int kRows, int kCols, class T, class Pairs>
HWY_INLINE void fill_tile(const BlockPoints<T>& points, int p, int q, const Pairs& pairs, int lane) {
    LaneOf<T> tile[kRows][kCols];
    squared_distances<kRows, kCols>(points, p, q, tile);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kCols; ++j) pairs(tile[i][j], (packed_row(p + i) + q + j) * kLanesOf<T> + lane);
}

// The pairs among kTile points: the tile of the points with themselves, of which the part below the diagonal is used.
template <class T, class Pairs>
HWY_INLINE void fill_corner(const BlockPoints<T>& points, int p, const Pairs& pairs, int lane) {
    LaneOf<T> tile[kTile][kTile];
    distances_by_differences<kTile, kTile>(points, p, p, tile);
#pragma GCC unroll 4
    for (int i = 1; i < kTile; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < i; ++j) pairs(tile[i][j], (packed_row(p + i) + p + j) * kLanesOf<T> + lane);
}

template <int kCount, class T>
HWY_INLINE void store_norms(const BlockPoints<T>& points, int p, T* norms) {
    const TagOf<T> d;
    LaneOf<T> sums[kCount];
    for (int i = 0; i < kCount; ++i) sums[i] = hn::Zero(d);
    for (int column = 0; column < points.num_columns; ++column) {
#pragma GCC unroll 4
        for (int i = 0; i < kCount; ++i) {
            const LaneOf<T> x = hn::Load(d, points.point(p + i) + column * kLanesOf<T>);
            sums[i] = hn::MulAdd(x, x, sums[i]);
        }
    }
    for (int i = 0; i < kCount; ++i) hn::Store(sums[i], d, norms + (p + i) * kLanesOf<T>);
}

template <class T, class Pairs>
void fill_block(int num_points, int num_columns, const T* scaled, T* norms, const Pairs& pairs) {
    const int width = static_cast<int>(hn::Lanes(TagOf<T>()));
    for (int lane = 0; lane < kLanesOf<T>; lane += width) {
        const BlockPoints<T> points{num_columns, scaled + lane, norms + lane};
        int p = 0;
        for (; p + kTile <= num_points; p += kTile) {
            store_norms<kTile>(points, p, norms + lane);
            for (int q = 0; q < p; q += kPairColumns) fill_tile<kTile, kPairColumns>(points, p, q, pairs, lane);
            fill_corner(points, p, pairs, lane);
        }
        for (; p < num_points; ++p) {
            store_norms<1>(points, p, norms + lane);
            int q = 0;
            for (; q + kTile <= p; q += kTile) fill_tile<1, kTile>(points, p, q, pairs, lane);
            for (; q < p; ++q) fill_tile<1, 1>(points, p, q, pairs, lane);
        }
    }
}

template <class T>
void scale(const LaneBlockOf<T>& block, int num_columns, const int* columns, const double* factors, T* scaled) {
    const TagOf<T> d;
    const T* origin = block.point(block.num_points - 1);
    for (int p = 0; p < block.num_points; ++p) {
        for (int c = 0; c < num_columns; ++c, scaled += kLanesOf<T>) {
            const int at = columns[c] * kLanesOf<T>;
            const LaneOf<T> factor = hn::Set(d, static_cast<T>(factors[c]));
            for (int lane = 0; lane < kLanesOf<T>; lane += static_cast<int>(hn::Lanes(d))) {
                const LaneOf<T> seen = hn::Sub(hn::Load(d, block.point(p) + at + lane), hn::Load(d, origin + at + lane));
                hn::Store(hn::Mul(seen, factor), d, scaled + lane);
            }
        }
    }
}

template <class T>
void correlations(Profile profile, double alpha, int num_points, int num_columns, const T* scaled, T* norms, const PairValues<T>& out) {
    switch (profile) {
#define VNNGP_PLAIN(name, type) \
    case Profile::name:         \
        return fill_block(num_points, num_columns, scaled, norms, PlainPairs<type, T>{out});
#define VNNGP_SHAPED(name, type) \
    case Profile::name:          \
        if constexpr (std::is_same_v<T, double>) return fill_block(num_points, num_columns, scaled, norms, ShapedPairs<type>{out, alpha});
        VNNGP_STATIONARY_PROFILES(VNNGP_PLAIN)
        VNNGP_SHAPED_PROFILES(VNNGP_SHAPED)
#undef VNNGP_PLAIN
#undef VNNGP_SHAPED
    }
}

// Weights times slopes of the kRows rows from p on, [q][row][lanes of a register]; those at or above the diagonal are zero. Adds them to
// the sums of their rows and columns.
template <int kRows, class T>
HWY_INLINE void gather_rows(int p, const T* weight, const T* slope, T* rows, T* sums) {
    const TagOf<T> d;
    constexpr int width = static_cast<int>(hn::MaxLanes(TagOf<T>()));
    LaneOf<T> row_sums[kRows];
    for (int i = 0; i < kRows; ++i) row_sums[i] = hn::Load(d, sums + (p + i) * kLanesOf<T>);
    const auto weighted = [&](int i, int q) {
        const std::size_t pair = (packed_row(p + i) + q) * kLanesOf<T>;
        return hn::Mul(hn::Load(d, weight + pair), hn::Load(d, slope + pair));
    };
    for (int q = 0; q < p; ++q, rows += kRows * width) {
        LaneOf<T> column_sum = hn::Load(d, sums + q * kLanesOf<T>);
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) {
            const LaneOf<T> value = weighted(i, q);
            hn::Store(value, d, rows + i * width);
            row_sums[i] = hn::Add(row_sums[i], value);
            column_sum = hn::Add(column_sum, value);
        }
        hn::Store(column_sum, d, sums + q * kLanesOf<T>);
    }
    for (int j = 0; j + 1 < kRows; ++j, rows += kRows * width) {
        for (int i = 0; i < kRows; ++i) {
            const LaneOf<T> value = i > j ? weighted(i, p + j) : hn::Zero(d);
            hn::Store(value, d, rows + i * width);
            row_sums[i] = hn::Add(row_sums[i], value);
            row_sums[j] = hn::Add(row_sums[j], value);
        }
    }
    for (int i = 0; i < kRows; ++i) hn::Store(row_sums[i], d, sums + (p + i) * kLanesOf<T>);
}

// gradient -= 2 sum over the rows p of x_p sum_{q < p} weighted_pq x_q, for kWidth columns at once.
template <int kRows, int kWidth, class T>
HWY_INLINE void subtract_products(int p, const T* x, std::size_t stride, const T* rows, T* gradient) {
    const TagOf<T> d;
    constexpr int width = static_cast<int>(hn::MaxLanes(TagOf<T>()));
    LaneOf<T> tile[kRows][kWidth];
    for (int i = 0; i < kRows; ++i)
        for (int c = 0; c < kWidth; ++c) tile[i][c] = hn::Zero(d);
    const int count = p + kRows - 1;
    for (int q = 0; q < count; ++q) {
        LaneOf<T> x_q[kWidth];
#pragma GCC unroll 4
        for (int c = 0; c < kWidth; ++c) x_q[c] = hn::Load(d, x + q * stride + c * kLanesOf<T>);
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) {
            const LaneOf<T> value = hn::Load(d, rows + (static_cast<std::size_t>(q) * kRows + i) * width);
#pragma GCC unroll 4
            for (int c = 0; c < kWidth; ++c) tile[i][c] = hn::MulAdd(value, x_q[c], tile[i][c]);
        }
    }
    const LaneOf<T> minus_two = hn::Set(d, T(-2));
#pragma GCC unroll 4
    for (int c = 0; c < kWidth; ++c) {
        LaneOf<T> sum = hn::Zero(d);
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) sum = hn::MulAdd(hn::Load(d, x + (p + i) * stride + c * kLanesOf<T>), tile[i][c], sum);
        hn::Store(hn::MulAdd(minus_two, sum, hn::Load(d, gradient + c * kLanesOf<T>)), d, gradient + c * kLanesOf<T>);
    }
}

template <int kRows, class T>
HWY_INLINE void contract_rows(int p, int num_columns, const T* scaled, const T* weight, const T* slope, T* rows, T* sums, T* gradient) {
    const std::size_t stride = static_cast<std::size_t>(num_columns) * kLanesOf<T>;
    gather_rows<kRows>(p, weight, slope, rows, sums);
    int c = 0;
    for (; c + kGradientColumns <= num_columns; c += kGradientColumns)
        subtract_products<kRows, kGradientColumns>(p, scaled + c * kLanesOf<T>, stride, rows, gradient + c * kLanesOf<T>);
    for (; c < num_columns; ++c) subtract_products<kRows, 1>(p, scaled + c * kLanesOf<T>, stride, rows, gradient + c * kLanesOf<T>);
}

// With v_pq = weight slope: sum_{q<p} v_pq (x_p - x_q)^2 = sum_p x_p^2 sum_{q != p} v_pq - 2 sum_p x_p sum_{q<p} v_pq x_q. The second sum
// is a product of matrices, a third of the work of differences, and it needs one walk through weights and slopes for all columns.
template <class T>
void lengthscale_gradient(int num_points, int num_columns, const T* scaled, const T* weight, const T* slope, T* workspace, T* gradient) {
    const TagOf<T> d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < kLanesOf<T>; lane += width) {
        T *sums = workspace + lane, *rows = workspace + static_cast<std::size_t>(num_points) * kLanesOf<T>;
        for (int p = 0; p < num_points; ++p) hn::Store(hn::Zero(d), d, sums + p * kLanesOf<T>);
        int p = 0;
        for (; p + kTile <= num_points; p += kTile)
            contract_rows<kTile>(p, num_columns, scaled + lane, weight + lane, slope + lane, rows, sums, gradient + lane);
        for (; p < num_points; ++p)
            contract_rows<1>(p, num_columns, scaled + lane, weight + lane, slope + lane, rows, sums, gradient + lane);
        for (int c = 0; c < num_columns; ++c) {
            LaneOf<T> sum = hn::Load(d, gradient + c * kLanesOf<T> + lane);
            for (int point = 0; point < num_points; ++point) {
                const LaneOf<T> x = hn::Load(d, scaled + (static_cast<std::size_t>(point) * num_columns + c) * kLanesOf<T> + lane);
                sum = hn::MulAdd(hn::Mul(x, x), hn::Load(d, sums + point * kLanesOf<T>), sum);
            }
            hn::Store(sum, d, gradient + c * kLanesOf<T> + lane);
        }
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

void ScaleDouble(const LaneBlock& block, int num_columns, const int* columns, const double* factors, double* scaled) {
    scale(block, num_columns, columns, factors, scaled);
}
void ScaleSingle(const LaneBlockOf<float>& block, int num_columns, const int* columns, const double* factors, float* scaled) {
    scale(block, num_columns, columns, factors, scaled);
}
void CorrelationsDouble(Profile profile, double alpha, int num_points, int num_columns, const double* scaled, double* norms,
                        const PairValues<double>& out) {
    correlations(profile, alpha, num_points, num_columns, scaled, norms, out);
}
void CorrelationsSingle(Profile profile, double alpha, int num_points, int num_columns, const float* scaled, float* norms,
                        const PairValues<float>& out) {
    correlations(profile, alpha, num_points, num_columns, scaled, norms, out);
}
void LengthscalesDouble(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope, double* workspace,
                        double* gradient) {
    lengthscale_gradient(num_points, num_columns, scaled, weight, slope, workspace, gradient);
}
void LengthscalesSingle(int num_points, int num_columns, const float* scaled, const float* weight, const float* slope, float* workspace,
                        float* gradient) {
    lengthscale_gradient(num_points, num_columns, scaled, weight, slope, workspace, gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::kernel {

HWY_EXPORT(ScaleDouble);
HWY_EXPORT(ScaleSingle);
HWY_EXPORT(CorrelationsDouble);
HWY_EXPORT(CorrelationsSingle);
HWY_EXPORT(LengthscalesDouble);
HWY_EXPORT(LengthscalesSingle);
HWY_EXPORT(LocationGradient);

void scale_columns(const LaneBlock& block, int num_columns, const int* columns, const double* factors, double* scaled) {
    HWY_DYNAMIC_DISPATCH(ScaleDouble)(block, num_columns, columns, factors, scaled);
}
void scale_columns(const LaneBlockOf<float>& block, int num_columns, const int* columns, const double* factors, float* scaled) {
    HWY_DYNAMIC_DISPATCH(ScaleSingle)(block, num_columns, columns, factors, scaled);
}

void stationary_correlations(Profile profile, double alpha, int num_points, int num_columns, const double* scaled, double* norms,
                             const PairValues<double>& out) {
    HWY_DYNAMIC_DISPATCH(CorrelationsDouble)(profile, alpha, num_points, num_columns, scaled, norms, out);
}
void stationary_correlations(Profile profile, double alpha, int num_points, int num_columns, const float* scaled, float* norms,
                             const PairValues<float>& out) {
    HWY_DYNAMIC_DISPATCH(CorrelationsSingle)(profile, alpha, num_points, num_columns, scaled, norms, out);
}

void stationary_lengthscale_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                     double* workspace, double* gradient) {
    HWY_DYNAMIC_DISPATCH(LengthscalesDouble)(num_points, num_columns, scaled, weight, slope, workspace, gradient);
}
void stationary_lengthscale_gradient(int num_points, int num_columns, const float* scaled, const float* weight, const float* slope,
                                     float* workspace, float* gradient) {
    HWY_DYNAMIC_DISPATCH(LengthscalesSingle)(num_points, num_columns, scaled, weight, slope, workspace, gradient);
}

void stationary_location_gradient(int num_points, int num_columns, const double* scaled, const double* weight, const double* slope,
                                  const double* inverse_lengthscales, const int* columns, int num_dims, double* location_gradient) {
    HWY_DYNAMIC_DISPATCH(LocationGradient)
    (num_points, num_columns, scaled, weight, slope, inverse_lengthscales, columns, num_dims, location_gradient);
}

}  // namespace vnngp::kernel
#endif
