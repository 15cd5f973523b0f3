// A fitted model: everything needed to predict, and nothing else. A value: copy it, save it, load it.
#pragma once

#include <string>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/model/report.hpp"

namespace vnngp {

struct Prediction;

struct FittedModel {
    std::vector<std::string> input_names;  ///< of all columns given to fit; empty when they had no names
    std::string target_name;
    std::vector<Index> used_columns;  ///< the columns that vary: positions among those given to fit
    Index num_columns = 0;            ///< given to fit

    data::Standardizer input_scaling;  ///< of the used columns
    data::TargetStandardizer target_scaling;
    std::string kernel;
    std::string likelihood;
    inference::Hyperparameters hyper;  ///< on the standardised scales
    double jitter = 1e-8;
    Points inducing;  ///< standardised, in order
    inference::MeanField posterior;
    Index neighbors = 0;
    Index prediction_neighbors = 0;
    FitReport report;

    /// Predicts at points with the columns that fit was given. For many blocks of points make one Predictor instead.
    Prediction predict(const Points& points, const Context& context = {}) const;
};

/// Hyperparameters in the units of the data: length-scales in those of the inputs, variances in the target's squared.
inference::Hyperparameters in_data_units(const FittedModel& model);

}  // namespace vnngp
