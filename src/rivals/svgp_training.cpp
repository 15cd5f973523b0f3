#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/inference/stochastic.hpp"
#include "vnngp/optim/adam.hpp"
#include "vnngp/rivals/svgp.hpp"

namespace vnngp::rivals {

using inference::Hyperparameters;
using inference::ParameterVector;
using inference::Problem;

namespace {

/// Adam for one array, all of it in every step.
class DenseAdam {
public:
    explicit DenseAdam(std::size_t size) : adam_(1, size) {}
    void step(double learning_rate, std::span<double> values, std::span<const double> gradient) {
        adam_.begin_step(learning_rate);
        adam_.update(0, values, gradient);
    }

private:
    optim::LazyAdam adam_;
};

template <class Array>
auto span_of(Array& array) {
    return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

// The bound over all observations, in batches so that memory stays that of training.
double full_bound(const Context& context, const Problem& problem, const SvgpResult& result, Index batch) {
    std::vector<Index> all(problem.num_observations());
    std::iota(all.begin(), all.end(), 0);
    double sum = 0.0;
    SvgpBound bound;
    for (std::size_t first = 0; first < all.size(); first += batch) {
        const auto part = std::span(all).subspan(first, std::min<std::size_t>(batch, all.size() - first));
        sum += bound(context, problem, result.hyper, result.posterior, part) * static_cast<double>(part.size());
    }
    return sum / static_cast<double>(all.size());
}

SvgpResult at_optimum(const Context& context, Problem& problem, Hyperparameters hyper, Index batch) {
    problem.single_precision = false;
    SvgpResult result;
    result.posterior = svgp_optimum(context, problem, hyper, batch, &result.jitter);
    result.hyper = std::move(hyper);
    result.elbo = full_bound(context, problem, result, batch);
    result.trace = {result.elbo / problem.num_observations()};
    result.converged = true;
    return result;
}

}  // namespace

SvgpResult fit_svgp(const Context& context, Problem& problem, Hyperparameters hyper, const SvgpOptions& options) {
    if (!options.learn_hyperparameters && !options.diagonal && problem.likelihood->is_gaussian())
        return at_optimum(context, problem, std::move(hyper), options.batch);
    const ParameterVector layout(problem, {.nugget = false, .mean = options.learn_mean});
    SvgpResult result;
    result.posterior = whitened_prior(problem.num_inducing(), options.diagonal);
    std::vector<double> raw = layout.raw(hyper);
    SvgpGradient gradient{{}, {}, {}, inference::ElboGradient(problem, false, false)};
    DenseAdam on_raw(raw.size()), on_mean(result.posterior.mean.size()), on_factor(result.posterior.factor.size()),
        on_locations(problem.inducing.size());

    const Index n = problem.num_observations(), batch = std::min(options.batch, n);
    const std::int64_t per_epoch = num_chunks(n, batch), total = options.epochs * per_epoch;
    SvgpBound bound;
    auto last_report = std::chrono::steady_clock::now() - std::chrono::hours(1);
    for (int epoch = 0; epoch < options.epochs; ++epoch) {
        RandomStream stream(context.seed, StreamPurpose::minibatch, static_cast<std::uint32_t>(epoch));
        const auto order = random_permutation(n, stream);
        double sum = 0.0;
        for (std::int64_t first = 0; first < n; first += batch) {
            const auto terms = std::span(order).subspan(first, std::min<std::int64_t>(batch, n - first));
            sum += bound(context, problem, hyper, result.posterior, terms, &gradient, &result.jitter);
            if (!std::isfinite(sum))
                throw NumericalError(
                    fmt::format("training diverged in epoch {}: the bound is no longer finite; try a smaller --learning-rate (now {})",
                                epoch + 1, options.learning_rate));
            const double rate = optim::stepped_learning_rate(options.learning_rate, result.steps, total);
            on_mean.step(rate, span_of(result.posterior.mean), span_of(gradient.mean));
            on_factor.step(rate, span_of(result.posterior.factor), span_of(gradient.factor));
            if (options.learn_locations) on_locations.step(rate, span_of(problem.inducing), span_of(gradient.locations));
            if (options.learn_hyperparameters) {
                on_raw.step(rate, raw, layout.gradient(gradient.hyper));
                layout.clamp(raw);
                layout.assign(raw, hyper);
            }
            ++result.steps;
            const auto now = std::chrono::steady_clock::now();
            if (now - last_report > std::chrono::milliseconds(200)) {
                last_report = now;
                const std::string detail = result.trace.empty() ? "" : fmt::format("ELBO/point {:.4f}", result.trace.back());
                context.report({"train", result.steps, total, detail});
            }
        }
        result.trace.push_back(sum / static_cast<double>(per_epoch) / n);
    }
    context.report({"train", total, total, ""});
    problem.single_precision = false;  // it was for the minibatches
    result.hyper = std::move(hyper);
    result.converged = inference::has_settled(result.trace);
    result.elbo = full_bound(context, problem, result, batch);
    return result;
}

}  // namespace vnngp::rivals
