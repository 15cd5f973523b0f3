// exp(-a) for a >= 0, to within 1e-15 of itself (1e-7 in single precision): half the work of a general exponential. Zero beyond a = 708
// (87). Included inside the namespace of one instruction set.
template <class D, class V = hn::Vec<D>>
requires(std::is_same_v<hn::TFromD<D>, double>) HWY_INLINE V exp_minus(D d, V a) {
    const hn::Rebind<std::int64_t, D> integers;
    const auto constant = [d](double value) { return hn::Set(d, value); };
    const auto not_zero = hn::Le(a, constant(708.0));
    // -a = n log 2 + r with |r| <= log(2) / 2. Adding 1.5 * 2^52 rounds to an integer and leaves it in the lowest bits.
    const V rounding = constant(0x1.8p52);
    const V shifted = hn::NegMulAdd(a, constant(1.4426950408889634), rounding);
    const V n = hn::Sub(shifted, rounding);
    const V r = hn::NegMulAdd(n, constant(1.90821492927058770002e-10), hn::NegMulAdd(n, constant(6.93147180369123816490e-01), hn::Neg(a)));
    // sum_k r^k / k! up to k = 12, in pairs so that few additions wait for each other.
    const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2), r8 = hn::Mul(r4, r4);
    const auto pair = [&](double even, double odd) { return hn::MulAdd(constant(odd), r, constant(even)); };
    const V low = hn::MulAdd(pair(1.0 / 2, 1.0 / 6), r2, pair(1.0, 1.0));
    const V middle = hn::MulAdd(pair(1.0 / 720, 1.0 / 5040), r2, pair(1.0 / 24, 1.0 / 120));
    const V high = hn::MulAdd(pair(1.0 / 3628800, 1.0 / 39916800), r2, pair(1.0 / 40320, 1.0 / 362880));
    const V series = hn::MulAdd(hn::MulAdd(constant(1.0 / 479001600), r4, high), r8, hn::MulAdd(middle, r4, low));
    return hn::IfThenElseZero(not_zero,
                              hn::BitCast(d, hn::Add(hn::BitCast(integers, series), hn::ShiftLeft<52>(hn::BitCast(integers, shifted)))));
}

// As above, with the numbers of a shorter format.
template <class D, class V = hn::Vec<D>>
requires(std::is_same_v<hn::TFromD<D>, float>) HWY_INLINE V exp_minus(D d, V a) {
    const hn::Rebind<std::int32_t, D> integers;
    const auto constant = [d](float value) { return hn::Set(d, value); };
    const auto not_zero = hn::Le(a, constant(87.0f));
    const V rounding = constant(0x1.8p23f);
    const V shifted = hn::NegMulAdd(a, constant(1.44269504f), rounding);
    const V n = hn::Sub(shifted, rounding);
    const V r = hn::NegMulAdd(n, constant(-2.12194440e-4f), hn::NegMulAdd(n, constant(0.693359375f), hn::Neg(a)));
    const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
    const auto pair = [&](float even, float odd) { return hn::MulAdd(constant(odd), r, constant(even)); };
    const V low = hn::MulAdd(pair(1.0f / 2, 1.0f / 6), r2, pair(1.0f, 1.0f));
    const V high = hn::MulAdd(constant(1.0f / 720), r2, pair(1.0f / 24, 1.0f / 120));
    const V series = hn::MulAdd(high, r4, low);
    return hn::IfThenElseZero(not_zero,
                              hn::BitCast(d, hn::Add(hn::BitCast(integers, series), hn::ShiftLeft<23>(hn::BitCast(integers, shifted)))));
}
