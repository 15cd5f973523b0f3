// The method, one line a stage.
#include "vnngp/model/fit.hpp"

#include <algorithm>
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

void keep(const model::Choice& choice, Clock::time_point since, FittedModel& model) {
    FitReport& report = model.report;
    report.tried.insert(report.tried.end(), choice.tried.begin(), choice.tried.end());
    report.notes.insert(report.notes.end(), choice.notes.begin(), choice.notes.end());
    report.warnings.insert(report.warnings.end(), choice.warnings.begin(), choice.warnings.end());
    report.seconds_choose += seconds_since(since);
    model.calibration = choice.calibration;
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
    Points inputs = model::standardize(points, targets, *likelihood, options, model);
    Vector standardized = data::apply(model.target_scaling, targets);
    model.mean_columns = model::mean_columns(options.mean, model);

    FitOptions settled = options;
    settled.inference = resolved(options, *likelihood);
    const auto choose_start = Clock::now();
    model::Chooser chooser(context, points, targets, inputs, standardized, *likelihood, settled, model);
    const model::Choice choice = chooser.before_training();
    keep(choice, choose_start, model);

    points.resize(0, 0);
    targets.resize(0);
    model::train(context, std::move(inputs), std::move(standardized), *likelihood, choice.options, choice.hyper ? &*choice.hyper : nullptr,
                 model);
    if (choice.options.prediction_neighbors == 0 || choice.intervals_off) {
        const auto after_start = Clock::now();
        const model::Choice after = chooser.after_training(model, choice.options);
        model.prediction_neighbors = std::min(after.options.prediction_neighbors, static_cast<Index>(model.inducing.rows()));
        keep(after, after_start, model);
    }
    if (options.prediction_neighbors == 0 && options.method == Method::vnngp && settled.inference != Inference::stochastic)
        model::find_gaps(context, model);
    model::add_warnings(*likelihood, model);
    model.report.seconds_total = seconds_since(start);
    return model;
}

}  // namespace vnngp
