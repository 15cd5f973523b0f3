// An allocator whose memory begins at a cache line, so that vectors of a full line never straddle two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace vnngp::neighbors {

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
    bool operator==(const CacheAligned&) const = default;
};

using AlignedFloats = std::vector<float, CacheAligned<float>>;

}  // namespace vnngp::neighbors
