// Prediction from a posterior over values at all inducing points together, whitened (see svgp.hpp): that of svgp, and that of the exact
// process, whose "inducing values" are the observations, known without error: C = 0, m = L^{-1} (y - mu).
#pragma once

#include "vnngp/inference/joint_prediction.hpp"
#include "vnngp/inference/prediction.hpp"
#include "vnngp/linalg/dense.hpp"

namespace vnngp::rivals {

class DensePosterior {
public:
    /// svgp: q(v) = N(mean, C C'), C lower triangular or one column, its diagonal.
    DensePosterior(const Context& context, conditional::Covariance covariance, const Points& inducing, Vector mean, linalg::Matrix factor);
    /// exact: `centered` = y - mu; the covariance's nugget is that of an observation.
    /// lanczos_steps: 0, or predict() has the variances that so many steps of Lanczos' method know of, as in Pleiss et al. 2018: those of
    /// GPyTorch with fast_pred_var, which are too large. Means stay exact, and so does joint().
    static DensePosterior of_observations(const Context& context, conditional::Covariance covariance, const Points& points,
                                          const Vector& centered, Index lanczos_steps = 0);

    /// The smooth function at some points, about the prior mean.
    inference::LatentPrediction predict(const Context& context, const Points& inputs) const;
    /// Throws InputError for more than inference::kMostJointPoints inputs, as does sample().
    inference::JointLatent joint(const Context& context, const Points& inputs) const;
    /// One draw a column. Context::seed decides; the first draws do not depend on `count`.
    Points sample(const Context& context, const Points& inputs, Index count) const;

private:
    struct Projected {
        linalg::Matrix a, b;  ///< A = L^{-1} K_zx, and C'A (empty for C = 0)
    };
    Projected project(const Context& context, const Points& inputs) const;

    conditional::Covariance covariance_;
    const Points& inducing_;
    linalg::Matrix prior_factor_;  ///< L
    Vector mean_;
    linalg::Matrix factor_;
    linalg::Matrix inverse_root_;  ///< N x steps: G with G G' in place of the inverse covariance in variances; or nothing
    Vector weights_;               ///< with it: L^{-T} m
};

/// K_xz weights: the mean of the exact process, about the prior mean, from the solution of its linear system.
Vector predict_mean(const Context& context, const conditional::Covariance& covariance, const Points& points, const Vector& weights,
                    const Points& inputs);

}  // namespace vnngp::rivals
