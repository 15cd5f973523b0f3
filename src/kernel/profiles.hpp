// The stationary kernels: X(name in expressions, type in profile/<name>-inl.hpp). One line each; everything else follows.
//
// A profile maps the squared distance r^2 = sum_d (x_d - x'_d)^2 / l_d^2 to the correlation and to its slope -2 dk/d(r^2), so that
//     dk/dlog l_d = slope (x_d - x'_d)^2 / l_d^2      and      dk/dx_d = -slope (x_d - x'_d) / l_d^2.
// A shaped profile has a parameter of its own, alpha, and also returns dk/dlog alpha.
#pragma once

#define VNNGP_STATIONARY_PROFILES(X) \
    X(matern12, Matern12)            \
    X(matern32, Matern32)            \
    X(matern52, Matern52)            \
    X(rbf, Rbf)

#define VNNGP_SHAPED_PROFILES(X) X(rq, RationalQuadratic)

namespace vnngp::kernel {

#define VNNGP_ENUMERATOR(name, type) name,
enum class Profile { VNNGP_STATIONARY_PROFILES(VNNGP_ENUMERATOR) VNNGP_SHAPED_PROFILES(VNNGP_ENUMERATOR) };
#undef VNNGP_ENUMERATOR

constexpr bool is_shaped(Profile profile) {
#define VNNGP_IS(name, type) || profile == Profile::name
    return false VNNGP_SHAPED_PROFILES(VNNGP_IS);
#undef VNNGP_IS
}

}  // namespace vnngp::kernel
