// Rational quadratic: s = r^2 / (2 alpha), k = (1 + s)^-alpha; slope = k / (1 + s); dk/dlog alpha = alpha k (s / (1 + s) - log(1 + s)).
struct RationalQuadratic {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE void profile(D d, double alpha, V squared_distance, V& correlation, V& slope, V& shape_slope) {
        const V s = hn::Mul(hn::Set(d, 0.5 / alpha), squared_distance), power = hn::Set(d, alpha);
        const V logarithm = hn::Log1p(d, s), inverse = hn::Div(hn::Set(d, 1.0), hn::Add(hn::Set(d, 1.0), s));
        correlation = hn::Exp(d, hn::Neg(hn::Mul(power, logarithm)));
        slope = hn::Mul(correlation, inverse);
        shape_slope = hn::Mul(hn::Mul(power, correlation), hn::Sub(hn::Mul(s, inverse), logarithm));
    }
};
