#include "spatial_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::ptrdiff_t kSample = 128;         // points of a range by which its cut is chosen
constexpr std::ptrdiff_t kTaskRange = 1 << 14;  // ranges up to this length are sorted by one worker
constexpr int kMeanCuts = 100;                  // cuts one below another at the mean, which may split off little; after them, in the middle

/// A point with its scaled coordinates: looked up at every cut, they would come from all over the memory.
template <int kDim>
struct Entry {
    std::array<float, kDim> scaled;
    Index number;
};
/// Where there are many of them, only the one that is being cut.
template <>
struct Entry<0> {
    float key;
    Index number;
};

struct Range {
    std::ptrdiff_t begin, end;
    int depth;

    std::ptrdiff_t size() const { return end - begin; }
};

struct Cut {
    Eigen::Index coordinate;
    float mean;
    bool varies;
};

/// kDim: the number of coordinates, or 0 for any.
template <int kDim>
class Sorter {
public:
    Sorter(const Points& points, const Scaling& scaling, std::span<const Index> numbers)
        : points_(points), scaling_(scaling), entries_(numbers.size()) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            entries_[i].number = numbers[i];
            if constexpr (kDim > 0)
                for (int k = 0; k < kDim; ++k) entries_[i].scaled[k] = looked_up(numbers[i], k);
        }
    }

    void sort(Range range) {
        while (range.size() > kSpatialRun) {
            const std::ptrdiff_t middle = cut(range);
            sort({range.begin, middle, range.depth + 1});
            range = {middle, range.end, range.depth + 1};
        }
    }

    // Puts the smaller values of some coordinate first and returns where the larger ones begin.
    std::ptrdiff_t cut(const Range& range) {
        const Cut chosen = best_cut(range);
        const auto first = entries_.begin() + range.begin, last = entries_.begin() + range.end;
        std::ptrdiff_t smaller = range.size() / 2;
        const std::ptrdiff_t run = run_of(range.size());
        if (!chosen.varies) return range.begin + aligned(smaller, range.size(), run);
        if constexpr (kDim == 0)
            for (auto entry = first; entry != last; ++entry) entry->key = looked_up(entry->number, chosen.coordinate);
        const auto key = [&](const Entry<kDim>& entry) {
            if constexpr (kDim == 0)
                return entry.key;
            else
                return entry.scaled[chosen.coordinate];
        };
        const auto by_key = [&](const Entry<kDim>& x, const Entry<kDim>& y) { return key(x) < key(y); };
        if (range.depth >= kMeanCuts) {
            const std::ptrdiff_t middle = aligned(smaller, range.size(), run);
            std::nth_element(first, first + middle, last, by_key);
            return range.begin + middle;
        }
        const auto boundary = std::partition(first, last, [&](const Entry<kDim>& entry) { return key(entry) < chosen.mean; });
        smaller = boundary - first;
        const auto cut_between = [&](std::ptrdiff_t length) {
            const std::ptrdiff_t middle = aligned(smaller, range.size(), length);
            if (middle < smaller) std::nth_element(first, first + middle, boundary, by_key);
            if (middle > smaller) std::nth_element(boundary, first + middle, last, by_key);
            return middle;
        };
        std::ptrdiff_t middle = cut_between(run);
        // A category is left whole, or nearly so.
        const float beyond = key(first[middle]);
        if (run > kSpatialRun && std::any_of(first, first + middle, [&](const Entry<kDim>& entry) { return key(entry) == beyond; }))
            middle = cut_between(kSpatialRun);
        return range.begin + middle;
    }

    void copy_to(std::span<Index> numbers) const {
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = entries_[i].number;
    }

