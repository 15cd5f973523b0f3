#include "inference/stored_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "vnngp/base/parallel.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kRowsPerChunk = 4096;
constexpr Index kScatterParts = 4;  ///< of rows that are not in ranges: more partial sums would cost more memory traffic than they save

// sum_k weight(w[k]) x[n[k]], in four sums: a single one would wait for each addition.
template <class Weight>
double dot(std::span<const Index> n, const double* w, const double* x, const Weight& weight) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    std::size_t k = 0;
    for (; k + 4 <= n.size(); k += 4) {
        a += weight(w[k]) * x[n[k]];
        b += weight(w[k + 1]) * x[n[k + 1]];
        c += weight(w[k + 2]) * x[n[k + 2]];
        d += weight(w[k + 3]) * x[n[k + 3]];
    }
    for (; k < n.size(); ++k) a += weight(w[k]) * x[n[k]];
    return (a + b) + (c + d);
}
constexpr auto kAsItIs = [](double w) { return w; };
constexpr auto kSquared = [](double w) { return w * w; };

constexpr std::size_t kAtOnce = 4;  ///< neighbours of a row that are added to

// at(n[k]) += value weight(w[k]) for the first kAtOnce k. The neighbours of a row are different points, so that all are loaded before the
// first is stored: a load behind a store whose place is not known yet may have to wait for it.
template <class At, class Weight>
[[gnu::always_inline]] inline void add_at_once(const At& at, const Index* n, const double* w, double value, const Weight& weight) {
    double &a = at(n[0]), &b = at(n[1]), &c = at(n[2]), &d = at(n[3]);
    const double new_a = a + value * weight(w[0]), new_b = b + value * weight(w[1]);
    const double new_c = c + value * weight(w[2]), new_d = d + value * weight(w[3]);
    a = new_a;
    b = new_b;
    c = new_c;
    d = new_d;
}

}  // namespace

/// What one thread adds to the points: to y itself, but to points below `shared`, to which other threads may add too, in a part of its own.
class StoredRows::Sums {
public:
    Sums(const StoredRows& rows, Vector& y, Index shared, Vector& part) : rows_(rows), to_{y.data(), part.data()}, shared_(shared) {}

    double& operator()(Index point) const { return to_[point < shared_][point]; }
    /// Adds value weight(w_k) to the neighbours k of a row.
    template <class Weight>
    void add_row(Index i, double value, const Weight& weight) const {
        const auto n = rows_.graph_->row(i);
        const double* const w = rows_.weights_.data() + rows_.first_weight(i);
        std::size_t k = 0;
        // Ascending unless lists are shared: behind the first that is not shared all are not.
        const Index limit = rows_.graph_->shares_lists() ? std::numeric_limits<Index>::max() : shared_;
        for (; k + kAtOnce <= n.size() && n[k] < limit; k += kAtOnce) add_at_once(*this, n.data() + k, w + k, value, weight);
        const auto own = [y = to_[0]](Index point) -> double& { return y[point]; };
        for (; k + kAtOnce <= n.size(); k += kAtOnce) add_at_once(own, n.data() + k, w + k, value, weight);
        for (; k < n.size(); ++k) (*this)(n[k]) += value * weight(w[k]);
    }

private:
    const StoredRows& rows_;
    std::array<double*, 2> to_;
    Index shared_;
};

StoredRows::StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods,
                       const neighbors::Schedule& schedule, const neighbors::RowGroups& groups)
    : variance(neighborhoods.graph.num_rows()), graph_(&neighborhoods.graph), schedule_(schedule) {
    std::size_t edges = static_cast<std::size_t>(num_rows()) * graph_->stride();
    if (graph_->shares_lists()) {
        edges = 0;
        begin_.reserve(num_rows());
        for (Index i = 0; i < num_rows(); ++i) {
            begin_.push_back(edges);
            edges += graph_->row(i).size();
        }
    }
    weights_.resize(edges);
    if (schedule_.stages.empty()) schedule_.stages = {{{0, graph_->num_rows()}}};
    std::vector<Index> all(num_rows());
    std::iota(all.begin(), all.end(), 0);
    const auto list = groups.empty() ? conditional::RowList(all) : conditional::RowList(groups.rows, groups.begin);
    jitter = conditional::visit_rows(context, covariance, neighborhoods, list, [this](const conditional::Row& row) {
        std::copy(row.weights.begin(), row.weights.end(), weights_.begin() + static_cast<std::ptrdiff_t>(first_weight(row.id)));
        variance[row.id] = row.variance;
    });
}

