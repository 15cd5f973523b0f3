#include "app/output.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "vnngp/base/error.hpp"

namespace vnngp::app {

void print(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) throw InputError(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
}

void print_json(const nlohmann::ordered_json& object) {
    print(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

// A reader of standard error that has gone away must not end a long fit: the signal is held back and taken off.
void say(std::string_view text) {
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const bool written = std::fwrite(text.data(), 1, text.size(), stderr) == text.size() && std::fflush(stderr) == 0;
    if (!written && errno == EPIPE) {
        const timespec at_once{};
        sigtimedwait(&pipe, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) say(fmt::format("note: {}\n", note));
}

void print_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) say(fmt::format("warning: {}\n", warning));
}

std::string shell_word(const std::string& text) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string counted(std::int64_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

}  // namespace vnngp::app
