// A cell: one fit and its scores. Everything long that the experiments do is made of cells, each kept in a file of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/datasets.hpp"
#include "experiments/methods.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/inference/problem.hpp"

namespace vnngp::experiments {

/// GPyTorch's, for quick variances of the exact process.
constexpr Index kPublicLanczosSteps = 100;

/// What is fitted to what.
struct Cell {
    std::string set;
    bool simulated = false;
    Index rows = 0;  ///< of the data set, at most; 0: all
    std::string method;
    std::uint64_t seed = 0;
    Setting setting = {};
    data::Scale input_scale = data::Scale::deviation;
    /// figure-5: known hyperparameters on the standardised scales; only the posterior is fitted.
    std::optional<inference::Hyperparameters> fixed = {};
};

/// Says all of it but the values of `fixed`, of which the noise is named: the name of its file.
std::string cell_name(const Cell& cell);
/// All of it: a stored result counts only when this is the same.
nlohmann::ordered_json cell_json(const Cell& cell);

struct Outcome {
    enum class Status { done, failed, refused, not_run };  ///< not_run: never stored
    Status status = Status::done;
    std::string message = {};  ///< why it failed or was refused
    double nll = 0.0;          ///< of the test part, per point of the standardised target; NaN unless done, as all that follows
    double rmse = 0.0;         ///< standardised; for classes the error rate
    double coverage = 0.0;     ///< of 95 % intervals; NaN for classes
    double validation_nll = 0.0;
    double noise = 0.0;  ///< total noise on the standardised scale; NaN for likelihoods without
    double elbo = 0.0;
    double seconds = 0.0;
    std::int64_t training_rows = 0;
    std::int64_t iterations = 0;
    std::vector<double> trace = {};  ///< the bound per observation after each epoch, or at each evaluation
    /// As the model has them, on the standardised scales.
    std::optional<inference::Hyperparameters> hyper = {};
    std::string chosen = {};  ///< kernel and neighbours, where they were not given; what else was found

    bool done() const { return status == Status::done; }
};

nlohmann::ordered_json outcome_json(const Outcome& outcome);
/// Throws nlohmann's exceptions on what is not such an object.
Outcome outcome_of(const nlohmann::ordered_json& json);

/// Why the method cannot do this, or empty.
std::string refusal(const MethodInfo& method, const SetInfo& set, Index training_rows);

/// Fits and scores. Throws what fit() throws.
Outcome run_cell(const Cell& cell, const Parts& parts, const Context& context);

/// The done cell with the lowest validation NLL; null when there is none.
const Outcome* best_by_validation(const std::vector<Outcome>& outcomes);

}  // namespace vnngp::experiments
