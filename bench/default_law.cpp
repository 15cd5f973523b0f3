// Is the default fit as good as knowing the truth? Fields are simulated from every kernel, with little and much noise, at clustered and at
// gridded inputs; a block and random points are held out. Compared: CRPS and coverage of the default fit, and of exact Gaussian-process
// prediction (dense algebra) with the true parameters, as means over several fields (argument 1): the points of one block rise and fall
// together, so one field says little about it. Arguments 2 and 3: this kernel and this noise only. Argument 4, "exact": instead of the
// default the exact process with the true kernel, fitted by maximum likelihood: how near the truth anybody can come who has to learn it.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "vnngp/base/random.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/fit.hpp"
#include "vnngp/model/simulate.hpp"

using namespace vnngp;

namespace {

constexpr Index kPoints = 3000;
constexpr double kLengthscale = 0.2;
constexpr double kJitter = 1e-8;  ///< of the simulation itself

Points gridded() {
    const auto side = static_cast<Index>(std::sqrt(kPoints));
    Points points(side * side, 2);
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < side; ++j) points.row(i * side + j) << (i + 0.5) / side, (j + 0.5) / side;
    return points;
}

// Half of the points scattered, half in twenty clumps.
Points clustered(std::uint64_t seed) {
    RandomStream stream(seed, StreamPurpose::subsample, 7);
    Points points(kPoints, 2);
    Points centers(20, 2);
    for (double& x : centers.reshaped()) x = stream.uniform();
    for (Index i = 0; i < kPoints; ++i) {
        if (i % 2 == 0) {
            points.row(i) << stream.uniform(), stream.uniform();
        } else {
            const auto center = centers.row(static_cast<Eigen::Index>(stream.below(20)));
            points.row(i) << center[0] + 0.03 * stream.normal(), center[1] + 0.03 * stream.normal();
        }
    }
    return points;
}

bool in_block(const Points& points, Index i) {
    return points(i, 0) > 0.4 && points(i, 0) < 0.6 && points(i, 1) > 0.4 && points(i, 1) < 0.6;
}

double correlation(const std::string& kernel, double r) {
    if (kernel == "matern12") return std::exp(-r);
    if (kernel == "matern32") return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    if (kernel == "matern52") return (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
    return std::exp(-r * r / 2);
}

Eigen::MatrixXd covariance(const std::string& kernel, const Points& a, const Points& b) {
    Eigen::MatrixXd k(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < b.rows(); ++j) k(i, j) = correlation(kernel, (a.row(i) - b.row(j)).norm() / kLengthscale);
    return k;
}

struct Score {
    double crps = 0.0, coverage = 0.0;
};

// CRPS of a normal law, and whether y is within its central 95 %.
Score normal_score(const Vector& y, const Vector& mean, const Vector& variance) {
    Score score;
    for (Eigen::Index i = 0; i < y.size(); ++i) {
        const double sd = std::sqrt(variance[i]), z = (y[i] - mean[i]) / sd;
        const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi), cdf = 0.5 * std::erfc(-z / std::numbers::sqrt2);
        score.crps += sd * (z * (2 * cdf - 1) + 2 * density - 1 / std::sqrt(std::numbers::pi)) / static_cast<double>(y.size());
        score.coverage += (std::abs(z) < 1.959964) / static_cast<double>(y.size());
    }
    return score;
}

Score of_truth(const std::string& kernel, double noise, const Points& x, const Vector& y, const Points& test, const Vector& y_test) {
    Eigen::MatrixXd k = covariance(kernel, x, x);
    k.diagonal().array() += noise + kJitter;
    const Eigen::LLT<Eigen::MatrixXd> factor(k);
    const Eigen::MatrixXd cross = covariance(kernel, x, test), solved = factor.matrixL().solve(cross);
    const Vector mean = cross.transpose() * factor.solve(y);
    const Vector variance = (1.0 + noise + kJitter - solved.colwise().squaredNorm().transpose().array()).max(1e-12);
    return normal_score(y_test, mean, variance);
}

