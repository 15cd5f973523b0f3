#include "scan_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/scan_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::neighbors::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPanelWidth>;
using Vec = hn::Vec<Tag>;

HWY_INLINE std::uint32_t bits_at_most_zero(Tag tag, Vec values) {
    alignas(16) std::uint8_t bytes[16] = {};
    hn::StoreMaskBits(tag, hn::Le(values, hn::Zero(tag)), bytes);
    return bytes[0] | (static_cast<std::uint32_t>(bytes[1]) << 8);
}

HWY_INLINE Vec add_square(Vec sum, Vec a, Vec b) {
    const Vec difference = hn::Sub(a, b);
    return hn::MulAdd(difference, difference, sum);
}

Index next_hit_panel(const float* panels, Index dim, Index begin, Index end, const float* tile, const float* thresholds,
                     std::uint32_t* hits) {
    static_assert(kTileRows == 8);
    const Tag tag;
    const auto lanes = static_cast<Index>(hn::Lanes(tag));
    for (Index panel = begin; panel < end; ++panel) {
        const float* const first = panels + static_cast<std::size_t>(panel) * static_cast<std::size_t>(dim) * kPanelWidth;
        bool any = false;
        for (Index part = 0; part < kPanelWidth; part += lanes) {
            // Eight sums by name: vectors of scalable instruction sets cannot be put into arrays.
            Vec s0 = hn::Set(tag, -thresholds[0]), s1 = hn::Set(tag, -thresholds[1]), s2 = hn::Set(tag, -thresholds[2]),
                s3 = hn::Set(tag, -thresholds[3]), s4 = hn::Set(tag, -thresholds[4]), s5 = hn::Set(tag, -thresholds[5]),
                s6 = hn::Set(tag, -thresholds[6]), s7 = hn::Set(tag, -thresholds[7]);
            const float* query = tile;
            for (Index k = 0; k < dim; ++k, query += kTileRows) {
                const Vec candidate = hn::LoadU(tag, first + k * kPanelWidth + part);
                s0 = add_square(s0, candidate, hn::Set(tag, query[0]));
                s1 = add_square(s1, candidate, hn::Set(tag, query[1]));
                s2 = add_square(s2, candidate, hn::Set(tag, query[2]));
                s3 = add_square(s3, candidate, hn::Set(tag, query[3]));
                s4 = add_square(s4, candidate, hn::Set(tag, query[4]));
                s5 = add_square(s5, candidate, hn::Set(tag, query[5]));
                s6 = add_square(s6, candidate, hn::Set(tag, query[6]));
                s7 = add_square(s7, candidate, hn::Set(tag, query[7]));
            }
            const Vec low = hn::Min(hn::Min(hn::Min(s0, s1), hn::Min(s2, s3)), hn::Min(hn::Min(s4, s5), hn::Min(s6, s7)));
            if (hn::AllFalse(tag, hn::Le(low, hn::Zero(tag)))) continue;
            if (!any) {
                for (Index row = 0; row < kTileRows; ++row) hits[row] = 0;
                any = true;
            }
            hits[0] |= bits_at_most_zero(tag, s0) << part;
            hits[1] |= bits_at_most_zero(tag, s1) << part;
            hits[2] |= bits_at_most_zero(tag, s2) << part;
            hits[3] |= bits_at_most_zero(tag, s3) << part;
            hits[4] |= bits_at_most_zero(tag, s4) << part;
            hits[5] |= bits_at_most_zero(tag, s5) << part;
            hits[6] |= bits_at_most_zero(tag, s6) << part;
            hits[7] |= bits_at_most_zero(tag, s7) << part;
        }
        if (any) return panel;
    }
    return end;
}

}  // namespace vnngp::neighbors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::neighbors {

HWY_EXPORT(next_hit_panel);

Index next_hit_panel(const float* panels, Index dim, Index begin, Index end, const float* tile, const float* thresholds,
                     std::uint32_t* hits) {
    return HWY_DYNAMIC_DISPATCH(next_hit_panel)(panels, dim, begin, end, tile, thresholds, hits);
}

}  // namespace vnngp::neighbors
#endif
