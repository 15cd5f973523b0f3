// The method, one line a stage.
#include "vnngp/model/fit.hpp"

#include <filesystem>

#include "model/choose.hpp"
#include "model/gaps.hpp"
#include "model/prepare.hpp"
#include "model/train.hpp"
#include "vnngp/base/clock.hpp"

namespace vnngp {
namespace {

Inference resolved(const FitOptions& options, const likelihood::Likelihood& likelihood) {
    if (options.inference != Inference::automatic || options.method == Method::exact) return options.inference;
    if (options.method != Method::vnngp) return Inference::stochastic;
    return likelihood.is_gaussian() ? Inference::collapsed : Inference::natural;
}

}  // namespace

void discard_checkpoint(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

FittedModel fit(Points points, Vector targets, const FitOptions& options, const Context& context) {
    const auto start = Clock::now();
    validate(options);
    const auto likelihood = likelihood::make_likelihood(options.likelihood);
    model::check_data(points, targets, options, *likelihood);

    FittedModel model;
    model.input_names = options.input_names;
    model.target_name = options.target_name;
    model.lonlat = options.lonlat;
    model.method = options.method;
    model.likelihood = options.likelihood;
    model.jitter = options.jitter;
    Points inputs = model::standardize(points, targets, *likelihood, options.mean.kind == MeanOption::Kind::zero, model);
    Vector standardized = data::apply(model.target_scaling, targets);
    model.mean_columns = model::mean_columns(options.mean, model);

    FitOptions settled = options;
    settled.inference = resolved(options, *likelihood);
    const auto choose_start = Clock::now();
    const auto choice = model::choose(context, points, targets, inputs, standardized, *likelihood, settled, model);
    model.report.tried = choice.tried;
    model.calibration = choice.calibration;
    model.report.notes.insert(model.report.notes.end(), choice.notes.begin(), choice.notes.end());
    model.report.warnings.insert(model.report.warnings.end(), choice.warnings.begin(), choice.warnings.end());
    model.report.seconds_choose = seconds_since(choose_start);

    points.resize(0, 0);
    targets.resize(0);
    model::train(context, std::move(inputs), std::move(standardized), *likelihood, choice.options, choice.hyper ? &*choice.hyper : nullptr,
                 model);
    if (options.prediction_neighbors == 0 && options.method == Method::vnngp && settled.inference != Inference::stochastic)
        model::find_gaps(context, model);
    model::add_warnings(*likelihood, model);
    model.report.seconds_total = seconds_since(start);
    return model;
}

}  // namespace vnngp
