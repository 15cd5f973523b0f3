// Small things every likelihood does with its batches.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "vnngp/base/error.hpp"
#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::likelihood {

/// out[i] = value, unless out is empty, i.e. not wanted.
inline void store(std::span<double> out, std::size_t i, double value) {
    if (!out.empty()) out[i] = value;
}

/// Throws InputError naming the first target for which usable(y) is false.
template <class Predicate>
void check_each_target(std::span<const double> y, const RowDescription& describe_row, std::string_view likelihood,
                       std::string_view expected, Predicate usable) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (usable(y[i])) continue;
        throw InputError(fmt::format("{}: the target is {}, but the {} likelihood needs {}", describe_row(i), y[i], likelihood, expected));
    }
}

inline void check_probability(double probability) {
    if (!(probability > 0.0 && probability < 1.0))
        throw InputError(fmt::format("a quantile needs a probability between 0 and 1, not {}", probability));
}

inline double mean_of(std::span<const double> y) {
    double sum = 0.0;
    for (double value : y) sum += value;
    return y.empty() ? 0.0 : sum / double(y.size());
}

}  // namespace vnngp::likelihood
