#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/prepare.hpp"

namespace vnngp::model {
namespace {

constexpr double kNearBound = 1.01;
constexpr double kNoInfluence = 1e3;  ///< standard deviations: a length-scale beyond switches its input off

void warn_of_likelihood(const likelihood::Likelihood& likelihood, FittedModel& model) {
    // All noise in the nugget is what the response likelihood means by its lower bound.
    if (model.report.inference == "response") return;
    const auto parameters = likelihood.parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const double value = model.hyper.likelihood[p];
        // No noise at all is a property of the data, not of the fit, while the nugget is learned too.
        if (value < kNearBound * parameters[p].lower && !parameters[p].is_variance)
            model.report.warnings.push_back(fmt::format("{} is at its lower bound {:g}", parameters[p].name, parameters[p].lower));
        if (value * kNearBound > parameters[p].upper)
            model.report.warnings.push_back(fmt::format("{} is at its upper bound {:g}", parameters[p].name, parameters[p].upper));
    }
}

void warn_of_kernel(FittedModel& model) {
    const auto inputs = kernel_inputs(model);
    const auto parameters = kernel::make_kernel(model.kernel, inputs)->parameters();
    std::vector<std::string> without_influence;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const double value = model.hyper.shape[p];
        if (value < kNearBound * parameters[p].lower)
            model.report.warnings.push_back(
                fmt::format("{} is at its lower bound: the function looks like noise along it", parameters[p].name));
        else if (parameters[p].input >= 0 && value > kNoInfluence)
            without_influence.push_back(inputs[parameters[p].input].name);
    }
    if (!without_influence.empty())
        model.report.notes.push_back(fmt::format("inputs found to have no influence: {}", fmt::join(without_influence, ", ")));
}

// On the standardised scale the target's variance is 1.
constexpr double kNearlyAllNoise = 0.97;

void note_of_noise(FittedModel& model) {
    if (model.likelihood != "gaussian" || model.method != Method::vnngp) return;
    const double noise = model.hyper.likelihood[0] + model.hyper.nugget;
    if (noise > kNearlyAllNoise)
        model.report.notes.push_back(
            fmt::format("next to nothing of the target was found to depend on the inputs: {:.0f} % of its variance is noise",
                        100.0 * std::min(noise, 1.0)));
}

}  // namespace

void add_warnings(const likelihood::Likelihood& likelihood, FittedModel& model) {
    FitReport& report = model.report;
    if (!report.converged && report.inference != "stochastic")
        report.warnings.push_back(fmt::format("the fit did not settle: {}", report.stopped_because));
    warn_of_likelihood(likelihood, model);
    warn_of_kernel(model);
    note_of_noise(model);
    if (report.jitter.raised > 0)
        report.warnings.push_back(fmt::format("the jitter was raised for {} neighbourhoods, to at most {:g} of the output scale",
                                              report.jitter.raised, report.jitter.largest));
}

}  // namespace vnngp::model
