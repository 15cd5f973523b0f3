#include "inference/preconditioned_precision.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "small_problem.hpp"

namespace vnngp::inference {
namespace {

using Eigen::MatrixXd;

template <class Map>
MatrixXd matrix_of(Eigen::Index size, const Map& map) {
    MatrixXd matrix(size, size);
    for (Eigen::Index c = 0; c < size; ++c) matrix.col(c) = map(Vector(Vector::Unit(size, c)));
    return matrix;
}

// In one region, or cut in the middle.
struct Case {
    Layout layout;
    bool is_cut = false;
};

SmallProblem problem_of(const Case& of) {
    SmallProblem f = small_problem("gaussian", of.layout);
    if (!of.is_cut) return f;
    std::vector<Index> order(f.problem.num_inducing());
    std::iota(order.begin(), order.end(), 0);
    f.problem.prior_graph = neighbors::renumbered(f.problem.prior_graph, order, {});  // ascending
    const Index half = f.problem.num_inducing() / 2;
    f.problem.regions = {{0, half}, {half, f.problem.num_inducing()}};
    for (Index i = half; i < f.problem.num_inducing(); ++i)
        if (f.problem.prior_graph.row(i)[0] < half) f.problem.regions[1].border.push_back(i);
    return f;
}

class PreconditionedPrecisionOf : public ::testing::TestWithParam<Case> {
protected:
    SmallProblem f = problem_of(GetParam());
    DenseProblem dense = dense_problem(f.problem, f.hyper);
    StoredRows prior{
        {}, covariance(f.problem, f.hyper), {f.problem.inducing, f.problem.inducing, f.problem.prior_graph}, f.problem.regions};
    DataRows data{{}, covariance(f.problem, f.hyper), f.problem};
    Vector site = testing::random_vector(f.problem.num_observations(), 71).cwiseAbs().array() + 0.1;
    Eigen::Index size = f.problem.num_inducing();
    Context context;
    PreconditionedPrecision system{context, prior, data, site};
    MatrixXd product_of(PreconditionedPrecision& any) const {
        return matrix_of(size, [&](const Vector& y) {
            Vector image(size);
            any.multiply(y, image);
            return image;
        });
    }
    MatrixXd r = matrix_of(size, [&](const Vector& x) { return system.coordinates(x); });
};

TEST_P(PreconditionedPrecisionOf, IsThePrecisionInOtherCoordinates) {
    const MatrixXd precision = dense.q + dense.a.transpose() * site.asDiagonal() * dense.a;
    const MatrixXd product = product_of(system);
    const double scale = (r.transpose() * product * r).cwiseAbs().maxCoeff();
    EXPECT_LT((r.transpose() * product * r - precision).cwiseAbs().maxCoeff(), 1e-11 * scale);
    EXPECT_LT((product - product.transpose()).cwiseAbs().maxCoeff(), 1e-9 * product.cwiseAbs().maxCoeff());
}

TEST_P(PreconditionedPrecisionOf, ComesBackFromItsCoordinates) {
    const Vector x = testing::random_vector(size, 72);
    EXPECT_LT((system.at(system.coordinates(x)) - x).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((r.transpose() * system.right_side(x) - x).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(PreconditionedPrecisionOf, IsTheIdentityWhereTheDataSayNothing) {
    const Vector nothing = Vector::Zero(site.size());
    PreconditionedPrecision of_prior(context, prior, data, nothing);
    const double difference = (product_of(of_prior) - MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff();
    if (GetParam().is_cut)
        EXPECT_GT(difference, 0.01) << "what links regions is left to the iterations";
    else
        EXPECT_LT(difference, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Rows, PreconditionedPrecisionOf,
                         ::testing::Values(Case{Layout::one_per_site}, Case{Layout::repeated_sites}, Case{Layout::data_rows},
                                           Case{Layout::one_per_site, true}, Case{Layout::data_rows, true}));

}  // namespace
}  // namespace vnngp::inference
