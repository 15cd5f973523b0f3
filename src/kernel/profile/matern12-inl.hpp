// Matern 1/2 (exponential): k = exp(-r); slope = exp(-r) / r.
struct Matern12 {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE void profile(D d, V squared_distance, V& correlation, V& slope) {
        const V r = hn::Sqrt(squared_distance);
        correlation = hn::Exp(d, hn::Neg(r));
        // At r = 0 the slope is infinite, but it only ever multiplies squared coordinate differences, which are 0 there.
        slope = hn::Div(correlation, hn::Max(r, hn::Set(d, 1e-150)));
    }
};
