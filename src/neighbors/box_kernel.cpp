#include "box_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/box_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::neighbors::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kBoxWidth>;
using Vec = hn::Vec<Tag>;
using RowTag = hn::CappedTag<float, kTileRows>;

HWY_INLINE std::uint32_t bits_at_most(Tag tag, Vec values, Vec limits) {
    alignas(16) std::uint8_t bytes[16] = {};
    hn::StoreMaskBits(tag, hn::Le(values, limits), bytes);
    return bytes[0] | (static_cast<std::uint32_t>(bytes[1]) << 8);
}

HWY_INLINE Vec add_square(Vec sum, Vec a, Vec b) {
    const Vec difference = hn::Sub(a, b);
    return hn::MulAdd(difference, difference, sum);
}

HWY_INLINE Vec add_square_outside(Vec sum, Vec query, Vec low, Vec high) {
    return add_square(sum, query, hn::Min(hn::Max(query, low), high));
}

std::uint32_t box_distances(const NodeCoordinates& coordinates, const float* boxes, const float* tile, const float* thresholds,
                            BoxDistances& distances) {
    static_assert(kTileRows == 8);
    const RowTag row_tag;
    for (Index row = 0; row < kTileRows; row += static_cast<Index>(hn::Lanes(row_tag))) {
        auto sum = hn::Zero(row_tag);
        for (Index k = 0; k < coordinates.num_constant; ++k) {
            const auto query = hn::LoadU(row_tag, tile + coordinates.constant[k] * kTileRows + row);
            const auto difference = hn::Sub(query, hn::Set(row_tag, coordinates.constants[k]));
            sum = hn::MulAdd(difference, difference, sum);
        }
        hn::StoreU(sum, row_tag, distances.constant + row);
    }

    const Tag tag;
    const auto lanes = static_cast<Index>(hn::Lanes(tag));
    const float* const start = distances.constant;
    std::uint32_t near = 0;
    for (Index part = 0; part < kBoxWidth; part += lanes) {
        // Eight sums by name: vectors of scalable instruction sets cannot be put into arrays.
        Vec s0 = hn::Set(tag, start[0]), s1 = hn::Set(tag, start[1]), s2 = hn::Set(tag, start[2]), s3 = hn::Set(tag, start[3]),
            s4 = hn::Set(tag, start[4]), s5 = hn::Set(tag, start[5]), s6 = hn::Set(tag, start[6]), s7 = hn::Set(tag, start[7]);
        const float* box = boxes + part;
        for (Index k = 0; k < coordinates.num_varying; ++k, box += 2 * kBoxWidth) {
            const float* const query = tile + coordinates.varying[k] * kTileRows;
            const Vec low = hn::LoadU(tag, box), high = hn::LoadU(tag, box + kBoxWidth);
            s0 = add_square_outside(s0, hn::Set(tag, query[0]), low, high);
            s1 = add_square_outside(s1, hn::Set(tag, query[1]), low, high);
            s2 = add_square_outside(s2, hn::Set(tag, query[2]), low, high);
            s3 = add_square_outside(s3, hn::Set(tag, query[3]), low, high);
            s4 = add_square_outside(s4, hn::Set(tag, query[4]), low, high);
            s5 = add_square_outside(s5, hn::Set(tag, query[5]), low, high);
            s6 = add_square_outside(s6, hn::Set(tag, query[6]), low, high);
            s7 = add_square_outside(s7, hn::Set(tag, query[7]), low, high);
        }
        float* const out = distances.boxes + part;
        hn::StoreU(s0, tag, out);
        hn::StoreU(s1, tag, out + kBoxWidth);
        hn::StoreU(s2, tag, out + 2 * kBoxWidth);
        hn::StoreU(s3, tag, out + 3 * kBoxWidth);
        hn::StoreU(s4, tag, out + 4 * kBoxWidth);
        hn::StoreU(s5, tag, out + 5 * kBoxWidth);
        hn::StoreU(s6, tag, out + 6 * kBoxWidth);
        hn::StoreU(s7, tag, out + 7 * kBoxWidth);
        hn::StoreU(hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7))), tag,
                   distances.sums + part);
        near |= (bits_at_most(tag, s0, hn::Set(tag, thresholds[0])) | bits_at_most(tag, s1, hn::Set(tag, thresholds[1])) |
                 bits_at_most(tag, s2, hn::Set(tag, thresholds[2])) | bits_at_most(tag, s3, hn::Set(tag, thresholds[3])) |
                 bits_at_most(tag, s4, hn::Set(tag, thresholds[4])) | bits_at_most(tag, s5, hn::Set(tag, thresholds[5])) |
                 bits_at_most(tag, s6, hn::Set(tag, thresholds[6])) | bits_at_most(tag, s7, hn::Set(tag, thresholds[7])))
                << part;
    }
    return near;
}

