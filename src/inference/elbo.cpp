#include "vnngp/inference/elbo.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vnngp/base/parallel.hpp"

namespace vnngp::inference {
namespace {

using conditional::Row;
using conditional::RowAdjoint;

// Rows are visited in slabs: each row leaves its contributions in its own place, and one loop in row order adds them up. That loop is the
// only reduction over points, so the result does not depend on which thread computed a row.
constexpr std::size_t kSlab = 4096;

constexpr std::int64_t kObservationsPerChunk = 512;

// What a slab's rows, so many at most, leave behind. Per row `stride + 1` places: its neighbours, then (last) the point itself where it is
// an inducing point.
struct Slab {
    Slab(std::size_t rows, const Problem& problem, Index stride_of_graph, const ElboGradient* gradient)
        : stride(static_cast<std::size_t>(stride_of_graph) + 1),
          dims(problem.inducing.cols()),
          parameters(problem.likelihood->parameters().size()),
          mean_columns(problem.mean_columns),
          with_posterior(gradient != nullptr && gradient->with_posterior()),
          value(rows) {
        if (gradient == nullptr) return;
        on_prior_mean.resize(rows * mean_coefficients());
        on_likelihood.resize(rows * parameters);
        if (with_posterior) {
            on_mean.resize(rows * stride);
            on_variance.resize(rows * stride);
        }
        if (gradient->with_locations()) on_location.resize(rows * stride * dims);
    }

    /// The prior mean is a constant and slopes.
    std::size_t mean_coefficients() const { return 1 + mean_columns.size(); }
    /// Adds to the slopes of a row's place; the constant is summed by the caller, in a register: places of other threads are near.
    void add_to_slopes(std::int64_t place, double value_there, const double* x) {
        double* to = on_prior_mean.data() + place * static_cast<std::int64_t>(mean_coefficients());
        for (std::size_t c = 0; c < mean_columns.size(); ++c) to[1 + c] += value_there * x[mean_columns[c]];
    }
    void set_constant(std::int64_t place, double value_there) {
        on_prior_mean[static_cast<std::size_t>(place) * mean_coefficients()] = value_there;
    }
    void clear_slopes(std::int64_t place) {
        std::fill_n(on_prior_mean.begin() + place * static_cast<std::int64_t>(mean_coefficients()) + 1, mean_columns.size(), 0.0);
    }
    void set_posterior(std::int64_t row, std::size_t place, double d_mean, double d_variance) {
        on_mean[static_cast<std::size_t>(row) * stride + place] = d_mean;
        on_variance[static_cast<std::size_t>(row) * stride + place] = d_variance;
    }

    std::size_t stride, dims, parameters;
    std::span<const Index> mean_columns;
    bool with_posterior;
    std::vector<double> value, on_mean, on_variance, on_prior_mean, on_likelihood, on_location;
};

// Eq. E2 and G1: inducing point j's term of -KL, times weight. centered(j) = m_j - mu_j.
template <class Centered>
double prior_term(const Row& row, const Problem& problem, const MeanField& q, const Centered& centered, double weight, Slab* slab,
                  RowAdjoint* adjoint) {
    const Index j = row.id;
    double r = centered(j), t = q.variance[j];
    for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
        const double b = row.weights[k];
        r -= b * centered(row.neighbors[k]);
        t += b * b * q.variance[row.neighbors[k]];
    }
    t += r * r;
    const double f = row.variance;
    const double value = -0.5 * weight * (std::log(f) - std::log(q.variance[j]) - 1.0 + t / f);
    if (adjoint == nullptr) return value;

    adjoint->variance = -0.5 * weight * (1.0 / f - t / (f * f));
    const double pull = weight * r / f;  // m enters every term as m - mu
    double on_constant = 0.0;
    slab->clear_slopes(row.position);
    const auto add_to_prior_mean = [&](double value_there, const double* x) {
        on_constant += value_there;
        slab->add_to_slopes(row.position, value_there, x);
    };
    for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
        const Index n = row.neighbors[k];
        const double b = row.weights[k];
        adjoint->weights[k] = -weight / f * b * q.variance[n] + pull * centered(n);
        add_to_prior_mean(-pull * b, problem.inducing.row(n).data());
        if (slab->with_posterior) slab->set_posterior(row.position, k, pull * b, -0.5 * weight * b * b / f);
    }
    add_to_prior_mean(pull, problem.inducing.row(j).data());
    slab->set_constant(row.position, on_constant);
    if (slab->with_posterior) slab->set_posterior(row.position, slab->stride - 1, -pull, -0.5 * weight * (1.0 / f - 1.0 / q.variance[j]));
    return value;
}

