#include "vnngp/inference/response.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "vnngp/optim/quasi_newton.hpp"

namespace vnngp::inference {
namespace {

/// Derivatives of each term in the coefficients of the prior mean: [term][constant, slopes].
struct MeanDerivatives {
    MeanDerivatives(std::size_t terms, std::size_t slopes) : stride(1 + slopes), values(terms * stride, 0.0) {}
    void add(std::int64_t term, double factor, std::span<const Index> columns, const double* x) {
        double* at = values.data() + static_cast<std::size_t>(term) * stride;
        at[0] += factor;
        for (std::size_t c = 0; c < columns.size(); ++c) at[1 + c] += factor * x[columns[c]];
    }
    std::size_t stride;
    std::vector<double> values;
};

}  // namespace

ResponseTerms all_response_terms(const Problem& problem) {
    ResponseTerms terms{std::vector<Index>(problem.num_inducing()), problem.inducing, problem.prior_graph, problem.prior_groups};
    std::iota(terms.points.begin(), terms.points.end(), 0);
    return terms;
}

double response_log_likelihood(const Context& context, const Problem& problem, const Hyperparameters& hyper, const Vector& values,
                               const ResponseTerms& terms, ElboGradient* gradient, conditional::JitterReport* jitter) {
    const Vector centered = values - prior_means(problem, hyper, problem.inducing);
    std::vector<Index> rows(terms.points.size());
    std::iota(rows.begin(), rows.end(), 0);
    const auto list = terms.groups.empty() ? conditional::RowList(rows) : conditional::RowList(terms.groups.rows, terms.groups.begin);
    std::vector<double> value(rows.size());
    const conditional::Neighborhoods neighborhoods{problem.inducing, terms.locations, terms.graph};
    const conditional::Covariance cov = covariance(problem, hyper);

    const auto residual = [&](const conditional::Row& row) {
        double r = centered[terms.points[row.id]];
        for (std::size_t k = 0; k < row.neighbors.size(); ++k) r -= row.weights[k] * centered[row.neighbors[k]];
        return r;
    };
    const auto log_density = [](double r, double f) { return -0.5 * (std::log(2.0 * std::numbers::pi * f) + r * r / f); };
    conditional::JitterReport raised;
    if (gradient == nullptr) {
        raised = conditional::visit_rows(context, cov, neighborhoods, list, [&](const conditional::Row& row) {
            value[row.position] = log_density(residual(row), row.variance);
        });
    } else {
        MeanDerivatives on_mean(rows.size(), problem.mean_columns.size());
        const auto result = conditional::visit_rows_with_adjoint(
            context, cov, neighborhoods, list, [&](const conditional::Row& row, conditional::RowAdjoint& adjoint) {
                const double r = residual(row), f = row.variance;
                value[row.position] = log_density(r, f);
                adjoint.variance = -0.5 * (1.0 / f - r * r / (f * f));
                on_mean.add(row.position, r / f, problem.mean_columns, terms.locations.row(row.id).data());
                for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
                    const Index n = row.neighbors[k];
                    adjoint.weights[k] = r / f * centered[n];
                    on_mean.add(row.position, -r / f * row.weights[k], problem.mean_columns, problem.inducing.row(n).data());
                }
            });
        raised = result.jitter;
        gradient->covariance += result.gradient;
        for (std::size_t term = 0; term < rows.size(); ++term) {
            gradient->prior_mean += on_mean.values[term * on_mean.stride];
            for (std::size_t c = 0; c + 1 < on_mean.stride; ++c) gradient->prior_slopes[c] += on_mean.values[term * on_mean.stride + 1 + c];
        }
    }
    if (jitter != nullptr) jitter->merge(raised);
    return std::accumulate(value.begin(), value.end(), 0.0);
}

ResponseResult maximize_response(const Context& context, const Problem& problem, const Hyperparameters& start, const Vector& values,
                                 const ResponseTerms& terms, const ResponseOptions& options) {
    const ParameterVector layout(problem, {.nugget = true, .mean = options.learn_mean, .smallest_nugget = options.smallest_nugget});
    const double per_term = 1.0 / static_cast<double>(terms.points.size());
    ResponseResult result;
    const optim::SmoothFunction minus_likelihood = [&](std::span<const double> raw, std::span<double> gradient) {
        Hyperparameters hyper = start;
        layout.assign(raw, hyper);
        ElboGradient derivatives(problem, false, false);
        const double value = per_term * response_log_likelihood(context, problem, hyper, values, terms, &derivatives);
        const auto raw_gradient = layout.gradient(derivatives);
        for (std::size_t p = 0; p < raw_gradient.size(); ++p) gradient[p] = -per_term * raw_gradient[p];
        result.trace.push_back(value);
        context.report({"train", static_cast<std::int64_t>(result.trace.size()), options.max_evaluations,
                        fmt::format("log likelihood/point {:.4f}", value)});
        return -value;
    };
    const auto box = layout.box_around(layout.raw(start), options.largest_factor);
    const auto found = optim::minimize(minus_likelihood, layout.raw(start), box.lower, box.upper,
                                       {.tolerance = options.tolerance, .max_evaluations = options.max_evaluations});
    result.hyper = start;
    layout.assign(found.x, result.hyper);
    result.log_likelihood = -found.value / per_term;
    result.evaluations = found.evaluations;
    result.converged = found.converged;
    result.held_back = layout.is_held_back(found.x, box);
    result.stopped_because = found.reason;
    return result;
}

}  // namespace vnngp::inference
