// --inference response is classical nearest-neighbour kriging.
#include "dense_prediction.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

TEST(Response, PredictsLikeNearestNeighbourKrigingWithTheTotalNoise) {
    constexpr Index kRows = 200, kNeighbors = 12;
    Points x = random_points(kRows, 2, 1);
    x.bottomRows(10) = x.topRows(10);
    const Vector y = wave(x, 0.3);
    const Points test = random_points(60, 2, 2);
    FitOptions options = settled(10, "matern32");
    options.prediction_neighbors = kNeighbors;
    options.inference = Inference::response;
    const auto model = fit(x, y, options);
    EXPECT_EQ(model.report.num_inducing, kRows) << "each observation is a point of its own, also at a repeated input";
    EXPECT_EQ(model.report.duplicates_merged, 0);

    const DenseModel dense(model);
    const double noise = model.hyper.nugget + model.hyper.likelihood[0], unit = model.target_scaling.scale;
    const Points at = dense.standardized(test);
    const auto prediction = model.predict(test);
    for (Index i = 0; i < test.rows(); ++i) {
        const Points point = at.row(i);
        const auto n = dense.nearest(point, kNeighbors, model.metric);
        Points near(kNeighbors, 2);
        Vector observed(kNeighbors);
        for (Index p = 0; p < kNeighbors; ++p) {
            near.row(p) = model.inducing.row(n[p]);
            observed[p] = model.posterior.mean[n[p]];
        }
        const MatrixXd block = dense.covariance(near, near) + noise * MatrixXd::Identity(kNeighbors, kNeighbors);
        const Vector c = dense.covariance(near, point), weights = block.ldlt().solve(c);
        const double mean = dense.mean(point)[0] + weights.dot(observed - dense.mean(near));
        const double variance = model.hyper.outputscale + noise - c.dot(weights);
        EXPECT_NEAR((prediction.mean[i] - model.target_scaling.center) / unit, mean, 1e-5);
        EXPECT_NEAR(prediction.variance[i] / (unit * unit), variance, 1e-5);
    }
}

TEST(Response, KeepsTheObservationsThemselves) {
    const Points x = random_points(50, 2, 3);
    const Vector y = wave(x);
    FitOptions options = settled();
    options.inference = Inference::response;
    const auto model = fit(x, y, options);
    Vector kept = data::invert(model.target_scaling, model.posterior.mean), given = y;
    std::sort(kept.begin(), kept.end());
    std::sort(given.begin(), given.end());
    EXPECT_LT((kept - given).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace vnngp
