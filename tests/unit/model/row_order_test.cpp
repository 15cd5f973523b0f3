// The order of the rows of a table says nothing.
#include <numeric>

#include "model_support.hpp"
#include "vnngp/data/split.hpp"

namespace vnngp {
namespace {

using namespace vnngp::testing;

class RowOrder : public ::testing::TestWithParam<std::string> {};

TEST_P(RowOrder, DoesNotChangeThePredictions) {
    constexpr Index kRows = 150;
    Points x = random_points(kRows, 2, 1);
    x.bottomRows(20) = x.topRows(20);
    const Points test = random_points(40, 2, 2);
    Vector y = wave(x, 0.3);
    if (GetParam() == "bernoulli") y = (y.array() > 0.0).cast<double>();
    FitOptions options = settled();
    options.likelihood = GetParam();
    options.ordering = neighbors::Ordering::coordinate;
    RandomStream stream(3, StreamPurpose::test);
    const auto order = random_permutation(kRows, stream);
    const auto a = fit(x, y, options), b = fit(data::gather_rows(x, order), data::gather_values(y, order), options);
    EXPECT_EQ(a.report.duplicates_merged, b.report.duplicates_merged);
    EXPECT_NEAR(a.report.elbo, b.report.elbo, 1e-6);
    // Sums are taken in another order, which training amplifies.
    const auto pa = a.predict(test), pb = b.predict(test);
    EXPECT_LT((pa.mean - pb.mean).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((pa.variance - pb.variance).cwiseAbs().maxCoeff(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Likelihoods, RowOrder, ::testing::Values("gaussian", "bernoulli"),
                         [](const auto& suite) { return std::string(suite.param); });

}  // namespace
}  // namespace vnngp
