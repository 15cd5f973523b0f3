// The bytes of a file, a pipe or a device; what starts like a gzip file is decompressed on the way.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vnngp::data {

class ByteSource {
public:
    /// Throws InputError when the file cannot be opened or is a directory.
    explicit ByteSource(const std::filesystem::path& path);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Reads up to `capacity` (>= 1) bytes; 0 only at the end. Throws InputError on a read error and on truncated or corrupt gzip data.
    std::size_t read(char* into, std::size_t capacity);

    /// Bytes taken from the file so far (compressed ones of a gzip file), and its size; 0 when that is not known.
    std::int64_t bytes_consumed() const { return consumed_; }
    std::int64_t bytes_total() const { return total_; }

private:
    std::size_t read_file(char* into, std::size_t capacity);
    bool refill();
    std::size_t read_plain(char* into, std::size_t capacity);
    std::size_t read_gzip(char* into, std::size_t capacity);

    std::string name_;
    int descriptor_ = -1;
    std::int64_t consumed_ = 0;
    std::int64_t total_ = 0;
    std::vector<char> input_;  // bytes [begin_, end_) are not yet used
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool gzip_ = false;
    bool member_open_ = false;  // inside a member: a gzip file is a sequence of one or more
    z_stream stream_{};
};

}  // namespace vnngp::data
