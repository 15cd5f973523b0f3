#include "vnngp/inference/prediction.hpp"

#include <numeric>

#include "vnngp/conditional/dense_covariance.hpp"

namespace vnngp::inference {

LatentPrediction predict_latent(const Context& context, const conditional::Covariance& covariance, const CenteredPosterior& posterior,
                                const Points& inducing, const neighbors::NeighborGraph& graph, const Points& inputs) {
    LatentPrediction prediction{Vector(inputs.rows()), Vector(inputs.rows())};
    std::vector<Index> rows(inputs.rows());
    std::iota(rows.begin(), rows.end(), 0);
    conditional::visit_rows(context, covariance, {inducing, inputs, graph, false}, rows, [&](const conditional::Row& row) {
        double m = posterior.mean_at_inputs[row.id], v = row.variance;
        for (std::size_t k = 0; k < row.neighbors.size(); ++k) {
            const double a = row.weights[k];
            m += a * posterior.centered_mean[row.neighbors[k]];
            v += a * a * posterior.variance[row.neighbors[k]];
        }
        prediction.mean[row.id] = m;
        prediction.variance[row.id] = v;
    });
    return prediction;
}

LatentPrediction predict_latent_together(const Context& context, const conditional::Covariance& covariance,
                                         const CenteredPosterior& posterior, const Points& inducing, std::span<const Index> shared,
                                         const Points& inputs) {
    Points points(shared.size(), inducing.cols());
    Vector mean(shared.size()), variance(shared.size());
    for (std::size_t k = 0; k < shared.size(); ++k) {
        points.row(k) = inducing.row(shared[k]);
        mean[k] = posterior.centered_mean[shared[k]];
        variance[k] = posterior.variance[shared[k]];
    }
    conditional::Covariance settled = covariance;
    const linalg::Matrix factor = conditional::factored_covariance(context, settled, points);
    linalg::Matrix weights = conditional::cross_covariance(context, settled, points, inputs);
    linalg::solve_lower(factor, weights);
    LatentPrediction prediction{{}, (settled.outputscale - weights.colwise().squaredNorm().transpose().array()).max(0.0)};
    linalg::solve_lower(factor, weights, linalg::Transposed::yes);
    prediction.mean = posterior.mean_at_inputs + weights.transpose() * mean;
    prediction.variance += weights.array().square().matrix().transpose() * variance;
    return prediction;
}

}  // namespace vnngp::inference
