// Matern 5/2: a = sqrt(5) r, k = (1 + a + a^2 / 3) exp(-a); slope = 5/3 (1 + a) exp(-a) (Eq. G4).
struct Matern52 {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE void profile(D d, V squared_distance, V& correlation, V& slope) {
        const V five_thirds = hn::Set(d, 5.0 / 3.0);
        const V a = hn::Sqrt(hn::Mul(hn::Set(d, 5.0), squared_distance));
        const V decay = exp_minus(d, a);
        const V linear = hn::MulAdd(a, decay, decay);
        correlation = hn::MulAdd(hn::Mul(five_thirds, squared_distance), decay, linear);
        slope = hn::Mul(five_thirds, linear);
    }
};
