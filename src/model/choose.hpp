// What the user left open (kernel, K, neighbours of a prediction) decided by scores on data held out of a sample.
#pragma once

#include <memory>
#include <optional>

#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/options.hpp"

namespace vnngp::model {

struct Choice {
    FitOptions options;                               ///< nothing left open but, perhaps, the neighbours of a prediction
    std::optional<inference::Hyperparameters> hyper;  ///< learned on a sample that stands for all the data, where there was one
    std::vector<Tried> tried;
    bool intervals_off = false;  ///< 95 % intervals held too many or too few held-out observations: to be calibrated after training
    Calibration calibration;
    std::vector<std::string> notes, warnings;
};

class Comparison;

/// Keeps a sample of the data, not the data.
class Chooser {
public:
    /// points and targets as the user gave them; inputs and scaled_targets standardised by `model`, which has its columns and scales. The
    /// likelihood must outlive the chooser.
    Chooser(const Context& context, const Points& points, const Vector& targets, const Points& inputs, const Vector& scaled_targets,
            const likelihood::Likelihood& likelihood, const FitOptions& options, const FittedModel& model);
    ~Chooser();

    /// Kernel and K, and with them the neighbours of a prediction. Where only the latter are open they stay so: they are cheaper to find
    /// for a trained model.
    Choice before_training();
    /// With the hyperparameters that were learned: the neighbours of a prediction, where they are still open, and the calibration.
    Choice after_training(const FittedModel& trained, const FitOptions& options);

private:
    Context context_;
    Choice given_;
    std::unique_ptr<Comparison> comparison_;  ///< none where nothing is to be compared
};

}  // namespace vnngp::model
