// A fitted model: everything needed to predict, and nothing else. A value: copy it, save it, load it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/kernel/kernel.hpp"
#include "vnngp/model/calibration.hpp"
#include "vnngp/model/options.hpp"
#include "vnngp/model/report.hpp"

namespace vnngp {

struct Prediction;

struct FittedModel {
    std::vector<std::string> input_names;  ///< of all columns given to fit; empty when they had no names
    std::string target_name;
    std::vector<Index> used_columns;                     ///< the columns that vary: positions among those given to fit
    Index num_columns = 0;                               ///< given to fit
    std::optional<std::pair<Index, Index>> lonlat = {};  ///< FitOptions::lonlat

    data::Standardizer input_scaling;  ///< of the coordinates: see coordinates()
    data::TargetStandardizer target_scaling;
    Method method = Method::vnngp;
    std::string kernel;
    std::string likelihood;
    inference::Hyperparameters hyper;  ///< on the standardised scales
    double jitter = 1e-8;
    Metric metric = Metric::euclidean;  ///< in which neighbours are nearest
    std::vector<Index> mean_columns;    ///< coordinates in which the prior mean is linear
    Points inducing;                    ///< standardised, in order
    /// q(u); svgp: q(v), whitened (rivals/svgp.hpp); exact and sggp: the observations, with no variance.
    inference::MeanField posterior;
    Points posterior_factor;  ///< svgp: C, or its diagonal as one column
    Vector weights;           ///< exact, where its covariance matrix was too large: C^{-1} (y - mu)
    Index neighbors = 0;
    Index prediction_neighbors = 0;
    Index gap_neighbors = 0;    ///< those of a point farther than gap_distance from its nearest inducing point; 0: no difference is made
    double gap_distance = 0.0;  ///< in the metric
    /// Inputs repeat often enough for the data to tell the nugget from the noise: an observation at the place of an inducing point shares
    /// its nugget. Otherwise a new observation has a nugget of its own wherever it is.
    bool shared_nugget = false;
    Calibration calibration;  ///< of the quantiles
    FitReport report;

    /// Predicts at points with the columns that fit was given. For many blocks of points make one Predictor instead.
    Prediction predict(const Points& points, const Context& context = {}) const;
};

/// The inputs of the model's kernel: one for each used column, but longitude and latitude together are one, with three coordinates, in the
/// place of the longitude.
std::vector<kernel::Input> kernel_inputs(const FittedModel& model);

/// The coordinates of those inputs, before standardisation, at points with the columns that fit was given: used columns as they are, places
/// on the sphere in km. Throws InputError naming column and row where degrees are out of range.
Points coordinates(const FittedModel& model, const Points& points);

/// Hyperparameters in the units of the data: length-scales in those of the inputs (km on the sphere), variances in the target's squared.
inference::Hyperparameters in_data_units(const FittedModel& model);

/// The inverse: hyperparameters in the units of the data on the standardised scales of the model, whose kernel, likelihood and scales must
/// be known. Throws InputError where their numbers are not those of the kernel, the likelihood and the mean.
inference::Hyperparameters in_standard_units(const FittedModel& model, inference::Hyperparameters hyper);

}  // namespace vnngp
