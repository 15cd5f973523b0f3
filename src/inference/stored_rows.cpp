#include "inference/stored_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "vnngp/base/parallel.hpp"
#include "vnngp/linalg/dense.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kRowsPerChunk = 4096;
constexpr Index kScatterParts = 4;  ///< of rows that are not in regions: more partial sums would cost more memory traffic than they save
constexpr std::size_t kAtOnce = 4;  ///< neighbours of a row
/// Edges that are asked for ahead of those in use. Processors read ahead by themselves, but begin anew at every 4 KiB.
constexpr std::ptrdiff_t kEdgesAhead = 256;

constexpr auto kAsItIs = [](auto w) { return w; };
constexpr auto kSquared = [](auto w) { return w * w; };

/// Asks for the cache lines of `count` numbers, `ahead` places behind `at`. They may lie beyond the end of the rows: nothing is read.
template <class Number>
void ask_for(const Number* at, std::size_t count, std::ptrdiff_t ahead) {
    constexpr std::size_t kLine = 64;
    const auto first = reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(ahead) * sizeof(Number);
    for (std::size_t byte = 0; byte < count * sizeof(Number); byte += kLine)
        __builtin_prefetch(reinterpret_cast<const void*>(first + byte));
}

/// Two numbers in one register, which every processor has that this is compiled for.
using Two = double __attribute__((vector_size(16)));

Two load_two(const double* from) {
    Two two;
    std::memcpy(&two, from, sizeof(two));
    return two;
}

// sum_k weight(w[k]) x[n[k]], in four sums: a single one would wait for each addition. Not inlined, like the next: the loops around would
// take the registers that it needs.
template <class Weight>
[[gnu::noinline]] double dot(const Index* n, const double* w, std::size_t count, const double* x, Weight weight) {
    Two ab{}, cd{};
    std::size_t k = 0;
    for (; k + kAtOnce <= count; k += kAtOnce) {
        ab += weight(load_two(w + k)) * Two{x[n[k]], x[n[k + 1]]};
        cd += weight(load_two(w + k + 2)) * Two{x[n[k + 2]], x[n[k + 3]]};
    }
    ab += cd;
    double sum = ab[0] + ab[1];
    for (; k < count; ++k) sum += weight(w[k]) * x[n[k]];
    return sum;
}

// x[n[k]] += value weight(w[k]), the last neighbours first: who walks down the rows needs their values next. The neighbours of a row are
// different points, so that several are loaded before the first is stored: a load behind a store whose place is not known yet may have to
// wait for it.
template <class Weight>
[[gnu::noinline]] void add(const Index* n, const double* w, std::size_t count, double value, double* x, Weight weight) {
    std::size_t k = count;
    for (; k >= kAtOnce; k -= kAtOnce) {
        const double a = x[n[k - 1]] + value * weight(w[k - 1]), b = x[n[k - 2]] + value * weight(w[k - 2]);
        const double c = x[n[k - 3]] + value * weight(w[k - 3]), d = x[n[k - 4]] + value * weight(w[k - 4]);
        x[n[k - 1]] = a;
        x[n[k - 2]] = b;
        x[n[k - 3]] = c;
        x[n[k - 4]] = d;
    }
    for (; k > 0; --k) x[n[k - 1]] += value * weight(w[k - 1]);
}

template <class Weight>
double dot(const Links& links, const Vector& x, Weight weight) {
    return dot(links.neighbors, links.weights, links.count, x.data(), weight);
}

template <class Weight>
void add(const Links& links, double value, Vector& x, Weight weight) {
    add(links.neighbors, links.weights, links.count, value, x.data(), weight);
}

}  // namespace

