#include "inference/stored_rows.hpp"

#include <numeric>

#include "vnngp/base/parallel.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kRowsPerChunk = 4096;
constexpr Index kScatterParts = 4;  ///< partial sums of a transposed product: more would cost more memory traffic than they save

}  // namespace

StoredRows::StoredRows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods)
    : variance(neighborhoods.graph.num_rows()),
      graph_(&neighborhoods.graph),
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
            const auto n = graph_->row(i);
            const double* w = weights_.data() + static_cast<std::size_t>(i) * graph_->stride();
            double sum = 0.0;
            for (std::size_t k = 0; k < n.size(); ++k) sum += weight(w[k]) * x[n[k]];
            y[i] = sum;
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
            const double* w = weights_.data() + static_cast<std::size_t>(i) * graph_->stride();
            for (std::size_t k = 0; k < n.size(); ++k) part[n[k]] += weight(w[k]) * u[i];
        }
    });
    for (const Vector& part : parts) y += part;
}

Vector StoredRows::multiply(const Context& context, const Vector& x) const {
    return gathered(context, x, [](double w) { return w; });
}
Vector StoredRows::multiply_squares(const Context& context, const Vector& x) const {
    return gathered(context, x, [](double w) { return w * w; });
}
void StoredRows::add_transposed(const Context& context, const Vector& u, Vector& y) const {
    scattered(context, u, y, [](double w) { return w; });
}
void StoredRows::add_transposed_squares(const Context& context, const Vector& u, Vector& y) const {
    scattered(context, u, y, [](double w) { return w * w; });
}

void StoredRows::solve_unit_lower(const Vector& row_scale, Vector& x) const {
    for (Index i = 0; i < num_rows(); ++i) {
        const auto n = graph_->row(i);
        const double* w = weights_.data() + static_cast<std::size_t>(i) * graph_->stride();
        double sum = 0.0;
        for (std::size_t k = 0; k < n.size(); ++k) sum += w[k] * x[n[k]];
        x[i] += row_scale[i] * sum;
    }
}

void StoredRows::solve_unit_lower_transposed(const Vector& row_scale, Vector& x) const {
    for (Index i = num_rows(); i-- > 0;) {
        const auto n = graph_->row(i);
        const double* w = weights_.data() + static_cast<std::size_t>(i) * graph_->stride();
        const double value = row_scale[i] * x[i];
        for (std::size_t k = 0; k < n.size(); ++k) x[n[k]] += w[k] * value;
    }
}

Vector StoredRows::eliminated(Vector d) const {
    for (Index i = num_rows(); i-- > 0;) {
        const auto n = graph_->row(i);
        const double* w = weights_.data() + static_cast<std::size_t>(i) * graph_->stride();
        double squares = 0.0;
        for (std::size_t k = 0; k < n.size(); ++k) squares += w[k] * w[k];
        if (squares > 1.0) continue;
        const double left = d[i] / (1.0 + d[i] * variance[i]);
        for (std::size_t k = 0; k < n.size(); ++k) d[n[k]] += left * w[k] * w[k];
    }
    return d;
}

}  // namespace vnngp::inference
