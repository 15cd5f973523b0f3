// The one place where threads are started. Work is cut into chunks whose number does not depend on the thread count, so that
// per-chunk results combined in chunk order are identical at any width.
#pragma once

#include <cstdint>
#include <functional>

#include "vnngp/base/context.hpp"

namespace vnngp {

/// A half-open range of work items, and which worker runs it (0 <= worker < context.num_threads(): index of scratch memory).
struct Chunk {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t number;  ///< position of the chunk; begin == number * chunk_size
    int worker;
};

inline std::int64_t num_chunks(std::int64_t count, std::int64_t chunk_size) { return (count + chunk_size - 1) / chunk_size; }

/// Calls body once per chunk of at most chunk_size of the `count` items, on context.num_threads() threads, in no particular order.
/// The first exception thrown by a body is rethrown here after all workers have stopped; Context::stop is honoured between chunks.
/// A nested call, or one from a second thread of the program while another is under way, does its work on the calling thread alone.
void parallel_chunks(const Context& context, std::int64_t count, std::int64_t chunk_size, const std::function<void(const Chunk&)>& body);

}  // namespace vnngp
