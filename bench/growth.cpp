// How a fit grows with the number of points: time and memory for N, 2N, 4N, ... simulated points in two dimensions, K = 16, a fixed number
// of passes over the data; beside what four times the points may cost. bench_growth [--points N] [--doublings D] [--largest]
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/model/fit.hpp"
#include "vnngp/model/simulate.hpp"

namespace {

using namespace vnngp;
using Clock = std::chrono::steady_clock;

constexpr Index kFirst = 125'000, kLargest = 10'000'000;
constexpr int kDoublings = 4;
constexpr Index kNeighbors = 16;
constexpr int kEvaluations = 2;  // a fit that needs fewer than this has converged before; the passes shown would differ
constexpr double kMostTime = 4.4, kMostMemory = 4.1;

/// Memory that a child process shares with its parent.
template <class Value>
class Shared {
public:
    explicit Shared(std::size_t count)
        : bytes_(count * sizeof(Value)),
          data_(static_cast<Value*>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
    ~Shared() { release(); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    void release() {
        if (data_ != nullptr) ::munmap(data_, bytes_);
        data_ = nullptr;
    }
    Value* data() { return data_; }

private:
    std::size_t bytes_;
    Value* data_;
};

struct Measured {
    double processor, clock;  // seconds
    double choose, neighbors, train;
    double passes, linear_iterations;
    double bytes;  // at the peak, beyond what the process had before
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// In a process of its own, so that the peak of its memory is its own.
void in_child(const auto& body) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            body();
        } catch (const std::exception& error) {
            fmt::print(stderr, "{}\n", error.what());
            std::_Exit(1);
        }
        std::_Exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) std::exit(1);
}

Measured measured_fit(Index count) {
    const auto size = static_cast<std::size_t>(count);
    Shared<double> inputs(2 * size), targets(size);
    Shared<Measured> result(1);
    in_child([&] {
        const Simulation drawn = simulate({.points = count, .neighbors = kNeighbors}, {.seed = 1});
        std::memcpy(inputs.data(), drawn.inputs.data(), 2 * size * sizeof(double));
        std::memcpy(targets.data(), drawn.targets.data(), size * sizeof(double));
    });
    in_child([&] {
        const double bytes = peak_bytes();
        Points points = Eigen::Map<const Points>(inputs.data(), count, 2);
        Vector values = Eigen::Map<const Vector>(targets.data(), count);
        inputs.release();
        targets.release();
        const auto start = Clock::now();
        const double processor = processor_seconds();
        const FitReport report =
            fit(std::move(points), std::move(values),
                {.kernel = "matern32", .neighbors = kNeighbors, .prediction_neighbors = kNeighbors, .evaluations = kEvaluations})
                .report;
        *result.data() = {processor_seconds() - processor,
                          std::chrono::duration<double>(Clock::now() - start).count(),
                          report.seconds_choose,
                          report.seconds_neighbors,
                          report.seconds_train,
                          static_cast<double>(report.passes),
                          static_cast<double>(report.linear_iterations),
                          peak_bytes() - bytes};
    });
    return *result.data();
}

}  // namespace

int main(int argc, char** argv) {
    Index first = kFirst;
    int doublings = kDoublings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--points" && i + 1 < argc) first = std::atoi(argv[++i]);
        if (option == "--doublings" && i + 1 < argc) doublings = std::atoi(argv[++i]);
        if (option == "--largest") first = kLargest, doublings = 0;
    }
    fmt::print("Seconds of the processor (all threads), on the clock, and of its stages; four times the points may cost {} and {} times.\n",
               kMostTime, kMostMemory);
    fmt::print("{:>10} {:>9} {:>8} | {:>7} {:>7} {:>8} {:>6} {:>6} | {:>7} {:>7} | {:>7} {:>7}\n", "points", "processor", "clock", "choose",
               "search", "train", "passes", "solve", "MiB", "B/point", "time", "memory");
    std::vector<Measured> all;
    bool within = true;
    for (int k = 0; k <= doublings; ++k) {
        const Index count = first << k;
        const Measured m = measured_fit(count);
        all.push_back(m);
        fmt::print("{:10} {:9.2f} {:8.2f} | {:7.2f} {:7.2f} {:8.2f} {:6.0f} {:6.0f} | {:7.0f} {:7.0f} |", count, m.processor, m.clock,
                   m.choose, m.neighbors, m.train, m.passes, m.linear_iterations, m.bytes / (1 << 20), m.bytes / count);
        if (k >= 2) {
            const double time = m.processor / all[k - 2].processor, memory = m.bytes / all[k - 2].bytes;
            within = within && time <= kMostTime && memory <= kMostMemory;
            fmt::print(" {:7.2f} {:7.2f}", time, memory);
        }
        fmt::print("\n");
    }
    return within ? 0 : 1;
}
