// Stationary profiles, and stores of the values that they give a pair for its squared distance. Included inside the namespace of one
// instruction set, where hn, TagOf, LaneOf, Tag and Lane are known.
#include "kernel/exp_minus-inl.hpp"
// (first: the profiles use it)
#include "kernel/profile/matern12-inl.hpp"
#include "kernel/profile/matern32-inl.hpp"
#include "kernel/profile/matern52-inl.hpp"
#include "kernel/profile/rbf-inl.hpp"
#include "kernel/profile/rq-inl.hpp"

template <class P, class T>
struct PlainPairs {
    PairValues<T> out;
    HWY_INLINE void operator()(LaneOf<T> squared_distance, std::size_t at) const {
        const TagOf<T> d;
        LaneOf<T> k, e;
        P::profile(d, squared_distance, k, e);
        hn::Store(k, d, out.correlation + at);
        if (out.slope != nullptr) hn::Store(e, d, out.slope + at);
    }
};
template <class P>
struct ShapedPairs {
    PairValues<double> out;
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
