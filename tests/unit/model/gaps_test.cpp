// Points in gaps of the data look at more neighbours than the others.
#include "model/gaps.hpp"

#include "model_support.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp::testing {
namespace {

// A grid with a square hole in its middle, and a smooth field on it.
class FieldWithAHole : public ::testing::Test {
protected:
    static Points grid(bool hole, int side) {
        std::vector<double> at;
        const auto central = [side](int i) { return std::abs(i - 0.5 * (side - 1)) < 0.15 * side; };
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j)
                if ((central(i) && central(j)) == hole) at.insert(at.end(), {static_cast<double>(i) / side, static_cast<double>(j) / side});
        return Eigen::Map<const Points>(at.data(), static_cast<Eigen::Index>(at.size()) / 2, 2);
    }
    static Vector field(const Points& x) { return (9.0 * x.col(0).array()).sin() * (7.0 * x.col(1).array()).cos(); }

    explicit FieldWithAHole(int side = 40) : outside(grid(false, side)), hole(grid(true, side)) {
        options.kernel = "matern52";
        options.neighbors = 8;
    }
    FittedModel fitted() const {
        return fit(outside, field(outside) + 0.01 * random_vector(static_cast<Index>(outside.rows()), 1), options);
    }

    Points outside, hole;
    FitOptions options;
};

