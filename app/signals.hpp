// Ctrl-C and SIGTERM: the first asks the computation to stop, a second one ends the process at once.
#pragma once

#include <atomic>

namespace vnngp::app {

/// Installs the handlers and returns the flag they set, for Context::stop.
const std::atomic<bool>* stop_on_signals();

/// A file that grows beyond the limit of the shell is then an error like a full disk.
void ignore_file_size_signal();

}  // namespace vnngp::app
