#include "shortlist.hpp"

#include <algorithm>
#include <limits>

#include "box_kernel.hpp"
#include "select_kernel.hpp"

namespace vnngp::neighbors {
namespace {

Index slack(Index wanted) { return std::max<Index>(16, wanted / 2); }

}  // namespace

Shortlist::Shortlist(Index wanted)
    : wanted_(wanted), enough_(wanted), distances_(wanted + slack(wanted) + kBoxWidth + kSelectRoom), numbers_(distances_.size()) {}

void Shortlist::start(const Points& points, const double* query, const RoundingBound& bound) {
    points_ = &points;
    query_ = query;
    bound_ = bound;
    enough_ = wanted_;
    threshold_ = std::numeric_limits<float>::infinity();
}

Index Shortlist::sort_out(Index count) {
    if (count < wanted_) return count;
    enough_ = wanted_ + slack(wanted_);
    count = drop_beyond_single(count);
    // Where single precision cannot tell candidates apart.
    if (count > wanted_ + slack(wanted_) / 2) count = drop_beyond_exact(count);
    return count;
}

Index Shortlist::drop_beyond_single(Index count) {
    const float bound = bound_of_smallest(distances_.data(), count, wanted_, wanted_ + slack(wanted_) / 4);
    threshold_ = std::min(threshold_, bound_.single_threshold(bound));
    return keep_at_most(distances_.data(), numbers_.data(), count, threshold_);
}

Index Shortlist::drop_beyond_exact(Index count) {
    compute_exact(count);
    exact_selection_ = exact_;
    std::nth_element(exact_selection_.begin(), exact_selection_.begin() + (wanted_ - 1), exact_selection_.end());
    const Candidate worst = exact_selection_[wanted_ - 1];
    threshold_ = std::min(threshold_, bound_.single_threshold(worst.distance));
    Index kept = 0;
    for (Index i = 0; i < count; ++i) {
        if (worst < exact_[i]) continue;
        distances_[kept] = distances_[i];
        numbers_[kept++] = numbers_[i];
    }
    return kept;
}

void Shortlist::compute_exact(Index count) {
    exact_.clear();
    for (Index i = 0; i < count; ++i)
        exact_.push_back({squared_distance(query_, points_->row(numbers_[i]).data(), points_->cols()), numbers_[i]});
}

std::span<const Candidate> Shortlist::ranked(Index count) {
    if (count > wanted_) count = drop_beyond_single(count);
    compute_exact(count);
    std::sort(exact_.begin(), exact_.end());
    return std::span<const Candidate>(exact_).first(std::min(count, wanted_));
}

std::span<const Candidate> Shortlist::ranked_directly(std::span<const Index> candidates, Index limit) {
    NearestK nearest(wanted_);
    for (const Index number : candidates)
        if (number < limit) nearest.offer({squared_distance(query_, points_->row(number).data(), points_->cols()), number});
    const auto sorted = nearest.sorted();
    exact_.assign(sorted.begin(), sorted.end());
    return exact_;
}

}  // namespace vnngp::neighbors
