#include "vnngp/data/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "unit/data/scratch.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void write_text(AtomicFile& file, const std::string& text) { file.write(text.data(), text.size()); }

TEST(AtomicFile, AppearsOnlyOnCommit) {
    const Scratch scratch;
    const auto path = scratch.path("model.bin");
    AtomicFile file(path);
    write_text(file, std::string("binary\0", 7));
    EXPECT_FALSE(std::filesystem::exists(path));
    write_text(file, "more");
    file.commit();
    EXPECT_EQ(content_of(path), std::string("binary\0more", 11));
    EXPECT_EQ(scratch.num_files(), 1u);
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
    const Scratch scratch;
    const auto path = scratch.file("out", "old");
    {
        AtomicFile file(path);
        write_text(file, "new");
    }
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(scratch.num_files(), 1u);
}

TEST(AtomicFile, TwoWritersOfOneDestinationDoNotMix) {
    const Scratch scratch;
    AtomicFile first(scratch.path("out")), second(scratch.path("out"));
    write_text(first, "first");
    write_text(second, "second");
    second.commit();
    EXPECT_EQ(content_of(scratch.path("out")), "second");
    first.commit();
    EXPECT_EQ(content_of(scratch.path("out")), "first");
    EXPECT_EQ(scratch.num_files(), 1u);
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
    const Scratch scratch;
    const auto path = scratch.file("out", "old");
    ::chmod(path.c_str(), 0640);
    AtomicFile file(path);
    file.commit();
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
    EXPECT_EQ(content_of(path), "");
}

TEST(AtomicFile, WritesThroughASymbolicLink) {
    const Scratch scratch;
    const auto path = scratch.file("real", "old");
    std::filesystem::create_symlink("real", scratch.path("link"));
    AtomicFile file(scratch.path("link"));
    write_text(file, "new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link")));
    EXPECT_EQ(content_of(path), "new");
}

TEST(AtomicFile, AcceptsTheLongestFileName) {
    const Scratch scratch;
    const auto path = scratch.path(std::string(255, 'n'));
    AtomicFile file(path);
    file.commit();
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(AtomicFile, RefusesImpossibleDestinationsAtOnce) {
    const Scratch scratch;
    scratch.file("plain", "");
    const auto complaint = [](const std::filesystem::path& path) { return message_of<InputError>([&] { AtomicFile file(path); }); };
    EXPECT_THAT(complaint(scratch.path("absent/out")), AllOf(HasSubstr("absent/out'"), HasSubstr("absent' does not exist")));
    EXPECT_THAT(complaint(scratch.path("plain/out")), HasSubstr("Not a directory"));
    EXPECT_THAT(complaint(scratch.path(".")), HasSubstr("Is a directory"));
    EXPECT_THAT(complaint(""), HasSubstr("No such file"));
    EXPECT_THAT(complaint("/dev/fd/9999"), HasSubstr("Bad file descriptor"));
    EXPECT_EQ(scratch.num_files(), 1u);
}

TEST(AtomicFile, ReportsAFullDevice) {
    AtomicFile file("/dev/full");
    EXPECT_THAT(message_of<InputError>([&] { write_text(file, "x"); }),
                AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device")));
}

// A file size limit makes an ordinary file fail in the middle of a write, as a full disk does.
TEST(AtomicFile, AFailedWriteLeavesNothingBehind) {
    const Scratch scratch;
    const auto path = scratch.file("out", "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = message_of<InputError>([&] {
        AtomicFile file(path);
        write_text(file, std::string(10000, 'x'));
        file.commit();
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, AllOf(HasSubstr("out'"), HasSubstr("File too large")));
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(scratch.num_files(), 1u);
}

TEST(AtomicFile, AppendsToAnOpenDescriptor) {
    const Scratch scratch;
    const auto path = scratch.path("redirected");
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(::write(descriptor, "before ", 7), 7);
    AtomicFile file("/dev/fd/" + std::to_string(descriptor));
    write_text(file, "between ");
    file.commit();
    ASSERT_EQ(::write(descriptor, "after", 5), 5);
    ::close(descriptor);
    EXPECT_EQ(content_of(path), "before between after");
}

TEST(AtomicFile, WritesIntoAPipe) {
    const Scratch scratch;
    const auto path = scratch.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    AtomicFile file(path);
    write_text(file, "through");
    file.commit();
    char received[16] = {};
    EXPECT_EQ(::read(reader, received, sizeof received), 7);
    EXPECT_STREQ(received, "through");
    ::close(reader);
    EXPECT_TRUE(std::filesystem::is_fifo(path));
}

}  // namespace
}  // namespace vnngp::data
