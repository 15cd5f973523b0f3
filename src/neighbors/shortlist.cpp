#include "shortlist.hpp"

#include <algorithm>
#include <limits>

#include "box_kernel.hpp"
#include "select_kernel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr Index kMostRanked = 512;  // beyond it sorting is faster than counting who is smaller

Index slack(Index wanted) { return std::max<Index>(32, wanted / 2); }

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
    selection_ = exact_;
    std::nth_element(selection_.begin(), selection_.begin() + (wanted_ - 1), selection_.end());
    const Candidate worst = selection_[wanted_ - 1];
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

void Shortlist::sort_exact() {
    const auto count = static_cast<Index>(exact_.size());
    if (count > kMostRanked) {
        std::sort(exact_.begin(), exact_.end());
        return;
    }
    values_.resize(count + kSelectRoom);
    ranks_.resize(count);
    for (Index i = 0; i < count; ++i) values_[i] = exact_[i].distance;
    ranks_among(values_.data(), count, ranks_.data());
    selection_.assign(count, {0.0, -1});
    for (Index i = 0; i < count; ++i) selection_[ranks_[i]] = exact_[i];
    const bool tied = std::any_of(selection_.begin(), selection_.end(), [](const Candidate& candidate) { return candidate.index < 0; });
    if (tied)
        std::sort(exact_.begin(), exact_.end());
    else
        exact_.swap(selection_);
}

std::span<const Candidate> Shortlist::ranked(Index count) {
    if (count > wanted_) count = drop_beyond_single(count);
    compute_exact(count);
    sort_exact();
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
