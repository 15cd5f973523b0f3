// The distance every search method ranks by, and the K best candidates seen so far.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

/// Squared Euclidean distance, summed in four interleaved lanes. This order of the operations is what makes the methods agree to the last
/// bit, whether or not Dim is known at compile time (Dim = -1: not).
template <int Dim = -1>
double squared_distance(const double* a, const double* b, Eigen::Index dim) {
    if constexpr (Dim > 0) dim = Dim;
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    Eigen::Index k = 0;
    for (; k + 4 <= dim; k += 4) {
        for (int l = 0; l < 4; ++l) {
            const double difference = a[k + l] - b[k + l];
            lane[l] += difference * difference;
        }
    }
    for (int l = 0; k + l < dim; ++l) {
        const double difference = a[k + l] - b[k + l];
        lane[l] += difference * difference;
    }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

struct Candidate {
    double distance;  ///< squared
    Index index;

    friend bool operator<(const Candidate& a, const Candidate& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
    }
};

/// Keeps the `capacity` smallest candidates offered, in any order of offering. capacity >= 1.
class NearestK {
public:
    explicit NearestK(Index capacity) : capacity_(static_cast<std::size_t>(capacity)) { heap_.reserve(capacity_); }

    void clear() { heap_.clear(); }
    bool full() const { return heap_.size() == capacity_; }

    /// Returns whether the candidate was kept.
    bool offer(Candidate candidate) {
        if (!full()) {
            heap_.push_back(candidate);
            std::push_heap(heap_.begin(), heap_.end());
            return true;
        }
        if (!(candidate < heap_.front())) return false;
        replace_worst(candidate);
        return true;
    }

    /// All kept candidates, best first. Only clear() may follow.
    std::span<const Candidate> sorted() {
        std::sort_heap(heap_.begin(), heap_.end());
        return heap_;
    }

private:
    void replace_worst(Candidate candidate) {
        std::size_t hole = 0;
        for (std::size_t child = 1; child < capacity_; child = 2 * hole + 1) {
            if (child + 1 < capacity_ && heap_[child] < heap_[child + 1]) ++child;
            if (!(candidate < heap_[child])) break;
            heap_[hole] = heap_[child];
            hole = child;
        }
        heap_[hole] = candidate;
    }

    std::size_t capacity_;
    std::vector<Candidate> heap_;
};

}  // namespace vnngp::neighbors
