#include "vnngp/rivals/dense_posterior.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
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
constexpr double kExhausted = 1e-10;     ///< of a step of Lanczos' method: what rounding leaves

// G = Q T^{-1/2}: C = L L' is Q T Q' in the Krylov space of a random start, and its inverse Q T^{-1} Q' there. Every new vector is made
// orthogonal to all others, twice, since rounding would bring the first ones back.
Matrix krylov_inverse_root(const Context& context, const Matrix& l, Index steps) {
    steps = std::min(steps, static_cast<Index>(l.rows()));
    Matrix q(l.rows(), steps), image(l.rows(), 1);
    Vector diagonal(steps), off(std::max<Index>(steps - 1, 0));
    RandomStream stream(context.seed, StreamPurpose::probe);
    for (double& value : image.col(0)) value = stream.normal();
    for (Index k = 0; k < steps; ++k) {
        context.check_stop();
        q.col(k) = image.col(0).normalized();
        image.col(0) = q.col(k);
        linalg::multiply_lower(l, image, Transposed::yes);
        linalg::multiply_lower(l, image);
        diagonal[k] = q.col(k).dot(image.col(0));
        for (int pass = 0; pass < 2; ++pass) image.col(0) -= q.leftCols(k + 1) * (q.leftCols(k + 1).transpose() * image.col(0)).eval();
        const double norm = image.col(0).norm();
        if (k + 1 == steps) break;
        if (norm <= kExhausted * diagonal[k]) {  // the space holds nothing more
            steps = k + 1;
            break;
        }
        off[k] = norm;
    }
    Eigen::SelfAdjointEigenSolver<Matrix> eigen;
    eigen.computeFromTridiagonal(diagonal.head(steps), off.head(std::max<Index>(steps - 1, 0)));
    const Matrix root = eigen.eigenvectors() * eigen.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal();
    return linalg::product(q.leftCols(steps), Transposed::no, root, Transposed::no);
}

}  // namespace

DensePosterior::DensePosterior(const Context& context, conditional::Covariance covariance, const Points& inducing, Vector mean,
                               Matrix factor)
    : covariance_(std::move(covariance)), inducing_(inducing), mean_(std::move(mean)), factor_(std::move(factor)) {
    linalg::set_dense_threads(context.num_threads(), inducing_.rows());
    prior_factor_ = conditional::factored_covariance(context, covariance_, inducing_, 0.0);
}

DensePosterior DensePosterior::of_observations(const Context& context, conditional::Covariance covariance, const Points& points,
                                               const Vector& centered, Index lanczos_steps) {
    DensePosterior posterior(context, std::move(covariance), points, {}, {});
    Matrix white = centered;
    linalg::solve_lower(posterior.prior_factor_, white);
    posterior.mean_ = white.col(0);
    if (lanczos_steps > 0) {
        posterior.inverse_root_ = krylov_inverse_root(context, posterior.prior_factor_, lanczos_steps);
        linalg::solve_lower(posterior.prior_factor_, white, Transposed::yes);
        posterior.weights_ = white.col(0);
    }
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
        const Points block = inputs.middleRows(first, count);
        auto mean = prediction.mean.segment(first, count), variance = prediction.variance.segment(first, count);
        const auto left_by = [&](const Matrix& known) -> Vector {
            return (covariance_.outputscale - known.colwise().squaredNorm().transpose().array()).max(0.0);
        };
        if (inverse_root_.size() > 0) {  // no system to solve
            const Matrix cross = conditional::cross_covariance(context, covariance_, inducing_, block);
            mean = cross.transpose() * weights_;
            variance = left_by(linalg::product(inverse_root_, Transposed::yes, cross, Transposed::no));
            continue;
        }
        const Projected projected = project(context, block);
        mean = projected.a.transpose() * mean_;
        variance = left_by(projected.a);
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
