// A fitted model: everything needed to predict, and nothing else. A value: copy it, save it, load it.
#pragma once

#include <string>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/model/options.hpp"
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
    Metric metric = Metric::euclidean;  ///< in which neighbours are nearest
    std::vector<Index> mean_columns;    ///< coordinates in which the prior mean is linear
    Points inducing;                    ///< standardised, in order
    inference::MeanField posterior;
    Index neighbors = 0;
    Index prediction_neighbors = 0;
    FitReport report;

    /// Predicts at points with the columns that fit was given. For many blocks of points make one Predictor instead.
    Prediction predict(const Points& points, const Context& context = {}) const;
};

/// Coordinates in which the model's neighbours are nearest by Euclidean distance.
Points search_coordinates(Metric metric, const kernel::Kernel& kernel, std::span<const double> shape, const Points& points);

/// Hyperparameters in the units of the data: length-scales in those of the inputs, variances in the target's squared.
inference::Hyperparameters in_data_units(const FittedModel& model);

}  // namespace vnngp