template <class Weight>
Vector StoredRows::gathered(const Context& context, const Vector& x, const Weight& weight) const {
    Vector y(num_rows());
    parallel_chunks(context, num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i) {
            y[i] = dot(graph_->row(i), weights(i).data(), x.data(), weight);
        }
    });
    return y;
}

// The rows are cut into parts, as many on any machine: a range of the last stage, and some of the rows before it. What a part adds to
// points of earlier stages goes to a vector of its own, and these are summed in order. No two parts add to the same point of the last
// stage.
template <class Visit>
void StoredRows::scatter(const Context& context, Vector& y, const Visit& visit) const {
    const auto& last = schedule_.stages.back();
    const bool has_ranges = last.size() > 1;
    const std::int64_t num_parts = has_ranges ? std::ssize(last) : kScatterParts;
    const std::int64_t before = has_ranges ? last.front().begin : num_rows();
    const auto shared = static_cast<Index>(has_ranges ? before : y.size());
    std::vector<Vector> parts(num_parts);
    parallel_chunks(context, num_parts, 1, [&](const Chunk& chunk) {
        const std::int64_t part = chunk.number;
        parts[part] = Vector::Zero(shared);
        const Sums sums(*this, y, shared, parts[part]);
        const auto visit_rows = [&](std::int64_t begin, std::int64_t end) {
            for (; begin < end; ++begin) visit(static_cast<Index>(begin), sums);
        };
        visit_rows(before * part / num_parts, before * (part + 1) / num_parts);
        if (has_ranges) visit_rows(last[part].begin, last[part].end);
    });
    for (const Vector& part : parts) y.head(shared) += part;
}

Vector StoredRows::multiply(const Context& context, const Vector& x) const { return gathered(context, x, kAsItIs); }
Vector StoredRows::multiply_squares(const Context& context, const Vector& x) const { return gathered(context, x, kSquared); }

void StoredRows::add_transposed(const Context& context, const Vector& u, Vector& y) const {
    scatter(context, y, [&](Index i, const Sums& sums) { sums.add_row(i, u[i], kAsItIs); });
}

void StoredRows::add_transposed_squares(const Context& context, const Vector& u, Vector& y) const {
    scatter(context, y, [&](Index i, const Sums& sums) { sums.add_row(i, u[i], kSquared); });
}

void StoredRows::solve_unit_lower(const Context& context, const Vector& row_scale, Vector& x, Vector* innovation) const {
    for (const auto& stage : schedule_.stages)
        parallel_chunks(context, std::ssize(stage), 1, [&](const Chunk& chunk) {
            const auto [begin, end] = stage[chunk.number];
            for (Index i = begin; i < end; ++i) {
                const double mean = dot(graph_->row(i), weights(i).data(), x.data(), kAsItIs);
                x[i] += row_scale[i] * mean;
                if (innovation != nullptr) (*innovation)[i] = (x[i] - mean) / variance[i];
            }
        });
}

// Ranges add to earlier stages in vectors of their own, which a row sums up when its turn comes; to their own rows in x itself.
template <class Visit>
void StoredRows::visit_backward(const Context& context, Vector& x, const Visit& visit) const {
    std::vector<Vector> parts(schedule_.stages.back().size());
    const Index shared = schedule_.stages.back().front().begin;
    for (Vector& part : parts) part = Vector::Zero(shared);
    for (auto stage = schedule_.stages.rbegin(); stage != schedule_.stages.rend(); ++stage)
        parallel_chunks(context, std::ssize(*stage), 1, [&](const Chunk& chunk) {
            const auto [begin, end] = (*stage)[chunk.number];
            const Sums sums(*this, x, begin, parts[chunk.number]);
            for (Index i = end; i-- > begin;) {
                if (i < shared)
                    for (const Vector& part : parts) x[i] += part[i];
                visit(i, x[i], sums);
            }
        });
}

void StoredRows::solve_unit_lower_transposed(const Context& context, const Vector& row_scale, Vector& x, const Vector* u) const {
    visit_backward(context, x, [&](Index i, double x_i, const Sums& sums) {
        sums.add_row(i, row_scale[i] * x_i - (u != nullptr ? (*u)[i] : 0.0), kAsItIs);
    });
}

Vector StoredRows::eliminated(const Context& context, Vector d) const {
    visit_backward(context, d, [&](Index i, double d_i, const Sums& sums) {
        double squares = 0.0;
        for (const double weight : weights(i)) squares += weight * weight;
        if (squares <= 1.0) sums.add_row(i, d_i / (1.0 + d_i * variance[i]), kSquared);
    });
    return d;
}

}  // namespace vnngp::inference