Score of_prediction(const FittedModel& model, const Points& test, const Vector& y_test) {
    const Prediction p = model.predict(test);
    return normal_score(y_test, p.mean, p.variance);
}

/// Sums over the fields of one setting.
struct Comparison {
    Score ours, truth;
    void add(const Score& fitted, const Score& exact) {
        ours.crps += fitted.crps;
        ours.coverage += fitted.coverage;
        truth.crps += exact.crps;
        truth.coverage += exact.coverage;
    }
};

struct Setting {
    std::string kernel;
    double noise;
    bool grid;
};

/// At the points held out at random, and in the block.
std::array<Comparison, 2> compare(const Setting& setting, int fields, bool exactly) {
    std::array<Comparison, 2> total;
    for (int seed = 1; seed <= fields; ++seed) {
        const auto field = simulate_at(setting.grid ? gridded() : clustered(seed),
                                       {.kernel = setting.kernel, .lengthscales = {kLengthscale}, .noise = setting.noise, .neighbors = 100},
                                       {.seed = static_cast<std::uint64_t>(seed)});
        RandomStream stream(seed, StreamPurpose::split);
        std::array<std::vector<Index>, 2> held_out;
        std::vector<Index> train;
        for (Index i = 0; i < static_cast<Index>(field.inputs.rows()); ++i)
            (in_block(field.inputs, i) ? held_out[1] : stream.uniform() < 0.2 ? held_out[0] : train).push_back(i);
        const Points x = data::gather_rows(field.inputs, train);
        const Vector y = data::gather_values(field.targets, train);
        FitOptions options;
        if (exactly)
            options = {
                .kernel = setting.kernel, .metric = Metric::euclidean, .method = Method::exact, .nugget = {NuggetOption::Mode::none}};
        const FittedModel model = fit(x, y, options);
        for (int part = 0; part < 2; ++part) {
            const Points test = data::gather_rows(field.inputs, held_out[part]);
            const Vector y_test = data::gather_values(field.targets, held_out[part]);
            total[part].add(of_prediction(model, test, y_test), of_truth(setting.kernel, setting.noise, x, y, test, y_test));
        }
    }
    return total;
}

}  // namespace

int main(int argc, char** argv) {
    const int fields = argc > 1 ? std::atoi(argv[1]) : 5;
    fmt::print("means over {} fields\n{:<10}{:<8}{:<11}{:<9}{:>10}{:>10}{:>8}{:>11}{:>11}\n", fields, "kernel", "noise", "inputs",
               "held out", "CRPS", "truth's", "ratio", "coverage", "truth's");
    const bool exactly = argc > 4 && std::string(argv[4]) == "exact";
    int within = 0, covered = 0, cases = 0;
    for (const std::string kernel : {"matern12", "matern32", "matern52", "rbf"}) {
        if (argc > 2 && kernel != argv[2]) continue;
        for (const double noise : {0.0, 0.001, 0.1, 1.0}) {
            if (argc > 3 && noise != std::atof(argv[3])) continue;
            for (const bool grid : {false, true}) {
                const auto comparisons = compare({kernel, noise, grid}, fields, exactly);
                for (int part = 0; part < 2; ++part) {
                    const auto& [ours, truth] = comparisons[part];
                    const double coverage = ours.coverage / fields;
                    fmt::print("{:<10}{:<8}{:<11}{:<9}{:>10.5f}{:>10.5f}{:>8.3f}{:>11.3f}{:>11.3f}\n", kernel, noise,
                               grid ? "gridded" : "clustered", part == 0 ? "random" : "block", ours.crps / fields, truth.crps / fields,
                               ours.crps / truth.crps, coverage, truth.coverage / fields);
                    std::fflush(stdout);
                    ++cases;
                    within += ours.crps < 1.03 * truth.crps;
                    covered += coverage > 0.93 && coverage < 0.97;
                }
            }
        }
    }
    fmt::print("CRPS within 3 % of the truth's: {} of {}; coverage within .93 - .97: {}\n", within, cases, covered);
}