// Eq. K3 and G2: the expected log density of an observation away from the inducing points, times weight.
template <class Centered>
double data_term(const Row& row, const Problem& problem, const Hyperparameters& hyper, const MeanField& q, const Centered& centered,
                 double weight, Slab* slab, RowAdjoint* adjoint) {
    double mean = prior_mean(hyper, problem.mean_columns, problem.inputs.row(row.id).data()), variance = row.variance;
    for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
        const double a = row.weights[k];
        mean += a * centered(row.neighbors[k]);
        variance += a * a * q.variance[row.neighbors[k]];
    }
    const double y = problem.targets[row.id];
    double ell = 0.0, d_mean = 0.0, d_variance = 0.0;
    const likelihood::LatentMarginals marginals{{&mean, 1}, {&variance, 1}};
    if (adjoint == nullptr) {
        problem.likelihood->expected_log_density(hyper.likelihood, {&y, 1}, marginals, {.value = {&ell, 1}});
        return weight * ell;
    }
    const auto place = static_cast<std::size_t>(row.position);
    const std::span on_likelihood = std::span(slab->on_likelihood).subspan(place * slab->parameters, slab->parameters);
    problem.likelihood->expected_log_density(
        hyper.likelihood, {&y, 1}, marginals,
        {.value = {&ell, 1}, .d_mean = {&d_mean, 1}, .d_variance = {&d_variance, 1}, .d_log_parameters = on_likelihood});
    for (double& value : on_likelihood) value *= weight;
    adjoint->variance = weight * d_variance;
    double on_constant = 0.0;
    slab->clear_slopes(row.position);
    const auto add_to_prior_mean = [&](double value_there, const double* x) {
        on_constant += value_there;
        slab->add_to_slopes(row.position, value_there, x);
    };
    for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
        const Index n = row.neighbors[k];
        const double a = row.weights[k];
        adjoint->weights[k] = weight * (d_mean * centered(n) + 2.0 * d_variance * a * q.variance[n]);
        add_to_prior_mean(-weight * d_mean * a, problem.inducing.row(n).data());
        if (slab->with_posterior) slab->set_posterior(row.position, k, weight * d_mean * a, weight * d_variance * a * a);
    }
    add_to_prior_mean(weight * d_mean, problem.inputs.row(row.id).data());
    slab->set_constant(row.position, on_constant);
    return weight * ell;
}

// The one reduction over points: contributions of the rows of a slab, in row order. Derivatives in m and in s are added up by two threads.
void scatter(const Context& context, const Problem& problem, const Hyperparameters& hyper, const Slab& slab,
             const neighbors::NeighborGraph& graph, std::span<const Index> rows, bool self_is_inducing, ElboGradient& gradient) {
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const double* on_prior_mean = slab.on_prior_mean.data() + place * slab.mean_coefficients();
        gradient.prior_mean += on_prior_mean[0];
        for (std::size_t c = 0; c < problem.mean_columns.size(); ++c) gradient.prior_slopes[c] += on_prior_mean[1 + c];
        if (self_is_inducing) continue;
        for (std::size_t p = 0; p < slab.parameters; ++p)
            gradient.log_likelihood_parameters[p] += slab.on_likelihood[place * slab.parameters + p];
    }
    if (!gradient.with_posterior()) return;

    const auto add_all = [&](const auto& add_to) {
        for (std::size_t place = 0; place < rows.size(); ++place) {
            const auto neighbors = graph.row(rows[place]);
            for (std::size_t k = 0; k < neighbors.size(); ++k) add_to(neighbors[k], place * slab.stride + k);
            if (self_is_inducing) add_to(rows[place], place * slab.stride + slab.stride - 1);
        }
    };
    parallel_chunks(context, 2, 1, [&](const Chunk& chunk) {
        if (chunk.number == 0)
            add_all([&](Index j, std::size_t at) { gradient.mean[j] += slab.on_mean[at]; });
        else
            add_all([&](Index j, std::size_t at) { gradient.variance[j] += slab.on_variance[at]; });
    });
    if (!gradient.with_locations()) return;
    add_all([&](Index j, std::size_t at) {
        for (std::size_t d = 0; d < slab.dims; ++d) gradient.locations(j, d) += slab.on_location[at * slab.dims + d];
        for (std::size_t c = 0; c < problem.mean_columns.size(); ++c)
            gradient.locations(j, problem.mean_columns[c]) -= slab.on_mean[at] * hyper.slopes[c];
    });
}

