// The clock that work is timed with.
#pragma once

#include <chrono>

namespace vnngp {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace vnngp
