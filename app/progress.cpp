#include "app/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "app/output.hpp"
#include "app/signals.hpp"

namespace vnngp::app {
namespace {

constexpr auto kQuietStart = std::chrono::milliseconds(1500);
constexpr auto kRedraw = std::chrono::milliseconds(200);
constexpr double kShortestForRate = 0.5;  // seconds

std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

std::string duration(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds + 0.5);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// Files are measured in bytes, everything else is counted.
bool in_bytes(std::string_view stage) { return stage == "read" || stage == "predict" || stage == "evaluate"; }

std::string amount(std::string_view stage, double value) {
    return in_bytes(stage) ? fmt::format("{:.1f} MiB", value / 1048576.0) : fmt::format("{:.{}f}", value, value < 10.0 ? 1 : 0);
}

}  // namespace

std::string progress_text(const Progress& event, std::int64_t first, double seconds) {
    std::string text(event.stage);
    const auto done = static_cast<double>(event.done), total = static_cast<double>(event.total);
    if (in_bytes(event.stage))
        text += fmt::format("  {:.1f} of {}", done / 1048576.0, amount(event.stage, total));
    else
        text += fmt::format("  {}/{}", event.done, event.total);
    if (event.total > 0) text += fmt::format(" ({:.0f} %)", 100.0 * done / total);
    const double rate = (done - static_cast<double>(first)) / seconds;
    if (seconds >= kShortestForRate && rate > 0.0) {
        text += fmt::format("  {}/s", amount(event.stage, rate));
        if (event.total > event.done) text += fmt::format("  {} left", duration((total - done) / rate));
    }
    if (!event.detail.empty()) text += fmt::format("  {}", event.detail);
    return text;
}

ProgressLine::ProgressLine(bool wanted) : enabled_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const Progress& event) {
    if (!enabled_) return;
    const auto now = Clock::now();
    if (event.stage != stage_ || event.done < stage_first_) {
        stage_ = event.stage;
        stage_start_ = now;
        stage_first_ = event.done;
    }
    if (now - start_ < kQuietStart || (drawn_ && now - last_drawn_ < kRedraw)) return;
    const std::string text = progress_text(event, stage_first_, std::chrono::duration<double>(now - stage_start_).count());
    say(fmt::format("\r\x1b[K{}", text.substr(0, terminal_width() - 1)));
    drawn_ = true;
    last_drawn_ = now;
}

void ProgressLine::clear() {
    if (!drawn_) return;
    say("\r\x1b[K");
    drawn_ = false;
}

Context machine_context(const MachineOptions& options, std::uint64_t seed, ProgressLine& line) {
    return {.threads = options.threads,
            .seed = seed,
            .progress = [&line](const Progress& event) { line.show(event); },
            .stop = stop_on_signals()};
}

}  // namespace vnngp::app