// The list in slabs of kSlab rows, or a little less where they would divide a group.
std::vector<conditional::RowList> slabs_of(const conditional::RowList& list) {
    std::vector<conditional::RowList> slabs;
    if (list.groups.empty()) {
        for (std::size_t begin = 0; begin < list.rows.size(); begin += kSlab)
            slabs.emplace_back(list.rows.subspan(begin, std::min(kSlab, list.rows.size() - begin)));
        return slabs;
    }
    const auto rows_before = [&](std::size_t group) { return static_cast<std::size_t>(list.groups[group] - list.groups.front()); };
    for (std::size_t first = 0, last = list.groups.size() - 1; first < last;) {
        std::size_t end = first + 1;
        while (end < last && rows_before(end + 1) - rows_before(first) <= kSlab) ++end;
        slabs.emplace_back(list.rows.subspan(rows_before(first), rows_before(end) - rows_before(first)),
                           list.groups.subspan(first, end - first + 1));
        first = end;
    }
    return slabs;
}

// Sums term(row, slab, adjoint) over rows, slab by slab.
template <class Term>
double sum_over_rows(const Context& context, const conditional::Covariance& covariance, const conditional::Neighborhoods& neighborhoods,
                     const conditional::RowList& list, bool self_is_inducing, const Problem& problem, const Hyperparameters& hyper,
                     ElboGradient* gradient, conditional::JitterReport* jitter, const Term& term) {
    double total = 0.0;
    const auto slabs = slabs_of(list);
    std::size_t most = 0;
    for (const auto& part : slabs) most = std::max(most, part.rows.size());
    Slab slab(most, problem, neighborhoods.graph.stride(), gradient);
    for (const auto& part : slabs) {
        conditional::JitterReport raised;
        if (gradient == nullptr) {
            raised = conditional::visit_rows(context, covariance, neighborhoods, part,
                                             [&](const Row& row) { slab.value[row.position] = term(row, nullptr, nullptr); });
        } else {
            const std::span on_location =
                std::span(slab.on_location).first(gradient->with_locations() ? part.rows.size() * slab.stride * slab.dims : 0);
            const auto result = conditional::visit_rows_with_adjoint(
                context, covariance, neighborhoods, part,
                [&](const Row& row, RowAdjoint& adjoint) { slab.value[row.position] = term(row, &slab, &adjoint); }, on_location);
            raised = result.jitter;
            gradient->covariance += result.gradient;
            scatter(context, problem, hyper, slab, neighborhoods.graph, part.rows, self_is_inducing, *gradient);
        }
        if (jitter != nullptr) jitter->merge(raised);
        total += std::accumulate(slab.value.begin(), slab.value.begin() + static_cast<std::ptrdiff_t>(part.rows.size()), 0.0);
    }
    return total;
}

// Observations at inducing points: q(f_i) = q(u_site), no solve.
double sum_at_sites(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& q,
                    const Minibatch& batch, ElboGradient* gradient) {
    const auto count = static_cast<std::int64_t>(batch.observations.size());
    const std::int64_t chunks = num_chunks(count, kObservationsPerChunk);
    const std::size_t parameters = hyper.likelihood.size();
    std::vector<double> d_mean(gradient == nullptr ? 0 : count), d_variance(d_mean.size());
    std::vector<double> sums(chunks * (1 + parameters));  // per chunk: the value, then the derivatives in the parameters
    parallel_chunks(context, count, kObservationsPerChunk, [&](const Chunk& chunk) {
        const auto begin = static_cast<std::size_t>(chunk.begin), n = static_cast<std::size_t>(chunk.end - chunk.begin);
        std::vector<double> y(n), mean(n), variance(n), ell(n), d_parameters(n * parameters);
        for (std::size_t i = 0; i < n; ++i) {
            const Index observation = batch.observations[begin + i], site = problem.sites[observation];
            y[i] = problem.targets[observation];
            mean[i] = q.mean[site];
            variance[i] = q.variance[site];
        }
        likelihood::ExpectedLogDensity outputs{.value = ell};
        if (gradient != nullptr) {
            outputs.d_mean = std::span(d_mean).subspan(begin, n);
            outputs.d_variance = std::span(d_variance).subspan(begin, n);
            outputs.d_log_parameters = d_parameters;
        }
        problem.likelihood->expected_log_density(hyper.likelihood, y, {mean, variance}, outputs);
        double* sum = sums.data() + chunk.number * (1 + parameters);
        sum[0] = std::accumulate(ell.begin(), ell.end(), 0.0);
        for (std::size_t p = 0; p < parameters; ++p)
            sum[1 + p] = std::accumulate(d_parameters.begin() + p * n, d_parameters.begin() + (p + 1) * n, 0.0);
    });
    double total = 0.0;
    for (std::int64_t c = 0; c < chunks; ++c) {
        total += batch.observation_weight * sums[c * (1 + parameters)];
        if (gradient == nullptr) continue;
        for (std::size_t p = 0; p < parameters; ++p)
            gradient->log_likelihood_parameters[p] += batch.observation_weight * sums[c * (1 + parameters) + 1 + p];
    }
    if (gradient == nullptr || !gradient->with_posterior()) return total;
    for (std::int64_t i = 0; i < count; ++i) {
        const Index site = problem.sites[batch.observations[i]];
        gradient->mean[site] += batch.observation_weight * d_mean[i];
        gradient->variance[site] += batch.observation_weight * d_variance[i];
    }
    return total;
}

}  // namespace

