// Output that appears whole or not at all: bytes go to a temporary file beside the destination, which commit() moves into place.
#pragma once

#include <cstddef>
#include <filesystem>

namespace vnngp::data {

/// A destination that is not a regular file (a pipe, a device, /dev/stdout) cannot be replaced and is written directly.
/// A symbolic link is followed; the permissions of a file that is replaced are kept. All failures are InputErrors with the system's reason.
class AtomicFile {
public:
    /// Throws when the directory does not exist or cannot be written, or when the destination is a directory.
    explicit AtomicFile(const std::filesystem::path& destination);
    /// Without a commit() the temporary file is removed and the destination is untouched.
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Not buffered.
    void write(const void* bytes, std::size_t count);

    /// Flushes to the disk, closes and renames. To be called once, after the last write.
    void commit();

    const std::filesystem::path& destination() const { return destination_; }

private:
    void open_temporary();
    [[noreturn]] void fail(int error) const;

    std::filesystem::path destination_;  // as given, for messages
    std::filesystem::path target_;       // with symbolic links followed
    std::filesystem::path temporary_;    // empty: written directly, or committed
    int descriptor_ = -1;
};

}  // namespace vnngp::data
