#include "vnngp/inference/natural_step.hpp"

#include <algorithm>
#include <numeric>

#include "vnngp/linalg/pcg.hpp"

namespace vnngp::inference {
namespace {

/// Weights of all rows, [row][place among neighbours], and the conditional variances.
struct StoredRows {
    const neighbors::NeighborGraph& graph;
    std::vector<double> weights;
    Vector variance;

    std::span<const double> row(Index i) const {
        return std::span(weights).subspan(static_cast<std::size_t>(i) * graph.stride(), graph.row(i).size());
    }
    /// w_i . x
    double dot(Index i, const Vector& x) const {
        const auto n = graph.row(i);
        const auto w = row(i);
        double sum = 0.0;
        for (std::size_t k = 0; k < n.size(); ++k) sum += w[k] * x[n[k]];
        return sum;
    }
    /// y += factor w_i
    void add(Index i, double factor, Vector& y) const {
        const auto n = graph.row(i);
        const auto w = row(i);
        for (std::size_t k = 0; k < n.size(); ++k) y[n[k]] += factor * w[k];
    }
    /// y += factor w_i o w_i
    void add_squares(Index i, double factor, Vector& y) const {
        const auto n = graph.row(i);
        const auto w = row(i);
        for (std::size_t k = 0; k < n.size(); ++k) y[n[k]] += factor * w[k] * w[k];
    }
};

StoredRows stored_rows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods) {
    const Index count = neighborhoods.graph.num_rows();
    StoredRows stored{neighborhoods.graph, std::vector<double>(static_cast<std::size_t>(count) * neighborhoods.graph.stride()),
                      Vector(count)};
    std::vector<Index> all(count);
    std::iota(all.begin(), all.end(), 0);
    conditional::visit_rows(context, covariance, neighborhoods, all, [&](const conditional::Row& row) {
        std::copy(row.weights.begin(), row.weights.end(),
                  stored.weights.begin() + static_cast<std::ptrdiff_t>(row.id) * neighborhoods.graph.stride());
        stored.variance[row.id] = row.variance;
    });
    return stored;
}

/// The rows of A. At sites they are unit vectors and are not stored.
class DataRows {
public:
    DataRows(const Context& context, const conditional::Covariance& covariance, const Problem& problem)
        : problem_(problem),
          away_(problem.at_sites() ? StoredRows{problem.data_graph, {}, {}}
                                   : stored_rows(context, covariance, {problem.inducing, problem.inputs, problem.data_graph})) {}
    double dot(Index i, const Vector& x) const { return problem_.at_sites() ? x[problem_.sites[i]] : away_.dot(i, x); }
    void add(Index i, double factor, Vector& y) const {
        if (problem_.at_sites()) {
            y[problem_.sites[i]] += factor;
        } else {
            away_.add(i, factor, y);
        }
    }
    void add_squares(Index i, double factor, Vector& y) const {
        if (problem_.at_sites()) {
            y[problem_.sites[i]] += factor;
        } else {
            away_.add_squares(i, factor, y);
        }
    }
    /// q(f_i), Eq. K3, up to the prior mean.
    double variance(Index i, const Vector& s) const {
        if (problem_.at_sites()) return s[problem_.sites[i]];
        const auto n = problem_.data_graph.row(i);
        const auto a = away_.row(i);
        double sum = away_.variance[i];
        for (std::size_t k = 0; k < n.size(); ++k) sum += a[k] * a[k] * s[n[k]];
        return sum;
    }

private:
    const Problem& problem_;
    StoredRows away_;
};

}  // namespace

NaturalStep natural_step(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& q, double tolerance,
                         int max_iterations) {
    const conditional::Covariance cov = covariance(problem, hyper);
    const StoredRows prior = stored_rows(context, cov, {problem.inducing, problem.inducing, problem.prior_graph});
    const DataRows data(context, cov, problem);
    const Index num_inducing = problem.num_inducing(), num_observations = problem.num_observations();

    // The likelihood's slopes and curvatures under q(f_i).
    const Vector centered = q.mean.array() - hyper.mean;
    Vector mean(num_observations), variance(num_observations), slope(num_observations), site(num_observations);
    for (Index i = 0; i < num_observations; ++i) {
        mean[i] = hyper.mean + data.dot(i, centered);
        variance[i] = data.variance(i, q.variance);
    }
    const auto whole = [](auto& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
    problem.likelihood->expected_log_density(hyper.likelihood, whole(problem.targets), {whole(mean), whole(variance)},
                                             {.d_mean = whole(slope), .site_precision = whole(site)});
    Vector right = Vector::Zero(num_inducing), diagonal = Vector::Zero(num_inducing);
    for (Index i = 0; i < num_observations; ++i) {
        data.add(i, site[i] * (mean[i] - hyper.mean) + slope[i], right);
        data.add_squares(i, site[i], diagonal);
    }
    for (Index j = 0; j < num_inducing; ++j) {
        diagonal[j] += 1.0 / prior.variance[j];
        prior.add_squares(j, 1.0 / prior.variance[j], diagonal);
    }

    // x -> (I - B)' F^{-1} (I - B) x + A' Lambda A x
    const auto product = [&](const Vector& x) {
        context.check_stop();
        Vector y = Vector::Zero(num_inducing);
        for (Index j = 0; j < num_inducing; ++j) {
            const double scaled = (x[j] - prior.dot(j, x)) / prior.variance[j];
            y[j] += scaled;
            prior.add(j, -scaled, y);
        }
        for (Index i = 0; i < num_observations; ++i) data.add(i, site[i] * data.dot(i, x), y);
        return y;
    };
    const auto solved = linalg::conjugate_gradients(product, diagonal, right, tolerance, max_iterations);
    return {{solved.solution.array() + hyper.mean, diagonal.cwiseInverse()}, solved.iterations, solved.relative_residual};
}

}  // namespace vnngp::inference