Vector prior_means(const Problem& problem, const Hyperparameters& hyper, const Points& points) {
    Vector means(points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i) means[i] = prior_mean(hyper, problem.mean_columns, points.row(i).data());
    return means;
}

Minibatch minibatch(const Problem& problem, std::span<const Index> observations, std::span<const Index> inducing) {
    return {observations, inducing,
            observations.empty() ? 0.0 : static_cast<double>(problem.num_observations()) / static_cast<double>(observations.size()),
            inducing.empty() ? 0.0 : static_cast<double>(problem.num_inducing()) / static_cast<double>(inducing.size())};
}

ElboGradient::ElboGradient(const Problem& problem, bool with_locations, bool with_posterior)
    : mean(Vector::Zero(with_posterior ? problem.num_inducing() : 0)),
      variance(Vector::Zero(mean.size())),
      locations(with_locations ? Points::Zero(problem.inducing.rows(), problem.inducing.cols()) : Points()),
      prior_slopes(problem.mean_columns.size(), 0.0),
      touched_(mean.size() + 1),
      is_touched_(mean.size(), 0) {
    covariance.log_shape.assign(problem.kernel->num_parameters(), 0.0);
    log_likelihood_parameters.assign(problem.likelihood->parameters().size(), 0.0);
}

void ElboGradient::clear() {
    for (const Index j : touched()) {
        mean[j] = variance[j] = 0.0;
        if (with_locations()) locations.row(j).setZero();
        is_touched_[j] = 0;
    }
    num_touched_ = 0;
    covariance = {std::vector<double>(covariance.log_shape.size(), 0.0), 0.0, 0.0};
    prior_mean = 0.0;
    std::fill(prior_slopes.begin(), prior_slopes.end(), 0.0);
    std::fill(log_likelihood_parameters.begin(), log_likelihood_parameters.end(), 0.0);
}

void touch_terms(const Problem& problem, const Minibatch& batch, ElboGradient& gradient) {
    if (!gradient.with_posterior()) return;
    for (const Index j : batch.inducing) {
        gradient.touch(j);
        for (const Index k : problem.prior_graph.row(j)) gradient.touch(k);
    }
    for (const Index i : batch.observations) {
        if (problem.at_sites()) {
            gradient.touch(problem.sites[i]);
        } else {
            for (const Index k : problem.data_graph.row(i)) gradient.touch(k);
        }
    }
}

double elbo(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior,
            const Minibatch& batch, ElboGradient* gradient, conditional::JitterReport* jitter) {
    const conditional::Covariance cov = covariance(problem, hyper);

    const auto centered = [&](Index j) {
        return posterior.mean[j] - prior_mean(hyper, problem.mean_columns, problem.inducing.row(j).data());
    };

    const conditional::Neighborhoods prior{problem.inducing, problem.inducing, problem.prior_graph};
    const double minus_kl = sum_over_rows(context, cov, prior, {batch.inducing, batch.inducing_groups}, true, problem, hyper, gradient,
                                          jitter, [&](const Row& row, Slab* slab, RowAdjoint* adjoint) {
                                              return prior_term(row, problem, posterior, centered, batch.inducing_weight, slab, adjoint);
                                          });
    if (problem.at_sites()) return minus_kl + sum_at_sites(context, problem, hyper, posterior, batch, gradient);

    const conditional::Neighborhoods data{problem.inducing, problem.inputs, problem.data_graph};
    return minus_kl + sum_over_rows(context, cov, data, {batch.observations}, false, problem, hyper, gradient, jitter,
                                    [&](const Row& row, Slab* slab, RowAdjoint* adjoint) {
                                        return data_term(row, problem, hyper, posterior, centered, batch.observation_weight, slab, adjoint);
                                    });
}

double full_elbo(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior,
                 ElboGradient* gradient, conditional::JitterReport* jitter) {
    std::vector<Index> observations(problem.num_observations()), inducing(problem.num_inducing());
    std::iota(observations.begin(), observations.end(), 0);
    std::iota(inducing.begin(), inducing.end(), 0);
    Minibatch all = minibatch(problem, observations, inducing);
    if (!problem.prior_groups.empty()) {
        all.inducing = problem.prior_groups.rows;
        all.inducing_groups = problem.prior_groups.begin;
    }
    if (gradient != nullptr) touch_terms(problem, all, *gradient);
    return elbo(context, problem, hyper, posterior, all, gradient, jitter);
}

}  // namespace vnngp::inference
