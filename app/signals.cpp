#include "app/signals.hpp"

#include <signal.h>

namespace vnngp::app {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may write it");

extern "C" void request_stop(int) { stop_requested = true; }

}  // namespace

const std::atomic<bool>* stop_on_signals() {
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    return &stop_requested;
}

void ignore_file_size_signal() { ::signal(SIGXFSZ, SIG_IGN); }

}  // namespace vnngp::app
