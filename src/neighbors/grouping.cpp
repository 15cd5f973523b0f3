#include "vnngp/neighbors/grouping.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/linalg/lanes.hpp"
#include "vnngp/neighbors/numbering.hpp"

namespace vnngp::neighbors {
namespace {

constexpr std::int64_t kRowsPerBlock = 4096;  ///< consecutive in space, among which groups are formed
constexpr std::size_t kPasses = 4;            ///< nearest neighbours of a row whose groups it may join

struct Group {
    std::vector<Index> members, list;  ///< list: members and the neighbours of each, ascending
};

// Multiplications of a group with so many points and rows, twice over: rows are computed once for the linear system and once for the
// gradient. A factorisation; kernel values, slopes and their gradients; and for each row five walks over a triangle.
double work(std::size_t points, std::size_t rows) {
    constexpr double kernel_value = 25.0, triangles = 5.0;
    const auto size = static_cast<double>(points);
    return size * size * (size / 3.0 + kernel_value + triangles * static_cast<double>(rows));
}

// Two groups become one when that saves work, beginning with nearest neighbours: the greedy rule of Guinness (2018).
class Block {
public:
    Block(const NeighborGraph& graph, std::span<const Index> rows, std::int64_t first, std::span<const Index> place)
        : groups_(rows.size()), group_of_(rows.size()) {
        std::iota(group_of_.begin(), group_of_.end(), std::size_t{0});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto row = graph.row(rows[i]);
            groups_[i] = {{rows[i]}, {row.begin(), row.end()}};
            std::sort(groups_[i].list.begin(), groups_[i].list.end());
            groups_[i].list.push_back(rows[i]);  // after all that precede it
        }
        const auto is_here = [&](Index row) { return place[row] >= first && place[row] < first + std::ssize(rows); };
        for (std::size_t pass = 0; pass < kPasses; ++pass)
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const auto row = graph.row(rows[i]);
                if (pass < row.size() && is_here(row[pass])) try_to_merge(group_of_[i], group_of_[place[row[pass]] - first], first, place);
            }
    }

    std::vector<Group> taken() {
        std::erase_if(groups_, [](const Group& group) { return group.members.empty(); });
        for (Group& group : groups_) std::sort(group.members.begin(), group.members.end());
        return std::move(groups_);
    }

private:
    void try_to_merge(std::size_t a, std::size_t b, std::int64_t first, std::span<const Index> place) {
        if (a == b) return;
        if (groups_[a].members.size() < groups_[b].members.size()) std::swap(a, b);
        Group &into = groups_[a], &from = groups_[b];
        both_.clear();
        std::set_union(into.list.begin(), into.list.end(), from.list.begin(), from.list.end(), std::back_inserter(both_));
        if (work(both_.size(), into.members.size() + from.members.size()) >=
            work(into.list.size(), into.members.size()) + work(from.list.size(), from.members.size()))
            return;
        for (const Index member : from.members) group_of_[place[member] - first] = a;
        into.members.insert(into.members.end(), from.members.begin(), from.members.end());
        std::swap(into.list, both_);
        from = {};
    }

    std::vector<Group> groups_;
    std::vector<std::size_t> group_of_;
    std::vector<Index> both_;
};

/// Lists one after another, and the groups that have them. number(point): what it is called there.
class Collected {
public:
    explicit Collected(std::size_t num_rows) : parts_(num_rows) {}

    template <class Number, class Length>
    void add(std::span<const Index> members, std::span<const Index> neighbors_of_last, const Number& number, const Length& length) {
        const std::int64_t begin = std::ssize(lists_), first = std::ssize(rows_);
        for (const Index point : neighbors_of_last) lists_.push_back(number(point));
        for (const Index member : members) {
            parts_[number(member)] = {begin, length(member)};
            rows_.push_back(number(member));
        }
        groups_.push_back({linalg::padded_order(static_cast<int>(neighbors_of_last.size())), first, std::ssize(rows_)});
    }

    /// Lists stay in the order in which they were added, groups come in that of their sizes.
    GroupedGraph taken() {
        std::stable_sort(groups_.begin(), groups_.end(), [](const Added& a, const Added& b) { return a.size < b.size; });
        RowGroups groups{{}, {0}};
        groups.rows.reserve(rows_.size());
        for (const Added& group : groups_) {
            groups.rows.insert(groups.rows.end(), rows_.begin() + group.first, rows_.begin() + group.end);
            groups.begin.push_back(std::ssize(groups.rows));
        }
        return {{std::move(lists_), std::move(parts_)}, std::move(groups)};
    }

private:
    struct Added {
        int size;
        std::int64_t first, end;  // of rows_
    };
    std::vector<Index> lists_, rows_;
    std::vector<NeighborGraph::Part> parts_;
    std::vector<Added> groups_;
};

}  // namespace

GroupedGraph grouped(const NeighborGraph& predecessors, const Points& points, const Context& context) {
    const Index count = predecessors.num_rows();
    if (count == 0) return {};
    std::vector<Index> spatial(count);
    std::iota(spatial.begin(), spatial.end(), 0);
    sort_spatially(points, scaling_of(points), spatial, context);
    const std::vector<Index> place = inverse_order(spatial);

    std::vector<std::vector<Group>> blocks(num_chunks(count, kRowsPerBlock));
    parallel_chunks(context, count, kRowsPerBlock, [&](const Chunk& chunk) {
        const auto rows = std::span<const Index>(spatial).subspan(chunk.begin, chunk.end - chunk.begin);
        blocks[chunk.number] = Block(predecessors, rows, chunk.begin, place).taken();
    });

    Collected collected(count);
    for (auto& block : blocks) {
        context.check_stop();
        for (const auto& [members, list] : block)
            collected.add(
                members, std::span(list).first(list.size() - 1), [](Index point) { return point; },
                [&](Index member) { return static_cast<Index>(std::lower_bound(list.begin(), list.end(), member) - list.begin()); });
        block = {};
    }
    return collected.taken();
}

GroupedGraph renumbered(const GroupedGraph& grouped, std::span<const Index> order, const Context& context) {
    const auto& [graph, groups] = grouped;
    if (groups.empty()) return {renumbered(graph, order, context), {}};
    const std::vector<Index> number = inverse_order(order);
    std::vector<std::int64_t> by_place(groups.count());
    std::iota(by_place.begin(), by_place.end(), 0);
    const auto place = [&](std::int64_t g) { return number[groups.group(g).front()]; };
    std::sort(by_place.begin(), by_place.end(), [&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
    Collected collected(order.size());
    for (const std::int64_t g : by_place) {
        if (g % kRowsPerBlock == 0) context.check_stop();
        const auto members = groups.group(g);
        collected.add(
            members, graph.row(members.back()), [&](Index point) { return number[point]; },
            [&](Index member) { return static_cast<Index>(graph.row(member).size()); });
    }
    return collected.taken();
}

}  // namespace vnngp::neighbors
