#include "vnngp/rivals/sggp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>

#include "vnngp/base/clock.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/conditional/blocks.hpp"
#include "vnngp/inference/parameters.hpp"

namespace vnngp::rivals {
namespace {

using inference::Hyperparameters;
using inference::Problem;

// Nugget and noise are the same thing to observations: both are on the diagonal.
conditional::Covariance covariance_of_observations(const Problem& problem, const Hyperparameters& hyper) {
    conditional::Covariance covariance = inference::covariance(problem, hyper);
    covariance.nugget += hyper.likelihood[0];
    return covariance;
}

}  // namespace

double neighborhood_likelihood(const Context& context, const Problem& problem, const Hyperparameters& hyper, const Vector& values,
                               std::span<const Index> points, inference::ElboGradient* gradient, conditional::JitterReport* jitter) {
    const auto covariance = covariance_of_observations(problem, hyper);
    const conditional::Neighborhoods blocks{problem.inducing, problem.inducing, problem.data_graph};
    const auto mean = [&](Index j) { return inference::prior_mean(hyper, problem.mean_columns, problem.inducing.row(j).data()); };
    // All neighbourhoods are of one size: the nearest of all points, not of predecessors.
    const double size = problem.data_graph.stride(), weight = 1.0 / (size * static_cast<double>(points.size()));
    const conditional::BlockForm form{-weight, -weight, 0.0};

    const std::size_t coefficients = 1 + problem.mean_columns.size();
    std::vector<double> value(points.size()), on_mean(gradient == nullptr ? 0 : points.size() * coefficients, 0.0);
    const auto fill = [&](const conditional::BlockData& block) {
        for (std::size_t k = 0; k < block.points.size(); ++k) block.deviation[k] = values[block.points[k]] - mean(block.points[k]);
    };
    const auto visitor = [&](const conditional::Block& block) {
        value[block.position] = block.value - 0.5 * weight * size * std::log(2.0 * std::numbers::pi);
        if (gradient == nullptr) return;
        double* to = on_mean.data() + static_cast<std::size_t>(block.position) * coefficients;
        for (std::size_t k = 0; k < block.points.size(); ++k) {
            to[0] -= block.on_deviation[k];
            for (std::size_t c = 0; c + 1 < coefficients; ++c)
                to[1 + c] -= block.on_deviation[k] * problem.inducing(block.points[k], problem.mean_columns[c]);
        }
    };

    conditional::JitterReport raised;
    if (gradient == nullptr) {
        raised = conditional::visit_blocks(context, covariance, blocks, points, form, fill, visitor);
    } else {
        const auto result = conditional::visit_blocks_with_adjoint(context, covariance, blocks, points, form, fill, visitor);
        raised = result.jitter;
        gradient->covariance += result.gradient;
        const double of_noise = hyper.likelihood[0] / covariance.nugget * result.gradient.log_nugget;
        gradient->covariance.log_nugget -= of_noise;
        gradient->log_likelihood_parameters[0] += of_noise;
        for (std::size_t place = 0; place < points.size(); ++place) {
            gradient->prior_mean += on_mean[place * coefficients];
            for (std::size_t c = 0; c + 1 < coefficients; ++c) gradient->prior_slopes[c] += on_mean[place * coefficients + 1 + c];
        }
    }
    if (jitter != nullptr) jitter->merge(raised);
    return std::accumulate(value.begin(), value.end(), 0.0);
}

NeighborhoodFit fit_neighborhoods(const Context& context, const Problem& problem, Hyperparameters hyper,
                                  const inference::StochasticOptions& options) {
    const Vector values = inference::values_at_points(problem);
    const inference::ParameterVector layout(problem, options.learned);
    std::vector<double> raw = layout.raw(hyper);
    inference::ElboGradient gradient(problem, false, false);
    optim::LazyAdam adam(1, raw.size());
    NeighborhoodFit fit;

    const std::int64_t steps_per_epoch = num_chunks(problem.num_inducing(), options.batch);
    const std::int64_t total = options.fixed_hyperparameters ? 0 : options.epochs * steps_per_epoch;
    auto last_report = Clock::now() - std::chrono::hours(1);
    std::vector<Index> order;
    double epoch_sum = 0.0;
    for (std::int64_t step = 0; step < total; ++step) {
        const std::int64_t epoch = step / steps_per_epoch, number = step % steps_per_epoch;
        if (number == 0) {
            RandomStream stream(context.seed, StreamPurpose::minibatch, static_cast<std::uint32_t>(epoch));
            order = random_permutation(problem.num_inducing(), stream);
        }
        const auto begin = static_cast<std::size_t>(number * options.batch);
        const auto points = std::span<const Index>(order).subspan(begin, std::min<std::size_t>(options.batch, order.size() - begin));
        layout.assign(raw, hyper);
        gradient.clear();
        epoch_sum += neighborhood_likelihood(context, problem, hyper, values, points, &gradient, &fit.jitter);
        if (!std::isfinite(epoch_sum))
            throw NumericalError(
                fmt::format("training diverged in epoch {}: the likelihood is no longer finite; try a smaller --learning-rate (now {})",
                            epoch + 1, options.learning_rate));
        adam.begin_step(optim::stepped_learning_rate(options.learning_rate, step, total));
        adam.update(0, raw, layout.gradient(gradient));
        layout.clamp(raw);
        if (number + 1 == steps_per_epoch) {
            fit.trace.push_back(epoch_sum / static_cast<double>(steps_per_epoch));
            epoch_sum = 0.0;
        }
        if (Clock::now() - last_report > std::chrono::milliseconds(200)) {
            last_report = Clock::now();
            context.report({"train", step + 1, total, fit.trace.empty() ? "" : fmt::format("likelihood/point {:.4f}", fit.trace.back())});
        }
    }
    if (total > 0) layout.assign(raw, hyper);

    order.resize(problem.num_inducing());
    std::iota(order.begin(), order.end(), 0);
    fit.likelihood = neighborhood_likelihood(context, problem, hyper, values, order);
    fit.hyper = std::move(hyper);
    fit.steps = total;
    fit.converged = options.fixed_hyperparameters || inference::has_settled(fit.trace);
    return fit;
}

}  // namespace vnngp::rivals