// Returns whether the query has enough.
template <Index row>
HWY_INLINE bool add_hits(Vec distances, const float* thresholds, const Index* limits, const Index* numbers, TileHits& hits) {
    const Tag tag;
    const hn::RebindToSigned<Tag> number_tag;
    const auto near = hn::Le(distances, hn::Set(tag, thresholds[row]));
    if (hn::AllFalse(tag, near)) return false;
    const auto loaded = hn::LoadU(number_tag, numbers);
    const auto kept = hn::And(near, hn::RebindMask(tag, hn::Lt(loaded, hn::Set(number_tag, limits[row]))));
    const Index count = hits.counts[row];
    hn::CompressStore(distances, kept, tag, hits.distances[row] + count);
    hits.counts[row] +=
        static_cast<Index>(hn::CompressStore(loaded, hn::RebindMask(number_tag, kept), number_tag, hits.numbers[row] + count));
    return hits.counts[row] >= hits.enough[row];
}

Index collect_hits(const NodeCoordinates& coordinates, const PanelList& list, Index begin, const float* tile, const float* constant,
                   const float* thresholds, const Index* limits, TileHits& hits) {
    const Tag tag;
    const auto lanes = static_cast<Index>(hn::Lanes(tag));
    for (Index place = begin; place < list.size; ++place) {
        const auto panel = static_cast<std::ptrdiff_t>(list.panels[place]);
        bool enough = false;
        for (Index part = 0; part < kBoxWidth; part += lanes) {
            Vec s0 = hn::Set(tag, constant[0]), s1 = hn::Set(tag, constant[1]), s2 = hn::Set(tag, constant[2]),
                s3 = hn::Set(tag, constant[3]), s4 = hn::Set(tag, constant[4]), s5 = hn::Set(tag, constant[5]),
                s6 = hn::Set(tag, constant[6]), s7 = hn::Set(tag, constant[7]);
            const float* candidates = list.coordinates + panel * coordinates.num_varying * kBoxWidth + part;
            for (Index k = 0; k < coordinates.num_varying; ++k, candidates += kBoxWidth) {
                const float* const query = tile + coordinates.varying[k] * kTileRows;
                const Vec candidate = hn::LoadU(tag, candidates);
                s0 = add_square(s0, candidate, hn::Set(tag, query[0]));
                s1 = add_square(s1, candidate, hn::Set(tag, query[1]));
                s2 = add_square(s2, candidate, hn::Set(tag, query[2]));
                s3 = add_square(s3, candidate, hn::Set(tag, query[3]));
                s4 = add_square(s4, candidate, hn::Set(tag, query[4]));
                s5 = add_square(s5, candidate, hn::Set(tag, query[5]));
                s6 = add_square(s6, candidate, hn::Set(tag, query[6]));
                s7 = add_square(s7, candidate, hn::Set(tag, query[7]));
            }
            const Index* const numbers = list.numbers + panel * kBoxWidth + part;
            enough |= add_hits<0>(s0, thresholds, limits, numbers, hits);
            enough |= add_hits<1>(s1, thresholds, limits, numbers, hits);
            enough |= add_hits<2>(s2, thresholds, limits, numbers, hits);
            enough |= add_hits<3>(s3, thresholds, limits, numbers, hits);
            enough |= add_hits<4>(s4, thresholds, limits, numbers, hits);
            enough |= add_hits<5>(s5, thresholds, limits, numbers, hits);
            enough |= add_hits<6>(s6, thresholds, limits, numbers, hits);
            enough |= add_hits<7>(s7, thresholds, limits, numbers, hits);
        }
        if (enough) return place + 1;
    }
    return list.size;
}

}  // namespace vnngp::neighbors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::neighbors {

HWY_EXPORT(box_distances);
HWY_EXPORT(collect_hits);

std::uint32_t box_distances(const NodeCoordinates& coordinates, const float* boxes, const float* tile, const float* thresholds,
                            BoxDistances& distances) {
    return HWY_DYNAMIC_DISPATCH(box_distances)(coordinates, boxes, tile, thresholds, distances);
}

Index collect_hits(const NodeCoordinates& coordinates, const PanelList& list, Index begin, const float* tile, const float* constant,
                   const float* thresholds, const Index* limits, TileHits& hits) {
    return HWY_DYNAMIC_DISPATCH(collect_hits)(coordinates, list, begin, tile, constant, thresholds, limits, hits);
}

}  // namespace vnngp::neighbors
#endif
