#include "inference/stored_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "vnngp/base/parallel.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kRowsPerChunk = 4096;
constexpr Index kScatterParts = 4;  ///< partial sums of a transposed product: more would cost more memory traffic than they save
constexpr Index kFewRows = 1024;    ///< a run shorter than this is not worth calling other threads for

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

// Numbered by neighbors::cache_order() there are some dozens of runs; in any other order they are short, and the rows are visited one after
// another.
std::vector<Index> independent_runs(const neighbors::NeighborGraph& graph) {
    std::vector<Index> runs{0};
    for (Index i = 0; i < graph.num_rows(); ++i) {
        const auto n = graph.row(i);
        if (std::any_of(n.begin(), n.end(), [&](Index j) { return j >= runs.back() && j < i; })) runs.push_back(i);
    }
    runs.push_back(graph.num_rows());
    return runs;
}

}  // namespace

StoredRows::StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods)
    : variance(neighborhoods.graph.num_rows()),
      graph_(&neighborhoods.graph),
      runs_(independent_runs(neighborhoods.graph)),
      weights_(static_cast<std::size_t>(neighborhoods.graph.num_rows()) * neighborhoods.graph.stride()) {
    std::vector<Index> all(num_rows());
    std::iota(all.begin(), all.end(), 0);
    jitter = conditional::visit_rows(context, covariance, neighborhoods, all, [this](const conditional::Row& row) {
        std::copy(row.weights.begin(), row.weights.end(), weights_.begin() + static_cast<std::ptrdiff_t>(row.id) * graph_->stride());
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

// Each part of the rows adds to a vector of its own; the parts do not depend on the number of threads, nor does the order of their sum.
template <class Weight>
void StoredRows::scattered(const Context& context, const Vector& u, Vector& y, const Weight& weight) const {
    const std::int64_t part_rows = std::max<std::int64_t>(kRowsPerChunk, num_chunks(num_rows(), kScatterParts));
    std::vector<Vector> parts(num_chunks(num_rows(), part_rows));
    parallel_chunks(context, num_rows(), part_rows, [&](const Chunk& chunk) {
        Vector& part = parts[chunk.number];
        part = Vector::Zero(y.size());
        for (auto i = static_cast<Index>(chunk.begin); i < chunk.end; ++i) {
            const auto n = graph_->row(i);
            const auto w = weights(i);
            for (std::size_t k = 0; k < n.size(); ++k) part[n[k]] += weight(w[k]) * u[i];
        }
    });
    for (const Vector& part : parts) y += part;
}

Vector StoredRows::multiply(const Context& context, const Vector& x) const { return gathered(context, x, kAsItIs); }
Vector StoredRows::multiply_squares(const Context& context, const Vector& x) const { return gathered(context, x, kSquared); }
void StoredRows::add_transposed(const Context& context, const Vector& u, Vector& y) const { scattered(context, u, y, kAsItIs); }
void StoredRows::add_transposed_squares(const Context& context, const Vector& u, Vector& y) const { scattered(context, u, y, kSquared); }

void StoredRows::solve_unit_lower(const Context& context, const Vector& row_scale, Vector& x) const {
    const auto solve = [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<Index>(begin); i < end; ++i) {
            x[i] += row_scale[i] * dot(graph_->row(i), weights(i).data(), x.data(), kAsItIs);
        }
    };
    for (std::size_t run = 0; run + 1 < runs_.size(); ++run) {
        const Index begin = runs_[run], count = runs_[run + 1] - begin;
        if (count < kFewRows)
            solve(begin, begin + count);
        else
            parallel_chunks(context, count, kFewRows / 2, [&](const Chunk& chunk) { solve(begin + chunk.begin, begin + chunk.end); });
    }
}

// A long run is cut into parts, as many on any machine; each part adds to a vector of its own, and a row sums them up when its turn comes.
template <class Visit>
void StoredRows::visit_backward(const Context& context, Vector& x, const Visit& visit) const {
    std::array<Vector, kScatterParts> parts;
    for (Index part = 1; part < kScatterParts; ++part) parts[part] = Vector::Zero(x.size());
    const auto visit_rows = [&](std::int64_t begin, std::int64_t end, double* to) {
        for (auto i = static_cast<Index>(end); i-- > begin;) {
            for (Index part = 1; part < kScatterParts; ++part) x[i] += parts[part][i];
            visit(i, x[i], [to](Index n, double value) { to[n] += value; });
        }
    };
    for (std::size_t run = runs_.size() - 1; run-- > 0;) {
        const Index begin = runs_[run], count = runs_[run + 1] - begin;
        if (count < kFewRows) {
            visit_rows(begin, begin + count, x.data());
            continue;
        }
        parallel_chunks(context, count, num_chunks(count, kScatterParts), [&](const Chunk& chunk) {
            visit_rows(begin + chunk.begin, begin + chunk.end, chunk.number == 0 ? x.data() : parts[chunk.number].data());
        });
    }
}

void StoredRows::solve_unit_lower_transposed(const Context& context, const Vector& row_scale, Vector& x) const {
    visit_backward(context, x, [&](Index i, double x_i, const auto& add) {
        const auto n = graph_->row(i);
        const auto w = weights(i);
        const double value = row_scale[i] * x_i;
        for (std::size_t k = 0; k < n.size(); ++k) add(n[k], w[k] * value);
    });
}

Vector StoredRows::eliminated(const Context& context, Vector d) const {
    visit_backward(context, d, [&](Index i, double d_i, const auto& add) {
        const auto n = graph_->row(i);
        const auto w = weights(i);
        double squares = 0.0;
        for (const double weight : w) squares += weight * weight;
        if (squares > 1.0) return;
        const double left = d_i / (1.0 + d_i * variance[i]);
        for (std::size_t k = 0; k < n.size(); ++k) add(n[k], left * w[k] * w[k]);
    });
    return d;
}

}  // namespace vnngp::inference
