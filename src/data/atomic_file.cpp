#include "vnngp/data/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

// The open descriptor that a path like /dev/stdout names. Opening the path instead would start at offset 0 of a redirected file.
std::optional<int> named_descriptor(const std::string& path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    constexpr std::string_view kPrefix = "/dev/fd/";
    if (!path.starts_with(kPrefix)) return std::nullopt;
    int descriptor = 0;
    const auto [stop, error] = std::from_chars(path.data() + kPrefix.size(), path.data() + path.size(), descriptor);
    if (error != std::errc() || stop != path.data() + path.size()) return std::nullopt;
    return descriptor;
}

// The entry in the directory must reach the disk too. Some file systems cannot do that; the file is in place by then, so nothing is
// reported.
void flush_directory(const std::filesystem::path& directory) {
    const int descriptor = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& destination) : destination_(destination), target_(destination) {
    if (const auto descriptor = named_descriptor(destination.string())) {
        descriptor_ = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
        if (descriptor_ < 0) fail(errno);
        return;
    }
    struct stat status {};
    const bool exists = ::stat(destination.c_str(), &status) == 0;
    if (!exists && errno != ENOENT) fail(errno);
    if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = ::open(destination.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail(errno);
        return;
    }
    if (exists) {
        if (::access(destination.c_str(), W_OK) != 0) fail(errno);
        std::error_code error;
        target_ = std::filesystem::canonical(destination, error);
        if (error) fail(error.value());
    }
    open_temporary();
    if (exists) ::fchmod(descriptor_, status.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::open_temporary() {
    const std::filesystem::path directory = target_.parent_path();
    const std::string name = target_.filename().string();
    if (name.empty()) fail(ENOENT);
    if (std::error_code error; !directory.empty() && !std::filesystem::exists(directory, error) && !error)
        throw InputError(fmt::format("cannot write '{}': the directory '{}' does not exist", destination_.string(), directory.string()));
    static std::atomic<unsigned> counter{0};
    do {
        // Cut so that the longest legal file name leaves room for the additions.
        temporary_ = directory / fmt::format(".{}.{}-{}.tmp", name.substr(0, 200), ::getpid(), counter++);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
        temporary_.clear();
        fail(errno);
    }
}

void AtomicFile::write(const void* bytes, std::size_t count) {
    const char* position = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t written = ::write(descriptor_, position, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(errno);
        position += written;
        count -= static_cast<std::size_t>(written);
    }
}

void AtomicFile::commit() {
    if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    flush_directory(target_.parent_path());
}

void AtomicFile::fail(int error) const {
    throw InputError(fmt::format("cannot write '{}': {}", destination_.string(), std::generic_category().message(error)));
}

}  // namespace vnngp::data
