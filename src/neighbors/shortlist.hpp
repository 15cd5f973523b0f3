// Candidates that may be among the nearest to one query, kept by single-precision distances and ranked by exact ones in the end.
#pragma once

#include <span>
#include <vector>

#include "nearest_k.hpp"
#include "rounding_bound.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::neighbors {

class Shortlist {
public:
    /// For the `wanted` nearest, at least one, of a query at a time.
    explicit Shortlist(Index wanted);

    /// Forgets everything.
    void start(const Points& points, const double* query, const RoundingBound& bound);
    /// Where hits are written, side by side, and the number of them from which on they want sorting out; there is room for 16 more.
    float* distances() { return distances_.data(); }
    Index* numbers() { return numbers_.data(); }
    Index enough() const { return enough_; }
    /// Candidates at a single-precision distance beyond it are out.
    float threshold() const { return threshold_; }

    /// Keeps, of the first `count` hits, those that may be among the nearest, and returns their number. Tightens the threshold.
    Index sort_out(Index count);
    /// The nearest of the first `count` hits, best first.
    std::span<const Candidate> ranked(Index count);
    /// The nearest of the given candidates with numbers below limit, best first.
    std::span<const Candidate> ranked_directly(std::span<const Index> candidates, Index limit);

private:
    Index drop_beyond_single(Index count);
    Index drop_beyond_exact(Index count);
    void compute_exact(Index count);
    void sort_exact();

    Index wanted_, enough_;
    std::vector<float> distances_;
    std::vector<Index> numbers_;
    std::vector<Candidate> exact_, selection_;
    std::vector<double> values_;  // working memory of sort_exact
    std::vector<Index> ranks_;
    const Points* points_ = nullptr;
    const double* query_ = nullptr;
    RoundingBound bound_;
    float threshold_ = 0.0f;
};

}  // namespace vnngp::neighbors
