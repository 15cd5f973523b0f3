// Small dense algebra on kLanes matrices at once, lane by lane side by side in memory ("interleaved"): entry e of lane l lies at
// [e * kLanes + l]. Thousands of neighbourhoods of the same order are factored this way: every instruction works on several of them,
// whatever the order, with no horizontal operations. The instruction set is chosen at run time.
//
// Most of it is in double precision; what rows need is there in single precision too, with twice as many lanes.
//
// A symmetric or lower triangular matrix of order n is stored packed by rows: entry (p, q), q <= p, has number p (p + 1) / 2 + q.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace vnngp::linalg {

/// Matrices per batch: one AVX-512 register, two AVX2 registers, four SSE2 or NEON registers.
template <class T>
inline constexpr int kLanesOf = static_cast<int>(64 / sizeof(T));
inline constexpr int kLanes = kLanesOf<double>;
inline constexpr int kTile = 4;  ///< orders must be a multiple of this; pad with the identity

constexpr std::size_t packed_row(int p) { return static_cast<std::size_t>(p) * (p + 1) / 2; }
constexpr int padded_order(int n) { return (n + kTile - 1) / kTile * kTile; }

/// Allocator for 64-byte aligned storage, which the lane loads need.
template <class T>
struct LaneAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};
    LaneAllocator() = default;
    template <class U>
    LaneAllocator(const LaneAllocator<U>&) {}
    /// Leaves new values as they are: buffers are filled before they are read.
    template <class U>
    void construct(U* pointer) {
        ::new (static_cast<void*>(pointer)) U;
    }
    template <class U, class... Arguments>
    void construct(U* pointer, Arguments&&... arguments) {
        ::new (static_cast<void*>(pointer)) U(std::forward<Arguments>(arguments)...);
    }
    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
    void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, kAlignment); }
    bool operator==(const LaneAllocator&) const = default;
};
template <class T>
using LaneBufferOf = std::vector<T, LaneAllocator<T>>;
using LaneBuffer = LaneBufferOf<double>;

/// Factors C = L L' in place for kLanes packed matrices of order n (a multiple of kTile).
/// inverse_diagonal [n][kLanes] receives 1 / L_pp. smallest_pivot [kLanes] receives the smallest L_pp^2 met in each lane, -1 where one was
/// not positive or NaN: that lane's factor is meaningless (the others are not affected) and the caller must treat it as failed.
void batch_cholesky(int n, double* c, double* inverse_diagonal, double* smallest_pivot);
void batch_cholesky(int n, float* c, float* inverse_diagonal, float* smallest_pivot);

/// x <- L^{-1} x and x <- L^{-T} x, x [n][kLanes].
void batch_forward_solve(int n, const double* l, const double* inverse_diagonal, double* x);
void batch_forward_solve(int n, const float* l, const float* inverse_diagonal, float* x);
void batch_backward_solve(int n, const double* l, const double* inverse_diagonal, double* x);
void batch_backward_solve(int n, const float* l, const float* inverse_diagonal, float* x);

/// The same for several x, [count][stride][kLanes], of which the first n entries each.
void batch_forward_solves(int n, const double* l, const double* inverse_diagonal, int count, int stride, double* x);
void batch_backward_solves(int n, const double* l, const double* inverse_diagonal, int count, int stride, double* x);

/// L <- L^{-1} in place, packed, from the factor and its inverse diagonal.
void batch_invert_factor(int n, double* l, const double* inverse_diagonal);

/// A full matrix is stored by rows of this many entries, of which n are used: an odd number spreads the rows over all sets of a cache.
constexpr int full_stride(int n) { return n + 1; }

/// full <- X'X for a packed lower triangular X: the inverse of C = L L' when X = L^{-1}. Both triangles, [n][full_stride(n)][kLanes].
void batch_gram(int n, const double* x, double* full);

/// packed <- A diag(s) A for a full symmetric A, s [n][kLanes].
void batch_sandwich(int n, const double* full, const double* s, double* packed);

/// Name of the instruction set the batch routines run on here, e.g. "AVX3".
const char* instruction_set();

}  // namespace vnngp::linalg
