// The stationary kernels: X(name on the command line, type in profile/<name>-inl.hpp). One line each; everything else follows.
//
// A profile maps the squared distance r^2 = sum_d (x_d - x'_d)^2 / l_d^2 to the correlation and to its slope -2 dk/d(r^2), so that
//     dk/dlog l_d = slope (x_d - x'_d)^2 / l_d^2      and      dk/dx_d = -slope (x_d - x'_d) / l_d^2.
#pragma once

#define VNNGP_STATIONARY_PROFILES(X) \
    X(matern12, Matern12)            \
    X(matern32, Matern32)            \
    X(matern52, Matern52)            \
    X(rbf, Rbf)

namespace vnngp::kernel {

enum class Profile {
#define VNNGP_ENUMERATOR(name, type) name,
    VNNGP_STATIONARY_PROFILES(VNNGP_ENUMERATOR)
#undef VNNGP_ENUMERATOR
};

}  // namespace vnngp::kernel
