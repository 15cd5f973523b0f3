// Matern 3/2: a = sqrt(3) r, k = (1 + a) exp(-a); slope = 3 exp(-a).
struct Matern32 {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE void profile(D d, V squared_distance, V& correlation, V& slope) {
        const V a = hn::Sqrt(hn::Mul(hn::Set(d, 3.0), squared_distance));
        const V decay = exp_minus(d, a);
        correlation = hn::MulAdd(a, decay, decay);
        slope = hn::Mul(hn::Set(d, 3.0), decay);
    }
};
