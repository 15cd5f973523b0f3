// Scores of a model on observations that it has not seen.
#pragma once

#include <string>
#include <variant>

#include "app/report_json.hpp"
#include "vnngp/metrics/accumulator.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp::app {

/// Takes observations block by block. Keeps references to both arguments.
class Scorer {
public:
    Scorer(const FittedModel& model, const Predictor& predictor);

    void add(const Points& points, const Vector& targets);

    /// n, nll, and what suits the likelihood.
    Json json() const;
    /// The same for people, with a word on each.
    std::string table() const;

private:
    double target_scale_;
    const Predictor& predictor_;
    std::variant<metrics::ScoreAccumulator, metrics::ClassificationAccumulator> accumulator_;
};

}  // namespace vnngp::app
