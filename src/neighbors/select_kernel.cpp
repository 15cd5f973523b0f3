#include "select_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbors/select_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace vnngp::neighbors::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kSelectRoom>;

Index count_at_most(const float* values, Index count, float bound) {
    const Tag tag;
    const auto limit = hn::Set(tag, bound);
    std::size_t found = 0;
    for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(tag)))
        found += hn::CountTrue(tag, hn::Le(hn::LoadU(tag, values + i), limit));
    return static_cast<Index>(found);
}

float bound_of_smallest(float* values, Index count, Index wanted, Index tolerated) {
    constexpr int kBisections = 12;
    const Tag tag;
    auto lowest = hn::Set(tag, values[0]), highest = lowest;
    for (Index i = 0; i < kSelectRoom; ++i) values[count + i] = values[0];
    for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(tag))) {
        lowest = hn::Min(lowest, hn::LoadU(tag, values + i));
        highest = hn::Max(highest, hn::LoadU(tag, values + i));
    }
    float low = hn::GetLane(hn::MinOfLanes(tag, lowest)), high = hn::GetLane(hn::MaxOfLanes(tag, highest));
    for (Index i = 0; i < kSelectRoom; ++i) values[count + i] = std::numeric_limits<float>::infinity();
    Index found = count;
    for (int step = 0; step < kBisections && found > tolerated; ++step) {
        const float middle = 0.5f * (low + high);
        const Index at_most = count_at_most(values, count, middle);
        if (at_most >= wanted) {
            high = middle;
            found = at_most;
        } else {
            low = middle;
        }
    }
    return high;
}

Index keep_at_most(float* values, Index* numbers, Index count, float bound) {
    const Tag tag;
    const hn::RebindToSigned<Tag> number_tag;
    const auto limit = hn::Set(tag, bound);
    for (Index i = 0; i < kSelectRoom; ++i) values[count + i] = std::numeric_limits<float>::infinity();
    Index kept = 0;
    for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(tag))) {
        const auto value = hn::LoadU(tag, values + i);
        const auto number = hn::LoadU(number_tag, numbers + i);
        const auto keep = hn::And(hn::Le(value, limit), hn::Lt(value, hn::Set(tag, std::numeric_limits<float>::infinity())));
        hn::CompressStore(value, keep, tag, values + kept);
        kept += static_cast<Index>(hn::CompressStore(number, hn::RebindMask(number_tag, keep), number_tag, numbers + kept));
    }
    return kept;
}

void ranks_among(double* values, Index count, Index* ranks) {
    const hn::CappedTag<double, kSelectRoom> tag;
    for (Index i = 0; i < kSelectRoom; ++i) values[count + i] = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < count; ++i) {
        const auto value = hn::Set(tag, values[i]);
        std::size_t smaller = 0;
        for (Index j = 0; j < count; j += static_cast<Index>(hn::Lanes(tag)))
            smaller += hn::CountTrue(tag, hn::Lt(hn::LoadU(tag, values + j), value));
        ranks[i] = static_cast<Index>(smaller);
    }
}

}  // namespace vnngp::neighbors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::neighbors {

HWY_EXPORT(bound_of_smallest);
HWY_EXPORT(keep_at_most);
HWY_EXPORT(ranks_among);

float bound_of_smallest(float* values, Index count, Index wanted, Index tolerated) {
    return HWY_DYNAMIC_DISPATCH(bound_of_smallest)(values, count, wanted, tolerated);
}

Index keep_at_most(float* values, Index* numbers, Index count, float bound) {
    return HWY_DYNAMIC_DISPATCH(keep_at_most)(values, numbers, count, bound);
}

void ranks_among(double* values, Index count, Index* ranks) { HWY_DYNAMIC_DISPATCH(ranks_among)(values, count, ranks); }

}  // namespace vnngp::neighbors
#endif
