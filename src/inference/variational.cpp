#include "vnngp/inference/variational.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vnngp/inference/elbo.hpp"
#include "vnngp/optim/quasi_newton.hpp"

namespace vnngp::inference {

VariationalResult maximize_bound(const Context& context, const Problem& problem, const Hyperparameters& start, const MeanField& q,
                                 const VariationalOptions& options) {
    const ParameterVector layout(problem, options.learned);
    const double per_observation = 1.0 / problem.num_observations();
    VariationalResult result;
    result.hyper = start;
    result.posterior.q = q;
    result.posterior.elbo = -std::numeric_limits<double>::infinity();
    MeanField latest = q;

    const optim::SmoothFunction minus_bound = [&](std::span<const double> raw, std::span<double> gradient) {
        Hyperparameters hyper = start;
        layout.assign(raw, hyper);
        OptimalPosterior optimum = optimal_posterior(context, problem, hyper, latest, options.posterior);
        latest = optimum.q;
        ElboGradient derivatives(problem, false, false);
        full_elbo(context, problem, hyper, optimum.q, &derivatives);
        const auto raw_gradient = layout.gradient(derivatives);
        for (std::size_t p = 0; p < raw_gradient.size(); ++p) gradient[p] = -per_observation * raw_gradient[p];
        const double value = per_observation * optimum.elbo;
        result.trace.push_back(value);
        result.longest_solve = std::max(result.longest_solve, optimum.linear_iterations);
        context.report(
            {"train", static_cast<std::int64_t>(result.trace.size()), options.max_evaluations, fmt::format("ELBO/point {:.4f}", value)});
        if (optimum.elbo > result.posterior.elbo) {
            result.hyper = std::move(hyper);
            result.posterior = std::move(optimum);
        }
        return -value;
    };
    const auto box = layout.box_around(layout.raw(start), options.largest_factor);
    const auto found = optim::minimize(minus_bound, layout.raw(start), box.lower, box.upper,
                                       {.tolerance = options.tolerance, .max_evaluations = options.max_evaluations});
    result.evaluations = found.evaluations;
    result.converged = found.converged && result.posterior.converged;
    result.held_back = layout.is_held_back(found.x, box);
    result.stopped_because = found.reason;
    return result;
}

}  // namespace vnngp::inference
