#include "vnngp/base/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vnngp/base/error.hpp"

namespace vnngp {
namespace {

using namespace std::chrono_literals;

bool within_a_minute(const auto& condition) {
    const auto end = std::chrono::steady_clock::now() + 1min;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// Runs two chunks that wait for one another; the thread that is not the calling one.
pthread_t meet_the_other_thread(const Context& context) {
    std::atomic<int> started{0};
    std::atomic<pthread_t> other{pthread_self()};
    parallel_chunks(context, 2, 1, [&](const Chunk& chunk) {
        ++started;
        EXPECT_TRUE(within_a_minute([&] { return started == 2; })) << "chunk " << chunk.number << " is alone";
        if (chunk.worker != 0) other = pthread_self();
    });
    return other;
}

std::atomic<bool> held{false}, let_go{false};

void hold(int) {
    held = true;
    while (!let_go) usleep(1000);
    held = false;
}

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

TEST(ParallelChunks, ThreadsWorkSideBySide) { EXPECT_FALSE(pthread_equal(meet_the_other_thread({.threads = 2}), pthread_self())); }

TEST(ParallelChunks, AThreadThatTheSystemKeepsWaitingKeepsNobodyWaiting) {
    const Context context{.threads = 2};
    const pthread_t other = meet_the_other_thread(context);
    let_go = false;
    const auto before = std::signal(SIGUSR1, hold);
    pthread_kill(other, SIGUSR1);
    EXPECT_TRUE(within_a_minute([] { return held.load(); }));

    std::atomic<bool> returned{false};
    std::thread in_the_end([&] {
        EXPECT_TRUE(within_a_minute([&] { return returned.load(); })) << "the call waited for a thread that had not begun";
        let_go = true;
    });
    int chunks = 0;
    parallel_chunks(context, 10, 1, [&](const Chunk& chunk) {
        EXPECT_EQ(chunk.worker, 0);
        ++chunks;
    });
    EXPECT_EQ(chunks, 10);
    returned = true;
    in_the_end.join();
    EXPECT_TRUE(within_a_minute([] { return !held.load(); }));
    std::signal(SIGUSR1, before);
    EXPECT_FALSE(pthread_equal(meet_the_other_thread(context), pthread_self())) << "it works again";
}

// More threads than cores, and so little work that most of them come when it is done.
TEST(ParallelChunks, ThreadsThatComeTooLateMissNothingAndRepeatNothing) {
    for (int call = 0; call < 20000; ++call) {
        const Context context{.threads = 2 + call % 7};
        std::vector<std::atomic<int>> visits(1 + call % 5);
        parallel_chunks(context, static_cast<std::int64_t>(visits.size()), 1, [&](const Chunk& chunk) { ++visits[chunk.number]; });
        for (const auto& count : visits) ASSERT_EQ(count, 1) << call;
    }
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
