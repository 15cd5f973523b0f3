// Threads of our own rather than OpenMP's: libgomp's workers spin while they wait, which on a machine shared with other work made training
// five times slower than its share of the processor, and the thread sanitizer cannot see through it.
#include "vnngp/base/parallel.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "vnngp/base/error.hpp"

namespace vnngp {
namespace {

/// How long a thread looks out for work, or for the others to finish, before it goes to sleep: about what waking it would take. It
/// offers its core to others meanwhile.
constexpr std::chrono::microseconds kPatience{50};

/// Whether it came true in time.
bool soon(const auto& condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

/// Threads that sleep until there is work. Started on first use, as many as the widest call asked for, and kept.
class WorkerPool {
public:
    ~WorkerPool() {
        open_door(kShutDown);
        for (auto& thread : threads_) thread.join();
    }

    /// Runs task(0) on the calling thread and task(w), w < width, on each other thread that wakes before task(0) has returned: on a machine
    /// shared with other work it may be long before one does. False, having done nothing, when another call is under way (a nested one, or
    /// another thread of the caller's program).
    bool run(int width, const std::function<void(int)>& task) {
        if (running_.exchange(true)) return false;
        grow_to(width - 1);
        task_ = &task;
        width_ = width;
        open_door(kOpen);
        task(0);
        door_ &= ~kOpen;
        const auto all_left = [this] { return (door_ & kInside) == 0; };
        if (!soon(all_left)) {
            std::unique_lock lock(mutex_);
            finished_.wait(lock, all_left);
        }
        running_ = false;
        return true;
    }

private:
    // What door_ consists of: how many threads are inside, whether more may enter, and the number of the call.
    static constexpr std::uint64_t kInside = (1U << 16) - 1, kOpen = 1U << 16, kShutDown = 1U << 17, kCall = 1U << 18;
    static std::uint64_t call_of(std::uint64_t door) { return door / kCall; }

    void open_door(std::uint64_t how) {
        {
            const std::lock_guard lock(mutex_);  // nobody is between looking at the door and falling asleep
            door_ = (call_of(door_) + 1) * kCall + how;
        }
        start_.notify_all();
    }

    // Where the system gives no more threads, those that there are do the work.
    void grow_to(int count) {
        try {
            while (static_cast<int>(threads_.size()) < count)
                threads_.emplace_back(
                    [this, worker = static_cast<int>(threads_.size()) + 1, seen = call_of(door_)] { serve(worker, seen); });
        } catch (const std::system_error&) {
        }
    }

    void serve(int worker, std::uint64_t seen) {
        for (;;) {
            const auto called = [&] { return call_of(door_) != seen; };
            if (!soon(called)) {
                std::unique_lock lock(mutex_);
                start_.wait(lock, called);
            }
            std::uint64_t door = door_;
            while ((door & kOpen) != 0 && !door_.compare_exchange_weak(door, door + 1)) {
            }
            seen = call_of(door);
            if ((door & kShutDown) != 0) return;
            if ((door & kOpen) == 0) continue;  // too late
            if (worker < width_) (*task_)(worker);
            if ((--door_ & (kInside | kOpen)) != 0) continue;
            const std::lock_guard lock(mutex_);
            finished_.notify_one();
        }
    }

    // The caller writes these while the door is closed and no thread is inside.
    const std::function<void(int)>* task_ = nullptr;
    int width_ = 0;

    std::atomic<bool> running_{false};
    std::atomic<std::uint64_t> door_{0};
    std::mutex mutex_;  ///< of the two conditions, for those who have run out of patience
    std::condition_variable start_, finished_;
    std::vector<std::thread> threads_;
};

/// The pool of this process. A forked child has none of its parent's threads and gets a pool of its own; the copy of the parent's is left
/// alone.
WorkerPool& pool() {
    static std::mutex mutex;
    static std::unique_ptr<WorkerPool> current;
    static pid_t owner = 0;
    const std::lock_guard lock(mutex);
    if (owner != getpid()) {
        static_cast<void>(current.release());
        current = std::make_unique<WorkerPool>();
        owner = getpid();
    }
    return *current;
}

/// Cores this process may run on, and no more than OMP_NUM_THREADS where a batch system sets it.
int available_cores() {
    cpu_set_t allowed;
    int cores =
        sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : static_cast<int>(std::thread::hardware_concurrency());
    if (const char* text = std::getenv("OMP_NUM_THREADS")) {
        int limit = 0;
        const std::string_view view(text);
        if (std::from_chars(view.data(), view.data() + view.size(), limit).ec == std::errc() && limit > 0) cores = std::min(cores, limit);
    }
    return std::max(1, cores);
}

}  // namespace

int Context::num_threads() const { return threads > 0 ? threads : available_cores(); }

void Context::check_stop() const {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Interrupted();
}

void parallel_chunks(const Context& context, std::int64_t count, std::int64_t chunk_size, const std::function<void(const Chunk&)>& body) {
    const std::int64_t chunks = num_chunks(count, chunk_size);
    std::exception_ptr failure;
    std::mutex failure_mutex;
    std::atomic<bool> failed{false};
    std::atomic<std::int64_t> next{0};
    const std::function<void(int)> work = [&](int worker) {
        try {
            for (std::int64_t number = next++; number < chunks && !failed; number = next++) {
                context.check_stop();
                const std::int64_t begin = number * chunk_size;
                body({begin, std::min(begin + chunk_size, count), number, worker});
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            failed = true;
        }
    };
    const int width = static_cast<int>(std::min<std::int64_t>(context.num_threads(), chunks));
    if (width <= 1 || !pool().run(width, work)) work(0);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace vnngp
