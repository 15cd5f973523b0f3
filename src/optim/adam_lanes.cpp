#include "optim/adam_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/adam_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vnngp::optim {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE void take_step(D d, const AdamStep& step, V gradient, V& first, V& root, double* value) {
    const V new_share = hn::Set(d, 1.0 - step.second_decay);
    first = hn::MulAdd(hn::Set(d, 1.0 - step.first_decay), hn::Sub(gradient, first), first);
    root = hn::Sqrt(hn::MulAdd(hn::Mul(hn::Set(d, step.second_decay), root), root, hn::Mul(hn::Mul(new_share, gradient), gradient)));
    const V move = hn::Div(hn::Mul(hn::Set(d, step.correction), first), hn::Add(root, hn::Set(d, step.epsilon)));
    hn::StoreU(hn::Add(hn::LoadU(d, value), move), d, value);
}

template <class D>
HWY_INLINE std::size_t take_steps(D d, const AdamStep& step, std::size_t begin, std::size_t count, double* moments,
                                  const std::array<double*, 2>& values, const std::array<const double*, 2>& gradient) {
    const std::size_t width = hn::Lanes(d);
    for (; begin + width <= count; begin += width) {
        hn::Vec<D> first_0, root_0, first_1, root_1;
        hn::LoadInterleaved4(d, moments + 4 * begin, first_0, root_0, first_1, root_1);
        take_step(d, step, hn::LoadU(d, gradient[0] + begin), first_0, root_0, values[0] + begin);
        take_step(d, step, hn::LoadU(d, gradient[1] + begin), first_1, root_1, values[1] + begin);
        hn::StoreInterleaved4(first_0, root_0, first_1, root_1, d, moments + 4 * begin);
    }
    return begin;
}

void AdamPairs(const AdamStep& step, std::size_t count, double* moments, const std::array<double*, 2>& values,
               const std::array<const double*, 2>& gradient) {
    const std::size_t done = take_steps(hn::ScalableTag<double>(), step, 0, count, moments, values, gradient);
    take_steps(hn::CappedTag<double, 1>(), step, done, count, moments, values, gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace vnngp::optim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vnngp::optim {

HWY_EXPORT(AdamPairs);

void adam_pairs(const AdamStep& step, std::size_t count, double* moments, const std::array<double*, 2>& values,
                const std::array<const double*, 2>& gradient) {
    HWY_DYNAMIC_DISPATCH(AdamPairs)(step, count, moments, values, gradient);
}

}  // namespace vnngp::optim
#endif
