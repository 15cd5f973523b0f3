#include "vnngp/base/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "vnngp/base/error.hpp"

namespace vnngp {

int Context::num_threads() const { return threads > 0 ? threads : std::max(1, omp_get_num_procs()); }

void Context::check_stop() const {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Interrupted();
}

void parallel_chunks(const Context& context, std::int64_t count, std::int64_t chunk_size, const std::function<void(const Chunk&)>& body) {
    const std::int64_t chunks = num_chunks(count, chunk_size);
    if (chunks == 0) return;
    const int width = static_cast<int>(std::min<std::int64_t>(context.num_threads(), chunks));
    std::exception_ptr failure;
    std::mutex failure_mutex;
    std::atomic<bool> failed{false};
#pragma omp parallel for num_threads(width) schedule(dynamic, 1)
    for (std::int64_t number = 0; number < chunks; ++number) {
        if (failed.load(std::memory_order_relaxed)) continue;
        try {
            context.check_stop();
            const std::int64_t begin = number * chunk_size;
            body({begin, std::min(begin + chunk_size, count), number, omp_get_thread_num()});
        } catch (...) {
            // An exception must not leave an OpenMP region: the first one is carried out and rethrown below.
            const std::lock_guard lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            failed.store(true, std::memory_order_relaxed);
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace vnngp
