#include "vnngp/rivals/dense_posterior.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rivals/observed_covariance.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"

namespace vnngp::rivals {

using linalg::Matrix;
using linalg::Transposed;

namespace {

constexpr Eigen::Index kInputsPerBlock = 1024;
constexpr double kSampleJitter = 1e-10;  ///< of the output scale

}  // namespace

DensePosterior::DensePosterior(const Context& context, conditional::Covariance covariance, const Points& inducing, Vector mean,
                               Matrix factor)
    : covariance_(std::move(covariance)), inducing_(inducing), mean_(std::move(mean)), factor_(std::move(factor)) {
    linalg::set_dense_threads(context.num_threads(), inducing_.rows());
    prior_factor_ = conditional::factored_covariance(context, covariance_, inducing_, 0.0);
}

DensePosterior DensePosterior::of_observations(const Context& context, conditional::Covariance covariance, const Points& points,
                                               const Vector& centered) {
    DensePosterior posterior(context, std::move(covariance), points, {}, {});
    Matrix white = centered;
    linalg::solve_lower(posterior.prior_factor_, white);
    posterior.mean_ = white.col(0);
    return posterior;
}

DensePosterior::Projected DensePosterior::project(const Context& context, const Points& inputs) const {
    linalg::set_dense_threads(context.num_threads(), inducing_.rows());
    Projected projected{conditional::cross_covariance(context, covariance_, inducing_, inputs), {}};
    linalg::solve_lower(prior_factor_, projected.a);
    if (factor_.size() == 0) return projected;
    if (factor_.cols() == 1) {
        projected.b = factor_.col(0).asDiagonal() * projected.a;
    } else {
        projected.b = projected.a;
        linalg::multiply_lower(factor_, projected.b, Transposed::yes);
    }
    return projected;
}

inference::LatentPrediction DensePosterior::predict(const Context& context, const Points& inputs) const {
    inference::LatentPrediction prediction{Vector(inputs.rows()), Vector(inputs.rows())};
    for (Eigen::Index first = 0; first < inputs.rows(); first += kInputsPerBlock) {
        context.check_stop();
        const Eigen::Index count = std::min(kInputsPerBlock, inputs.rows() - first);
        const Projected projected = project(context, inputs.middleRows(first, count));
        prediction.mean.segment(first, count) = projected.a.transpose() * mean_;
        auto variance = prediction.variance.segment(first, count);
        variance = (covariance_.outputscale - projected.a.colwise().squaredNorm().transpose().array()).max(0.0);
        if (projected.b.size() > 0) variance += projected.b.colwise().squaredNorm().transpose();
    }
    return prediction;
}

inference::JointLatent DensePosterior::joint(const Context& context, const Points& inputs) const {
    if (inputs.rows() > inference::kMostJointPoints)
        throw InputError(fmt::format("{} points together: at most {} have a joint prediction with this method", inputs.rows(),
                                     inference::kMostJointPoints));
    const Projected projected = project(context, inputs);
    inference::JointLatent joint{projected.a.transpose() * mean_, conditional::cross_covariance(context, covariance_, inputs, inputs)};
    joint.covariance.diagonal().setConstant(covariance_.outputscale);
    joint.covariance -= linalg::product(projected.a, Transposed::yes, projected.a, Transposed::no);
    if (projected.b.size() > 0) joint.covariance += linalg::product(projected.b, Transposed::yes, projected.b, Transposed::no);
    return joint;
}

Points DensePosterior::sample(const Context& context, const Points& inputs, Index count) const {
    inference::JointLatent law = joint(context, inputs);
    if (!law.covariance.allFinite()) throw NumericalError("the covariance of the points is not finite: no samples can be drawn");
    // Known to rounding only: as much is added as that takes.
    double jitter = kSampleJitter * covariance_.outputscale;
    Matrix root = law.covariance;
    root.diagonal().array() += jitter;
    while (!linalg::cholesky(root)) {
        jitter *= 10.0;
        root = law.covariance;
        root.diagonal().array() += jitter;
    }
    Matrix normal(inputs.rows(), count);
    for (Index draw = 0; draw < count; ++draw) {
        RandomStream stream(context.seed, StreamPurpose::joint_sample, static_cast<std::uint32_t>(draw));
        for (double& value : normal.col(draw)) value = stream.normal();
    }
    linalg::multiply_lower(root, normal);
    return normal.colwise() + law.mean;
}

Vector predict_mean(const Context& context, const conditional::Covariance& covariance, const Points& points, const Vector& weights,
                    const Points& inputs) {
    Vector mean(inputs.rows());
    for (Eigen::Index first = 0; first < inputs.rows(); first += kInputsPerBlock) {
        context.check_stop();
        const Eigen::Index count = std::min(kInputsPerBlock, inputs.rows() - first);
        mean.segment(first, count) = conditional::cross_covariance(context, covariance, inputs.middleRows(first, count), points) * weights;
    }
    return mean;
}

}  // namespace vnngp::rivals