private:
    // Of the boxes that a range is made of: a box over points on both sides of a cut would seem near to all that lies between them.
    static std::ptrdiff_t run_of(std::ptrdiff_t size) {
        std::ptrdiff_t run = kSpatialRun;
        while (size > kSpatialRun * run) run *= kSpatialRun;
        return run;
    }

    // The multiple of the run length nearest to `middle` that leaves something on both sides.
    static std::ptrdiff_t aligned(std::ptrdiff_t middle, std::ptrdiff_t size, std::ptrdiff_t run) {
        return std::clamp((middle + run / 2) / run, std::ptrdiff_t{1}, (size - 1) / run) * run;
    }

    float looked_up(Index number, Eigen::Index k) const { return static_cast<float>(scaling_(points_(number, k), k)); }
    float coordinate(const Entry<kDim>& entry, Eigen::Index k) const {
        if constexpr (kDim == 0)
            return looked_up(entry.number, k);
        else
            return entry.scaled[k];
    }

    Cut best_cut(const Range& range) const {
        const Eigen::Index dim = points_.cols();
        const std::ptrdiff_t sampled = std::min(range.size(), kSample);
        Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(dim), squares = Eigen::ArrayXd::Zero(dim);
        for (std::ptrdiff_t i = 0; i < sampled; ++i) {
            const Entry<kDim>& entry = entries_[range.begin + i * range.size() / sampled];
            for (Eigen::Index k = 0; k < dim; ++k) {
                const double value = coordinate(entry, k);
                sums(k) += value;
                squares(k) += value * value;
            }
        }
        Eigen::Index best = 0;
        const double variance = (squares - sums * sums / static_cast<double>(sampled)).maxCoeff(&best);
        return {best, static_cast<float>(sums(best) / static_cast<double>(sampled)), variance > 0.0};
    }

    const Points& points_;
    const Scaling& scaling_;
    std::vector<Entry<kDim>> entries_;
};

// A range that one worker sorts, its coordinates beside the numbers where they are few.
void sort_range(const Points& points, const Scaling& scaling, std::span<Index> numbers, int depth) {
    const auto sort = [&](auto sorter) {
        sorter.sort({0, std::ssize(numbers), depth});
        sorter.copy_to(numbers);
    };
    switch (points.cols()) {
        case 1:
            return sort(Sorter<1>(points, scaling, numbers));
        case 2:
            return sort(Sorter<2>(points, scaling, numbers));
        case 3:
            return sort(Sorter<3>(points, scaling, numbers));
        default:
            return sort(Sorter<0>(points, scaling, numbers));
    }
}

// Cuts all numbers into ranges of at most kTaskRange, in parallel.
std::vector<Range> cut_into_tasks(const Points& points, const Scaling& scaling, std::vector<Index>& numbers, const Context& context) {
    Sorter<0> sorter(points, scaling, numbers);
    const Range all{0, std::ssize(numbers), 0};
    std::vector<Range> tasks, large;
    (all.size() > kTaskRange ? large : tasks).push_back(all);
    while (!large.empty()) {
        std::vector<std::ptrdiff_t> middles(large.size());
        parallel_chunks(context, static_cast<std::int64_t>(large.size()), 1,
                        [&](const Chunk& chunk) { middles[chunk.number] = sorter.cut(large[chunk.number]); });
        std::vector<Range> halves;
        for (std::size_t i = 0; i < large.size(); ++i)
            for (const Range& half :
                 {Range{large[i].begin, middles[i], large[i].depth + 1}, Range{middles[i], large[i].end, large[i].depth + 1}})
                (half.size() > kTaskRange ? halves : tasks).push_back(half);
        large = std::move(halves);
    }
    sorter.copy_to(numbers);
    return tasks;
}

}  // namespace

void sort_spatially(const Points& points, const Scaling& scaling, std::vector<Index>& numbers, const Context& context) {
    const std::vector<Range> tasks = cut_into_tasks(points, scaling, numbers, context);
    parallel_chunks(context, std::ssize(tasks), 1, [&](const Chunk& chunk) {
        const auto& [begin, end, depth] = tasks[chunk.number];
        sort_range(points, scaling, std::span(numbers).subspan(begin, end - begin), depth);
    });
}

}  // namespace vnngp::neighbors
