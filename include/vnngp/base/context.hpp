// How a computation may use the machine and talk to its caller: passed to every long-running function, never global.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace vnngp {

/// A report from inside a long computation. `done` counts up to `total` within `stage`.
struct Progress {
    std::string_view stage;  ///< "neighbors", "train", "predict"
    std::int64_t done = 0;
    std::int64_t total = 0;
    std::string_view detail;  ///< one short human-readable figure, may be empty
};

struct Context {
    /// Worker threads; 0 = one per core this process may use.
    int threads = 0;
    /// Seed of every random stream (orderings, minibatches, splits, k-means).
    std::uint64_t seed = 0;
    /// Called from the thread that entered the library, at most a few times per second of work; may be empty.
    std::function<void(const Progress&)> progress = {};
    /// When set to true by anyone (a signal handler), the computation throws Interrupted within a second; may be null.
    const std::atomic<bool>* stop = nullptr;

    /// The number of threads to use: `threads`, or the number of available cores.
    int num_threads() const;
    /// Throws Interrupted when the caller asked to stop. Cheap; called once per block of work.
    void check_stop() const;
    void report(const Progress& event) const {
        if (progress) progress(event);
    }
};

}  // namespace vnngp
