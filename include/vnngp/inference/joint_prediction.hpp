// The latent function at several points together: samples, and the covariance matrix.
//
// The points are appended to the inducing points in a random order. Each conditions on its nearest inducing points and on its
// nearest earlier appended points: g = A_u u + A_g g + sqrt(V) e, A_g strictly lower triangular, u ~ q(u) (J1). Inducing values carry the
// nugget, appended values are the smooth function g. What a point conditions on alone gives Eq. K3.
#pragma once

#include "vnngp/inference/problem.hpp"

namespace vnngp::inference {

/// The largest number of points that joint_latent takes: its matrices have the square of that many entries.
inline constexpr Index kMostJointPoints = 5000;

struct JointTargets {
    const Points& inducing;
    const Points& targets;
    /// The same points where Euclidean distance says who is near.
    const Points& inducing_metric;
    const Points& targets_metric;
    Index neighbors = 0;  ///< K, at least 1
    /// Targets farther than this from their nearest inducing point look at gap_neighbors of them, where those are more than K.
    double gap_distance = 0.0;
    Index gap_neighbors = 0;
};

struct JointLatent {
    Vector mean;
    Eigen::MatrixXd covariance;
};

/// One draw of g a column, rows as in targets. `deviation` is q(u - mu); the draws are of g - mu at the targets. known: for each target -1,
/// or the inducing point whose value is wanted there instead of g. Context::seed decides order and draws; the first draws do not depend on
/// `count`.
Points sample_joint_latent(const Context& context, const conditional::Covariance& covariance, const MeanField& deviation,
                           const JointTargets& targets, Index count, std::span<const Index> known = {});

/// Mean and covariance of such draws of g. Throws InputError for more than kMostJointPoints targets.
JointLatent joint_latent(const Context& context, const conditional::Covariance& covariance, const MeanField& deviation,
                         const JointTargets& targets);

}  // namespace vnngp::inference
