// Progress of the rows of one search, gathered from all workers and told by the thread that entered the library.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "vnngp/base/context.hpp"

namespace vnngp::neighbors {

class RowProgress {
public:
    RowProgress(const Context& context, std::int64_t total) : context_(context), total_(total) {}

    /// Called at the end of each chunk by the worker that ran it, with the rows done and the pairs looked at. Worker 0 is the entering
    /// thread.
    void finished(int worker, std::int64_t rows, std::int64_t pairs) {
        pairs_.fetch_add(pairs, std::memory_order_relaxed);
        const std::int64_t done = done_.fetch_add(rows, std::memory_order_relaxed) + rows;
        if (worker != 0 || Clock::now() - last_report_ < std::chrono::milliseconds(250)) return;
        last_report_ = Clock::now();
        context_.report({"neighbors", done, total_, ""});
    }
    /// Pairs looked at so far.
    std::int64_t pairs() const { return pairs_.load(std::memory_order_relaxed); }
    /// The last report, from outside the parallel loop.
    void finished_all() { context_.report({"neighbors", total_, total_, ""}); }

private:
    using Clock = std::chrono::steady_clock;
    const Context& context_;
    std::int64_t total_;
    std::atomic<std::int64_t> done_{0}, pairs_{0};
    Clock::time_point last_report_ = Clock::now();
};

}  // namespace vnngp::neighbors
