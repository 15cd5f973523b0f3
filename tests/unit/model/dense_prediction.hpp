// Predictions of a fitted model (one length-scale per input, constant or linear mean) by dense algebra, on the standardised scale.
#pragma once

#include <algorithm>
#include <numeric>

#include "model_support.hpp"

namespace vnngp::testing {

/// The covariance of g, without nugget, and its prior mean.
class DenseModel {
public:
    explicit DenseModel(const FittedModel& model) : model_(model) {}

    Points standardized(const Points& points) const { return data::apply(model_.input_scaling, coordinates(model_, points)); }
    MatrixXd covariance(const Points& a, const Points& b) const {
        return covariance_matrix(model_.kernel, a, b, model_.hyper.shape, model_.hyper.outputscale);
    }
    Vector mean(const Points& points) const {
        Vector mean(points.rows());
        for (Eigen::Index i = 0; i < points.rows(); ++i)
            mean[i] = inference::prior_mean(model_.hyper, model_.mean_columns, points.row(i).data());
        return mean;
    }
    /// White noise in the latent function: the nugget and the numerical jitter.
    double white() const { return model_.hyper.nugget + model_.jitter * model_.hyper.outputscale; }

    /// The nearest inducing points to a standardised one, in x or in x / lengthscale.
    std::vector<Index> nearest(const Points& point, Index count, Metric metric) const {
        std::vector<double> distance;
        for (Eigen::Index j = 0; j < model_.inducing.rows(); ++j) {
            double sum = 0.0;
            for (Eigen::Index d = 0; d < point.cols(); ++d) {
                const double unit = metric == Metric::kernel ? model_.hyper.shape[static_cast<std::size_t>(d)] : 1.0;
                sum += std::pow((model_.inducing(j, d) - point(0, d)) / unit, 2);
            }
            distance.push_back(sum);
        }
        std::vector<Index> order(distance.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return distance[a] < distance[b]; });
        order.resize(static_cast<std::size_t>(std::min<Index>(count, static_cast<Index>(order.size()))));
        return order;
    }

    /// Eq. K3 with the model's q(u): mean and variance of g at standardised points.
    struct Moments {
        Vector mean, variance;
    };
    Moments predict(const Points& points, Index neighbors, Metric metric) const {
        Moments moments{mean(points), Vector(points.rows())};
        const Vector deviation = model_.posterior.mean - mean(model_.inducing);
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            const Points point = points.row(i);
            const auto n = nearest(point, neighbors, metric);
            Points at(n.size(), points.cols());
            for (std::size_t p = 0; p < n.size(); ++p) at.row(static_cast<Eigen::Index>(p)) = model_.inducing.row(n[p]);
            const MatrixXd block = covariance(at, at) + white() * MatrixXd::Identity(at.rows(), at.rows());
            const Vector c = covariance(at, point), a = block.ldlt().solve(c);
            moments.variance[i] = model_.hyper.outputscale - c.dot(a);
            for (std::size_t p = 0; p < n.size(); ++p) {
                const double weight = a[static_cast<Eigen::Index>(p)];
                moments.mean[i] += weight * deviation[n[p]];
                moments.variance[i] += weight * weight * model_.posterior.variance[n[p]];
            }
        }
        return moments;
    }

private:
    const FittedModel& model_;
};

}  // namespace vnngp::testing
