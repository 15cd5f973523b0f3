// What the library throws. Each kind has the exit code that the program ends with, so the mapping lives in one place.
#pragma once

#include <stdexcept>
#include <string>

namespace vnngp {

/// Exit codes of the program, documented in `vnngp --help`.
enum class ExitCode : int {
    done = 0,
    internal_error = 1,     ///< a defect of this program
    user_error = 2,         ///< input, option or file that cannot be used
    numerical_failure = 3,  ///< a computation that cannot be completed; nothing was written
    interrupted = 130,      ///< Ctrl-C
};

/// Base of every exception the library throws on purpose.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    ExitCode exit_code() const noexcept { return code_; }

private:
    ExitCode code_;
};

/// The user's mistake. The message names file, line, column or option, and what was expected.
class InputError : public Error {
public:
    explicit InputError(const std::string& message) : Error(ExitCode::user_error, message) {}
};

/// Lost positive-definiteness, divergence. The message names the point where it happened.
class NumericalError : public Error {
public:
    explicit NumericalError(const std::string& message) : Error(ExitCode::numerical_failure, message) {}
};

/// The caller asked to stop (Context::stop).
class Interrupted : public Error {
public:
    explicit Interrupted(const std::string& message = "interrupted") : Error(ExitCode::interrupted, message) {}
};

}  // namespace vnngp
