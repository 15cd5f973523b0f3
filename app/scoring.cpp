#include "app/scoring.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace vnngp::app {
namespace {

using metrics::ClassificationAccumulator;
using metrics::ClassificationScores;
using metrics::RegressionScores;
using metrics::ScoreAccumulator;

std::span<const double> values(const Vector& vector) { return {vector.data(), static_cast<std::size_t>(vector.size())}; }

std::string line(std::string_view name, double value, std::string_view meaning) {
    return fmt::format("{:<18}{:>12.5g}   {}\n", name, value, meaning);
}

Json json_of(const RegressionScores& scores, double target_scale) {
    return {{"n", scores.n},
            {"nll", number(scores.nll)},
            {"rmse", number(scores.rmse)},
            {"mae", number(scores.mae)},
            {"crps", number(scores.crps)},
            {"coverage95", number(scores.coverage)},
            {"interval95_width", number(scores.interval_width)},
            {"standardized", {{"nll", number(scores.nll - std::log(target_scale))}, {"rmse", number(scores.rmse / target_scale)}}}};
}

Json json_of(const ClassificationScores& scores, double) {
    return {{"n", scores.n},
            {"nll", number(scores.nll)},
            {"error_rate", number(scores.error_rate)},
            {"brier", number(scores.brier)},
            {"auc", scores.auc ? number(*scores.auc) : Json(nullptr)}};
}

std::string table_of(const RegressionScores& scores, double target_scale) {
    return line("n", static_cast<double>(scores.n), "observations scored") +
           line("nll", scores.nll, "mean negative log predictive density; smaller is better") +
           line("rmse", scores.rmse, "root mean squared error of the predicted mean") +
           line("mae", scores.mae, "mean absolute error of the predicted mean") +
           line("crps", scores.crps, "continuous ranked probability score, in the unit of the target; smaller is better") +
           line("coverage95", scores.coverage, "share of observations within their 95 % interval; should be near 0.95") +
           line("interval95_width", scores.interval_width, "mean width of that interval") +
           (target_scale == 1.0 ? std::string()  // counts are not standardised
                                : line("standardized nll", scores.nll - std::log(target_scale),
                                       "nll for the target divided by its standard deviation in training") +
                                      line("standardized rmse", scores.rmse / target_scale,
                                           "rmse in standard deviations of the training target; 1 is a guess of the mean"));
}

std::string table_of(const ClassificationScores& scores, double) {
    return line("n", static_cast<double>(scores.n), "observations scored") +
           line("nll", scores.nll, "mean negative log probability of the observed class; smaller is better, 0.693 is a coin toss") +
           line("error_rate", scores.error_rate, "share of observations whose likelier class was wrong") +
           line("brier", scores.brier, "mean squared error of the predicted probability") +
           (scores.auc ? line("auc", *scores.auc, "chance that a random 1 is given a higher probability than a random 0; 0.5 is a guess")
                       : fmt::format("{:<18}{:>12}   undefined: all observations are of one class\n", "auc", "-"));
}

}  // namespace

Scorer::Scorer(const FittedModel& model, const Predictor& predictor) : target_scale_(model.target_scaling.scale), predictor_(predictor) {
    if (model.likelihood.starts_with("bernoulli")) accumulator_ = ClassificationAccumulator();
}

void Scorer::add(const Points& points, const Vector& targets) {
    const Predictor::Scored scored = predictor_.score(points, targets);
    if (auto* classes = std::get_if<ClassificationAccumulator>(&accumulator_))
        classes->add({values(targets), values(scored.mean), values(scored.log_density)});
    else
        std::get<ScoreAccumulator>(accumulator_)
            .add({values(targets), values(scored.mean), values(scored.log_density), values(scored.crps), values(scored.lower),
                  values(scored.upper)});
}

Json Scorer::json() const {
    return std::visit([this](const auto& accumulator) { return json_of(accumulator.scores(), target_scale_); }, accumulator_);
}

std::string Scorer::table() const {
    return std::visit([this](const auto& accumulator) { return table_of(accumulator.scores(), target_scale_); }, accumulator_);
}

}  // namespace vnngp::app
