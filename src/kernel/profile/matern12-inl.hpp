// Matern 1/2 (exponential): k = exp(-r); slope = exp(-r) / r.
struct Matern12 {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE void profile(D d, V squared_distance, V& correlation, V& slope) {
        const V r = hn::Sqrt(squared_distance);
        correlation = exp_minus(d, r);
        // The slope only ever multiplies squared coordinate differences, or products that sum up to them: slope r^2 vanishes with r, and
        // below 1e-8 it is not told apart from the rounding of those products.
        slope = hn::IfThenElseZero(hn::Gt(r, hn::Set(d, 1e-8)), hn::Div(correlation, r));
    }
};
