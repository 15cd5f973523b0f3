#include "rounding_bound.hpp"

#include <cmath>
#include <limits>

namespace vnngp::neighbors {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;
constexpr double kTiny = std::numeric_limits<float>::min();  // below it single precision loses relative accuracy, or flushes to zero

}  // namespace

// Each coordinate of query and candidate is off by at most half a unit in the last place. A sum of D squares of rounded differences is off
// by at most (D + 4) units of roundoff; twice that leaves room for the rounding here.
RoundingBound::RoundingBound(const Scaling& scaling, double norm) : scale_(scaling.scale) {
    const auto dim = static_cast<double>(scaling.centre.size());
    conversion_error_ = 1.0001 * kUnitRoundoff * (norm + scaling.largest_norm) + 2.0 * std::sqrt(dim) * kTiny;
    relative_error_ = 2.0 * (dim + 8.0) * kUnitRoundoff;
    underflow_ = (dim + 2.0) * kTiny;
}

float RoundingBound::rounded_up(double distance) const {
    const double bound = distance * distance * (1.0 + relative_error_) + underflow_;
    if (!(bound < std::numeric_limits<float>::max())) return std::numeric_limits<float>::infinity();
    return std::nextafter(static_cast<float>(bound), std::numeric_limits<float>::infinity());
}

float RoundingBound::single_threshold(double exact) const { return rounded_up(std::sqrt(exact) * scale_ + conversion_error_); }

float RoundingBound::single_threshold(float single) const {
    const double scaled = std::sqrt(static_cast<double>(single) * (1.0 + relative_error_) + underflow_) + conversion_error_;
    return rounded_up(scaled + conversion_error_);
}

}  // namespace vnngp::neighbors