StoredRows::StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods,
                       const std::vector<neighbors::Region>& regions, const neighbors::RowGroups& groups)
    : variance(neighborhoods.graph.num_rows()), graph_(&neighborhoods.graph), regions_(regions) {
    std::size_t edges = static_cast<std::size_t>(num_rows()) * graph_->stride();
    if (graph_->shares_lists()) {
        edges = 0;
        begin_.reserve(num_rows());
        for (Index i = 0; i < num_rows(); ++i) {
            begin_.push_back(edges);
            edges += graph_->row(i).size();
        }
    }
    weights_.reserve(edges);
    linalg::prefer_large_pages(weights_.data(), sizeof(double) * edges);
    weights_.resize(edges);
    if (regions_.empty()) regions_ = {{0, graph_->num_rows()}};
    std::vector<Index> all(num_rows());
    std::iota(all.begin(), all.end(), 0);
    const auto list = groups.empty() ? conditional::RowList(all) : conditional::RowList(groups.rows, groups.begin);
    jitter = conditional::visit_rows(context, covariance, neighborhoods, list, [this](const conditional::Row& row) {
        std::copy(row.weights.begin(), row.weights.end(), weights_.begin() + static_cast<std::ptrdiff_t>(first_weight(row.id)));
        variance[row.id] = row.variance;
    });
    list_crossings(context);
}

// Neighbours ascend, so that those in a region follow one another.
void StoredRows::list_crossings(const Context& context) {
    within_.resize(regions_.size());
    crossings_.assign(regions_.size(), std::vector<std::vector<Crossing>>(regions_.size()));
    visit_regions(context, [&](std::size_t number) {
        const neighbors::Region& region = regions_[number];
        for (const Index i : region.border) {
            const auto [n, w, count] = row(i);
            const Index* const first = std::lower_bound(n, n + count, region.begin);
            const Index* const last = std::lower_bound(first, n + count, region.end);
            within_[number].push_back({first, w + (first - n), static_cast<std::size_t>(last - first)});
            for (const Index* j = n; j != n + count; ++j) {
                if (region.holds(*j)) continue;
                const auto other = std::ranges::find_if(regions_, [&](const auto& any) { return any.holds(*j); });
                crossings_[number][other - regions_.begin()].push_back({i, *j, w[j - n]});
            }
        }
    });
}

inline Links StoredRows::row_and_ahead(Index i, std::ptrdiff_t ahead) const {
    const Links links = row(i);
    ask_for(links.neighbors, links.count, ahead);
    ask_for(links.weights, links.count, ahead);
    return links;
}

template <class Visit>
void StoredRows::walk_up(std::size_t region, const Visit& visit) const {
    const auto& [begin, end, border] = regions_[region];
    std::size_t next = 0;
    for (Index i = begin; i < end; ++i) {
        const Links whole = row_and_ahead(i, kEdgesAhead);
        const bool is_border = next < border.size() && border[next] == i;
        visit(i, is_border ? within_[region][next++] : whole);
    }
}

template <class Visit>
void StoredRows::walk_down(std::size_t region, const Visit& visit) const {
    const auto& [begin, end, border] = regions_[region];
    std::size_t left = border.size();
    for (Index i = end; i-- > begin;) {
        const Links whole = row_and_ahead(i, -kEdgesAhead);
        const bool is_border = left > 0 && border[left - 1] == i;
        visit(i, is_border ? within_[region][--left] : whole);
    }
}

template <class Visit>
void StoredRows::visit_regions(const Context& context, const Visit& visit) const {
    parallel_chunks(context, std::ssize(regions_), 1, [&](const Chunk& chunk) { visit(static_cast<std::size_t>(chunk.number)); });
}

template <class Visit>
void StoredRows::visit_crossings_into(std::size_t region, const Visit& visit) const {
    for (const auto& from : crossings_) std::ranges::for_each(from[region], visit);
}

template <class Weight>
Vector StoredRows::gathered(const Context& context, const Vector& x, Weight weight) const {
    Vector y(num_rows());
    parallel_chunks(context, num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i) y[i] = dot(row_and_ahead(i, kEdgesAhead), x, weight);
    });
    return y;
}

