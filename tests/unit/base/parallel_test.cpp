#include "vnngp/base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vnngp/base/error.hpp"

namespace vnngp {
namespace {

TEST(ParallelChunks, VisitsEveryItemOnceAtAnyWidth) {
    for (const int threads : {1, 2, 5}) {
        const Context context{.threads = threads};
        std::vector<std::atomic<int>> visits(1003);
        parallel_chunks(context, 1003, 17, [&](const Chunk& chunk) {
            EXPECT_EQ(chunk.begin, chunk.number * 17);
            EXPECT_LT(chunk.worker, threads);
            for (auto i = chunk.begin; i < chunk.end; ++i) ++visits[i];
        });
        for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
}

TEST(ParallelChunks, NothingToDoCallsNothing) {
    parallel_chunks({}, 0, 8, [](const Chunk&) { FAIL(); });
}

TEST(ParallelChunks, CarriesOutAnExceptionThrownByAWorker) {
    const Context context{.threads = 2};
    EXPECT_THROW(parallel_chunks(context, 100, 1,
                                 [](const Chunk& chunk) {
                                     if (chunk.number == 57) throw std::domain_error("chunk 57");
                                 }),
                 std::domain_error);
}

TEST(ParallelChunks, NestedAndConcurrentCallsDoAllTheirWork) {
    const Context context{.threads = 3};
    std::atomic<int> inner{0};
    const auto nested = [&] {
        parallel_chunks(context, 20, 1, [&](const Chunk&) {
            parallel_chunks(context, 10, 3, [&](const Chunk& chunk) { inner += static_cast<int>(chunk.end - chunk.begin); });
        });
    };
    std::thread other(nested);
    nested();
    other.join();
    EXPECT_EQ(inner, 400);
}

TEST(ParallelChunks, WorksInAForkedChild) {
    const Context context{.threads = 2};
    parallel_chunks(context, 10, 1, [](const Chunk&) {});
    const pid_t child = fork();
    if (child == 0) {
        std::atomic<int> sum{0};
        parallel_chunks(context, 100, 1, [&](const Chunk& chunk) { sum += static_cast<int>(chunk.begin); });
        _exit(sum == 4950 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(ParallelChunks, StopsWhenAsked) {
    std::atomic<bool> stop{false};
    std::atomic<int> started{0};
    const Context context{.threads = 2, .stop = &stop};
    EXPECT_THROW(parallel_chunks(context, 10000, 1,
                                 [&](const Chunk&) {
                                     if (++started == 10) stop = true;
                                 }),
                 Interrupted);
    EXPECT_LT(started, 20);
}

}  // namespace
}  // namespace vnngp
