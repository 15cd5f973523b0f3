#include "vnngp/inference/prediction.hpp"

#include <numeric>

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

}  // namespace vnngp::inference
