#include "vnngp/optim/quasi_newton.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

namespace vnngp::optim {
namespace {

/// The least length of the first step. L-BFGS, which knows no curvature yet, tries one as long as the gradient. Near an optimum that is too
/// short to tell what it gains from the rounding of the objective.
constexpr double kFirstStep = 0.3;

/// What the C callback needs: exceptions may not cross the library, so they are kept and thrown again outside.
struct Call {
    const SmoothFunction& function;
    int max_evaluations;
    nlopt_opt optimiser;
    QuasiNewtonResult& result;
    std::vector<double> start_gradient;
    double start_value = 0.0;
    double scale = 1.0;  ///< of the objective that the library sees
    bool started = false;
    bool exhausted = false;
    std::exception_ptr thrown = nullptr;
};

double evaluate(Call& call, std::span<const double> x, std::span<double> gradient) {
    const double value = call.function(x, gradient);
    ++call.result.evaluations;
    if (value < call.result.value) {
        call.result.value = value;
        call.result.x.assign(x.begin(), x.end());
    }
    return value;
}

/// NLopt looks at its limits and at a forced stop between line searches only. What a line search still asks for costs nothing.
double refused(Call& call, std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    nlopt_force_stop(call.optimiser);
    return std::numeric_limits<double>::infinity();
}

/// L-BFGS always asks for the gradient, and for the start first.
double scaled(unsigned count, const double* x, double* gradient, void* data) {
    Call& call = *static_cast<Call*>(data);
    const std::span<double> derivatives(gradient, count);
    double value = call.start_value;
    if (!call.started) {
        call.started = true;
        std::ranges::copy(call.start_gradient, gradient);
    } else {
        call.exhausted = call.result.evaluations >= call.max_evaluations;
        if (call.exhausted || call.thrown) return refused(call, derivatives);
        try {
            value = evaluate(call, {x, count}, derivatives);
        } catch (...) {
            call.thrown = std::current_exception();
            return refused(call, derivatives);
        }
    }
    for (double& derivative : derivatives) derivative *= call.scale;
    return call.scale * value;
}

/// The length of a descent that the bounds do not stop at once.
double free_length(std::span<const double> x, std::span<const double> gradient, std::span<const double> lower,
                   std::span<const double> upper) {
    double squares = 0.0;
    for (std::size_t p = 0; p < x.size(); ++p)
        if (gradient[p] > 0.0 ? x[p] > lower[p] : x[p] < upper[p]) squares += gradient[p] * gradient[p];
    return std::sqrt(squares);
}

}  // namespace

QuasiNewtonResult minimize(const SmoothFunction& function, std::vector<double> start, std::span<const double> lower,
                           std::span<const double> upper, const QuasiNewtonOptions& options) {
    for (std::size_t p = 0; p < start.size(); ++p) start[p] = std::clamp(start[p], lower[p], upper[p]);
    const auto count = static_cast<unsigned>(start.size());
    const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimiser(nlopt_create(NLOPT_LD_LBFGS, count), nlopt_destroy);
    QuasiNewtonResult result{start, std::numeric_limits<double>::infinity(), 0, false, {}};
    Call call{function, options.max_evaluations, optimiser.get(), result, std::vector<double>(count)};
    call.start_value = evaluate(call, start, call.start_gradient);
    const double length = free_length(start, call.start_gradient, lower, upper);
    if (length > 0.0) call.scale = std::max(1.0, kFirstStep / length);
    nlopt_set_min_objective(optimiser.get(), scaled, &call);
    nlopt_set_lower_bounds(optimiser.get(), lower.data());
    nlopt_set_upper_bounds(optimiser.get(), upper.data());
    nlopt_set_ftol_abs(optimiser.get(), call.scale * options.tolerance);

    double last = 0.0;
    const nlopt_result code = nlopt_optimize(optimiser.get(), start.data(), &last);
    if (call.thrown) std::rethrow_exception(call.thrown);
    result.converged = code == NLOPT_SUCCESS || code == NLOPT_FTOL_REACHED || code == NLOPT_XTOL_REACHED || code == NLOPT_STOPVAL_REACHED;
    result.reason = result.converged ? "the objective settled"
                    : call.exhausted ? "the limit of evaluations was reached"
                                     : "the line search found no better point";
    return result;
}

}  // namespace vnngp::optim