// Of several regions, each adds to its own points alone. Otherwise the rows are cut into parts, as many on any machine, which add to
// vectors of their own, and these are summed in order.
template <class Weight>
void StoredRows::scatter(const Context& context, const Vector& u, Vector& y, Weight weight) const {
    if (regions_.size() > 1) {
        visit_regions(context, [&](std::size_t region) {
            walk_up(region, [&](Index i, const Links& links) { add(links, u[i], y, weight); });
            visit_crossings_into(region, [&](const Crossing& edge) { y[edge.neighbor] += u[edge.row] * weight(edge.weight); });
        });
        return;
    }
    std::vector<Vector> parts(kScatterParts);
    parallel_chunks(context, kScatterParts, 1, [&](const Chunk& chunk) {
        Vector& part = parts[chunk.number] = Vector::Zero(y.size());
        const auto begin_of = [&](std::int64_t number) { return static_cast<Index>(num_rows() * number / kScatterParts); };
        for (Index i = begin_of(chunk.number); i < begin_of(chunk.number + 1); ++i) add(row_and_ahead(i, kEdgesAhead), u[i], part, weight);
    });
    for (const Vector& part : parts) y += part;
}

Vector StoredRows::multiply(const Context& context, const Vector& x) const { return gathered(context, x, kAsItIs); }
Vector StoredRows::multiply_squares(const Context& context, const Vector& x) const { return gathered(context, x, kSquared); }
void StoredRows::add_transposed(const Context& context, const Vector& u, Vector& y) const { scatter(context, u, y, kAsItIs); }
void StoredRows::add_transposed_squares(const Context& context, const Vector& u, Vector& y) const { scatter(context, u, y, kSquared); }

Vector StoredRows::multiply(const Context& context, const Factor& factor, const Vector& x) const {
    Vector y(num_rows());
    visit_regions(context, [&](std::size_t region) {
        walk_up(region,
                [&](Index i, const Links& links) { y[i] = (x[i] - factor.shrinkage[i] * dot(links, x, kAsItIs)) / factor.deviation[i]; });
    });
    return y;
}

void StoredRows::solve(const Context& context, const Factor& factor, const Vector& y, Vector& x, Vector* innovation) const {
    x.resize(y.size());
    visit_regions(context, [&](std::size_t region) {
        walk_up(region, [&](Index i, const Links& links) {
            const double mean = dot(links, x, kAsItIs);
            x[i] = factor.deviation[i] * y[i] + factor.shrinkage[i] * mean;
            if (innovation != nullptr) (*innovation)[i] = (x[i] - mean) / variance[i];
        });
    });
    if (innovation == nullptr) return;
    visit_regions(context, [&](std::size_t region) {
        for (const auto& into : crossings_[region])
            for (auto edge = into.begin(); edge != into.end();) {
                const Index i = edge->row;
                double mean = 0.0;
                for (; edge != into.end() && edge->row == i; ++edge) mean += edge->weight * x[edge->neighbor];
                (*innovation)[i] -= mean / variance[i];
            }
    });
}

void StoredRows::solve_transposed(const Context& context, const Factor& factor, Vector& x, const Vector* u) const {
    visit_regions(context, [&](std::size_t region) {
        if (u != nullptr) visit_crossings_into(region, [&](const Crossing& edge) { x[edge.neighbor] -= edge.weight * (*u)[edge.row]; });
        walk_down(region, [&](Index i, const Links& links) {
            const double value = factor.shrinkage[i] * x[i] - (u != nullptr ? (*u)[i] : 0.0);
            x[i] *= factor.deviation[i];
            add(links, value, x, kAsItIs);
        });
    });
}

Vector StoredRows::eliminated(const Context& context, Vector d) const {
    visit_regions(context, [&](std::size_t region) {
        walk_down(region, [&](Index i, const Links& links) {
            double squares = 0.0;
            for (std::size_t k = 0; k < links.count; ++k) squares += links.weights[k] * links.weights[k];
            if (squares <= 1.0) add(links, d[i] / (1.0 + d[i] * variance[i]), d, kSquared);
        });
    });
    return d;
}

}  // namespace vnngp::inference
