// One line on the terminal that says how far a long computation is.
#pragma once

#include <chrono>
#include <string>

#include "app/cli.hpp"
#include "vnngp/base/context.hpp"

namespace vnngp::app {

/// Draws on standard error when that is a terminal, once the command has been running for a while, a few times per second. Not thread-safe.
class ProgressLine {
public:
    explicit ProgressLine(bool wanted);
    /// Leaves an empty line behind.
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const Progress& event);
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    bool enabled_;
    bool drawn_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_drawn_ = start_;
    std::string stage_;
    Clock::time_point stage_start_ = start_;
    std::int64_t stage_first_ = 0;  ///< `done` of the stage's first event: a resumed run does not start at 0
};

/// The text of that line: stage, how much of it is done, the rate and the time left. `first` events were done `seconds` ago.
std::string progress_text(const Progress& event, std::int64_t first, double seconds);

/// How a command runs: its threads, its seed, Ctrl-C, and the line it reports to, which must outlive the context.
Context machine_context(const MachineOptions& options, std::uint64_t seed, ProgressLine& line);

}  // namespace vnngp::app
