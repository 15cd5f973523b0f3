#include "vnngp/optim/quasi_newton.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

namespace vnngp::optim {
namespace {

/// What the C callback needs: exceptions may not cross the library, so they are kept and thrown again outside.
struct Call {
    const SmoothFunction& function;
    int max_evaluations;
    nlopt_opt optimiser;
    QuasiNewtonResult& result;
    bool exhausted = false;
    std::exception_ptr thrown = nullptr;
};

/// NLopt looks at its limits and at a forced stop between line searches only. What a line search still asks for costs nothing.
double refused(Call& call, double* gradient, unsigned count) {
    if (gradient != nullptr) std::fill_n(gradient, count, 0.0);
    nlopt_force_stop(call.optimiser);
    return std::numeric_limits<double>::infinity();
}

double evaluate(unsigned count, const double* x, double* gradient, void* data) {
    Call& call = *static_cast<Call*>(data);
    call.exhausted = call.result.evaluations >= call.max_evaluations;
    if (call.exhausted || call.thrown) return refused(call, gradient, count);
    try {
        std::vector<double> unwanted(gradient == nullptr ? count : 0);
        const double value = call.function({x, count}, {gradient == nullptr ? unwanted.data() : gradient, count});
        ++call.result.evaluations;
        if (value < call.result.value) {
            call.result.value = value;
            call.result.x.assign(x, x + count);
        }
        return value;
    } catch (...) {
        call.thrown = std::current_exception();
        return refused(call, gradient, count);
    }
}

}  // namespace

QuasiNewtonResult minimize(const SmoothFunction& function, std::vector<double> start, std::span<const double> lower,
                           std::span<const double> upper, const QuasiNewtonOptions& options) {
    for (std::size_t p = 0; p < start.size(); ++p) start[p] = std::clamp(start[p], lower[p], upper[p]);
    const auto count = static_cast<unsigned>(start.size());
    const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimiser(nlopt_create(NLOPT_LD_LBFGS, count), nlopt_destroy);
    QuasiNewtonResult result{start, std::numeric_limits<double>::infinity(), 0, false, {}};
    Call call{function, options.max_evaluations, optimiser.get(), result};
    nlopt_set_min_objective(optimiser.get(), evaluate, &call);
    nlopt_set_lower_bounds(optimiser.get(), lower.data());
    nlopt_set_upper_bounds(optimiser.get(), upper.data());
    nlopt_set_ftol_abs(optimiser.get(), options.tolerance);

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
