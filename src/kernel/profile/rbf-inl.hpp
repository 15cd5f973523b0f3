// Squared exponential: k = exp(-r^2 / 2); slope = k.
struct Rbf {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE void profile(D d, V squared_distance, V& correlation, V& slope) {
        correlation = exp_minus(d, hn::Mul(hn::Set(d, 0.5), squared_distance));
        slope = correlation;
    }
};