// So few points that a gap looks at all of them, and more.
class FieldOfAnySizeWithAHole : public FieldWithAHole, public ::testing::WithParamInterface<int> {
protected:
    FieldOfAnySizeWithAHole() : FieldWithAHole(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Sides, FieldOfAnySizeWithAHole, ::testing::Values(40, 60), ::testing::PrintToStringParamName());

TEST_P(FieldOfAnySizeWithAHole, IsPredictedInsideFromMoreNeighboursThanOutside) {
    const auto model = fitted();
    ASSERT_GT(model.gap_neighbors, model.prediction_neighbors);
    Points middle(1, 2), between = outside.topRows(20);
    middle << 0.49, 0.49;
    between.array() += 0.01;
    const auto with = [&](const Points& x, Index neighbors) { return Predictor(model, {}, neighbors).predict(x).latent_mean; };
    EXPECT_EQ(model.gap_neighbors, GetParam() == 40 ? model.inducing.rows() : 1024);
    // All of them, or nearest to about the same place.
    EXPECT_NEAR(with(middle, 0)[0], with(middle, model.gap_neighbors)[0], GetParam() == 40 ? 1e-6 : 2e-3);
    EXPECT_EQ(with(between, 0), with(between, model.prediction_neighbors));
    const auto error = [&](Index neighbors) { return root_mean_square(with(hole, neighbors) - field(hole)); };
    EXPECT_LT(error(0), error(model.prediction_neighbors));
}

TEST_P(FieldOfAnySizeWithAHole, IsPredictedPointByPointWhateverElseIsPredicted) {
    const auto model = fitted();
    const auto whole = model.predict(hole), one_thread = model.predict(hole, {.threads = 1});
    EXPECT_EQ(whole.mean, one_thread.mean);
    EXPECT_EQ(whole.variance, one_thread.variance);
    for (const Index i : {0, 17, 60}) {
        const auto alone = model.predict(hole.row(i));
        EXPECT_NEAR(alone.mean[0], whole.mean[i], 1e-10);
        EXPECT_NEAR(alone.variance[0], whole.variance[i], 1e-10);
    }
}

// More points of one cell than are solved for at a time, and more rows than their neighbours are kept for.
TEST_P(FieldOfAnySizeWithAHole, IsPredictedInPiecesAsInOne) {
    const auto model = fitted();
    Points far = 0.001 * random_points(2500, 2, 3);
    far.array() += 40.0;
    const auto whole = model.predict(far), part = model.predict(far.bottomRows(300));
    EXPECT_LT((whole.mean.tail(300) - part.mean).norm(), 1e-10);
    EXPECT_LT((whole.variance.tail(300) - part.variance).norm(), 1e-10);
    const Points many = outside.topRows(1400).replicate(28, 1);
    const Vector mean = Predictor(model, {}, 64).predict(many).mean;
    EXPECT_LT((mean.head(1400) - mean.tail(1400)).norm(), 1e-10);
}

TEST_F(FieldWithAHole, HasCellsThatWidenWithTheDistanceFromTheData) {
    Points at(5, 2);
    at << 0.1, 0.1, 0.9, 0.9, 1.1, 0.1, 5.0, 5.0, 6.9, 7.9;
    const Vector distance{{1.5, 1.9, 1.2, 4.5, 7.9}};
    const auto cells = model::gap_cells(at, distance, 1.0);
    ASSERT_EQ(cells.size(), 3u);
    EXPECT_EQ(cells[0].points, (std::vector<Index>{0, 1}));
    EXPECT_EQ(cells[1].points, (std::vector<Index>{2}));
    EXPECT_EQ(cells[2].points, (std::vector<Index>{3, 4}));
    EXPECT_EQ(cells[1].center, Eigen::RowVector2d(1.5, 0.5));
    EXPECT_EQ(cells[2].center, Eigen::RowVector2d(6.0, 6.0));
    EXPECT_TRUE(model::gap_cells(at, Vector::Constant(5, 1.0), 1.0).empty());
}

// In draws a point of the hole looks at the neighbours nearest to itself, and at other points of the hole.
TEST_F(FieldWithAHole, IsDrawnInsideAsItIsPredicted) {
    constexpr Index kSamples = 2000;
    options.neighbors = 16;
    const auto model = fitted();
    const Points middle = hole.middleRows(61, 10);
    const auto prediction = model.predict(middle);
    const Predictor predictor(model, {});
    const Points samples = predictor.sample(middle, kSamples, 1, true);
    const auto joint = predictor.joint(middle, 1);
    for (Index i = 0; i < middle.rows(); ++i) {
        const double sd = std::sqrt(prediction.latent_variance[i]);
        EXPECT_NEAR(samples.row(i).mean(), prediction.latent_mean[i], 0.2 * sd + 5.0 * sd / std::sqrt(kSamples));
        EXPECT_NEAR(joint.mean[i], prediction.latent_mean[i], 0.2 * sd);
        EXPECT_NEAR(std::sqrt(joint.covariance(i, i)) / sd, 1.0, 0.1);
    }
}

// Places that coincide in the metric, as a kernel that ignores a column makes them, say nothing about how far apart data are.
TEST_F(FieldWithAHole, IsToldApartFromPlacesThatCoincide) {
    const Points places = random_points(300, 2, 3), test = 0.5 * random_points(100, 2, 4);
    Points x(4 * 300, 3), at(100, 3);
    for (Index i = 0; i < x.rows(); ++i) x.row(i) << places.row(i % 300), i / 300;
    at << test, Vector::Constant(100, 1.5);
    const auto smooth = [](const Points& p) { return Vector((2.0 * p.col(0).array()).sin() + p.col(1).array()); };
    const Vector y = smooth(x) + 0.1 * random_vector(static_cast<Index>(x.rows()), 5);
    options.kernel = "matern52(x1,x2)";
    options.input_names = {"x1", "x2", "t"};
    for (const Inference inference : {Inference::collapsed, Inference::response}) {
        options.inference = inference;
        const auto model = fit(x, y, options);
        EXPECT_TRUE(model.gap_neighbors == 0 || model.gap_distance > 0.0);
        EXPECT_LT(root_mean_square(model.predict(at).latent_mean - smooth(test)), 0.05) << inference_name(inference);
    }
}

TEST_F(FieldWithAHole, IsPredictedFromTheNumberThatWasAskedFor) {
    options.prediction_neighbors = 8;
    EXPECT_EQ(fit(outside, field(outside), options).gap_neighbors, 0);
}

}  // namespace
}  // namespace vnngp::testing
