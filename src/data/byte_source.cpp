#include "data/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;
constexpr int kGzipOnly = 15 + 16;  // zlib's windowBits: the largest window, gzip wrapper

[[noreturn]] void throw_unreadable(const std::string& name, int error) {
    throw InputError(fmt::format("cannot read '{}': {}", name, std::generic_category().message(error)));
}

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& path) : name_(path.string()), input_(kInputBytes) {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw_unreadable(name_, errno);
    try {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) throw_unreadable(name_, errno);
        if (S_ISDIR(status.st_mode)) throw_unreadable(name_, EISDIR);
        if (S_ISREG(status.st_mode)) total_ = status.st_size;
        while (end_ < 2 && refill()) {
        }
        gzip_ = end_ >= 2 && input_[0] == '\x1f' && input_[1] == '\x8b';
        if (gzip_ && inflateInit2(&stream_, kGzipOnly) != Z_OK)
            throw InputError(fmt::format("cannot read '{}': no memory to decompress it", name_));
        member_open_ = gzip_;
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

ByteSource::~ByteSource() {
    if (gzip_) inflateEnd(&stream_);
    ::close(descriptor_);
}

std::size_t ByteSource::read(char* into, std::size_t capacity) { return gzip_ ? read_gzip(into, capacity) : read_plain(into, capacity); }

std::size_t ByteSource::read_file(char* into, std::size_t capacity) {
    ssize_t count = 0;
    do count = ::read(descriptor_, into, capacity);
    while (count < 0 && errno == EINTR);
    if (count < 0) throw_unreadable(name_, errno);
    consumed_ += count;
    return static_cast<std::size_t>(count);
}

// Appends to the unused bytes; false at the end of the file.
bool ByteSource::refill() {
    if (begin_ == end_) begin_ = end_ = 0;
    const std::size_t count = read_file(input_.data() + end_, input_.size() - end_);
    end_ += count;
    return count > 0;
}

std::size_t ByteSource::read_plain(char* into, std::size_t capacity) {
    if (begin_ == end_) return read_file(into, capacity);
    const std::size_t count = std::min(capacity, end_ - begin_);
    std::memcpy(into, input_.data() + begin_, count);
    begin_ += count;
    return count;
}

std::size_t ByteSource::read_gzip(char* into, std::size_t capacity) {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, std::size_t{1} << 30));
    const std::size_t wanted = stream_.avail_out;
    while (stream_.avail_out > 0) {
        if (begin_ == end_ && !refill()) {
            if (member_open_)
                throw InputError(fmt::format("cannot read '{}': the gzip data stop before their end (is the file complete?)", name_));
            break;
        }
        if (!member_open_) {
            // Between members: zero padding is legal, anything else must be another member, which inflate verifies.
            while (begin_ < end_ && input_[begin_] == '\0') ++begin_;
            if (begin_ == end_) continue;
            inflateReset(&stream_);
            member_open_ = true;
        }
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data() + begin_);
        stream_.avail_in = static_cast<uInt>(end_ - begin_);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        begin_ = end_ - stream_.avail_in;
        if (status == Z_STREAM_END)
            member_open_ = false;
        else if (status != Z_OK)
            throw InputError(fmt::format("cannot read '{}': the gzip data are corrupt ({})", name_,
                                         stream_.msg != nullptr ? stream_.msg : zError(status)));
    }
    return wanted - stream_.avail_out;
}

}  // namespace vnngp::data
