// Predictions of the latent function (Eq. K3).
#pragma once

#include "vnngp/inference/problem.hpp"

namespace vnngp::inference {

/// Marginals of the smooth latent function g at some points: nugget and observation noise excluded.
struct LatentPrediction {
    Vector mean;
    Vector variance;
};

/// m - mu at the inducing points, mu at the inputs, and s.
struct CenteredPosterior {
    const Vector& centered_mean;
    const Vector& variance;
    const Vector& mean_at_inputs;
};

/// graph.row(i): the inducing points that inputs.row(i) looks at. Every input is an ordinary row, also one that coincides with an inducing
/// point: the nugget is filtered.
LatentPrediction predict_latent(const Context& context, const conditional::Covariance& covariance, const CenteredPosterior& posterior,
                                const Points& inducing, const neighbors::NeighborGraph& graph, const Points& inputs);

/// All inputs from the same inducing points, `shared`: one factorisation serves them all.
LatentPrediction predict_latent_together(const Context& context, const conditional::Covariance& covariance,
                                         const CenteredPosterior& posterior, const Points& inducing, std::span<const Index> shared,
                                         const Points& inputs);

}  // namespace vnngp::inference
