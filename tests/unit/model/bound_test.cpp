// The bound contains the nearest-neighbour likelihood of the observations as a limit: all white noise in the nugget, q(u) on the
// observations. Its maximum is therefore not lower.
#include "dense_prediction.hpp"
#include "vnngp/model/simulate.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

class Bound : public ::testing::TestWithParam<double> {};

TEST_P(Bound, IsNotBelowTheLikelihoodOfTheObservations) {
    for (const Metric metric : {Metric::euclidean, Metric::kernel})
        for (const std::string kernel : {"matern32", "rbf"}) {
            const auto data =
                simulate({.points = 300, .kernel = kernel, .lengthscales = {0.3, 0.6}, .noise = GetParam(), .neighbors = 50}, {.seed = 7});
            FitOptions options = settled(10, kernel);
            options.metric = metric;
            const auto bound = fit(data.inputs, data.targets, options);
            options.inference = Inference::response;
            const auto response = fit(data.inputs, data.targets, options);
            EXPECT_TRUE(bound.report.converged) << bound.report.stopped_because;
            EXPECT_TRUE(response.report.converged) << response.report.stopped_because;
            // Under the kernels that they learn, the two fits need not have the same neighbours.
            const double slack = metric == Metric::euclidean ? 1e-4 : 3e-3;
            EXPECT_GT(bound.report.elbo_per_point(), response.report.elbo_per_point() - slack) << kernel;
        }
}

INSTANTIATE_TEST_SUITE_P(Noise, Bound, ::testing::Values(1e-3, 0.1, 1.0),
                         [](const auto& suite) { return "number" + std::to_string(suite.index); });

/// A fit in which every point is a neighbour: the nearest-neighbour prior is the Gaussian process itself.
struct Dense {
    static constexpr Index kRows = 50;
    explicit Dense(Inference inference) {
        FitOptions options = settled(kRows, "matern32");
        options.inference = inference;
        const Points x = random_points(kRows, 2, 1);
        const Vector y = wave(x, 0.3);
        model = fit(x, y, options);
        const DenseModel dense(model);
        const Points z = dense.standardized(x);
        prior = dense.covariance(z, z) + dense.white() * MatrixXd::Identity(kRows, kRows);
        residual = data::apply(model.target_scaling, y) - dense.mean(z);
    }
    double noise() const { return model.hyper.likelihood[0]; }
    double log_evidence() const { return log_normal_density(residual, prior + noise() * MatrixXd::Identity(kRows, kRows)); }

    FittedModel model;
    MatrixXd prior;  ///< of u
    Vector residual;
};

// ELBO = log p(y) - 1/2 (sum_j log P_jj - log |P|), P = Q + 1 / noise   (C2)
TEST(ReportedBound, IsTheLogEvidenceLessWhatMeanFieldLoses) {
    const Dense fitted(Inference::collapsed);
    const MatrixXd p = fitted.prior.inverse() + MatrixXd::Identity(Dense::kRows, Dense::kRows) / fitted.noise();
    const double lost = 0.5 * (p.diagonal().array().log().sum() - log_determinant(p));
    EXPECT_GT(lost, 0.0);
    EXPECT_NEAR(fitted.model.report.elbo, fitted.log_evidence() - lost, 1e-5);
}

TEST(ReportedBound, OfTheResponseIsTheLikelihoodOfTheObservations) {
    const Dense fitted(Inference::response);
    EXPECT_NEAR(fitted.model.report.elbo, fitted.log_evidence(), 1e-4);
}

}  // namespace
}  // namespace vnngp
