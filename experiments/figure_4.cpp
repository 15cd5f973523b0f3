// Four posteriors of the same noisy observations, all with the true hyperparameters.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "experiments/markdown.hpp"
#include "experiments/pages.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/model/fit.hpp"

namespace vnngp::experiments {
namespace {

constexpr double kLengthscale = 5.0, kOutputscale = 5.0, kNoise = 5.0;
constexpr Index kClusterPoints = 21, kScattered = 8;  // two clusters and what is between: 50
constexpr double kClusterRadius = 6.0;
constexpr double kSparseFrom = 10.0, kSparseTo = 40.0;
constexpr double kGridFrom = -8.0, kGridTo = 58.0;
constexpr Index kGridPoints = 265;
constexpr Index kNeighbors = 5;
constexpr const char* kMethods[] = {"exact", "svgp", "vnngp", "swsgp-n"};

struct Sample {
    Points inputs, grid;
    Vector targets;
    Vector truth;  ///< at the grid
};

// Clusters within 6 of 0 and of 50, and points spread over (10, 40), one at random in each eighth of it; one draw of the process at
// observations and grid together.
Sample draw(std::uint64_t seed) {
    RandomStream random(seed, StreamPurpose::simulation);
    const Index count = 2 * kClusterPoints + kScattered;
    Points all(count + kGridPoints, 1);
    for (Index i = 0; i < kClusterPoints; ++i) {
        all(i, 0) = kClusterRadius * (2 * random.uniform() - 1);
        all(kClusterPoints + i, 0) = 50.0 + kClusterRadius * (2 * random.uniform() - 1);
    }
    for (Index i = 0; i < kScattered; ++i)
        all(2 * kClusterPoints + i, 0) = kSparseFrom + (kSparseTo - kSparseFrom) * (i + random.uniform()) / kScattered;
    for (Index i = 0; i < kGridPoints; ++i) all(count + i, 0) = kGridFrom + (kGridTo - kGridFrom) * i / (kGridPoints - 1);
    Eigen::MatrixXd covariance(all.rows(), all.rows());
    for (Eigen::Index i = 0; i < all.rows(); ++i)
        for (Eigen::Index j = 0; j < all.rows(); ++j)
            covariance(i, j) = kOutputscale * std::exp(-0.5 * std::pow((all(i, 0) - all(j, 0)) / kLengthscale, 2));
    covariance.diagonal().array() += 1e-6;
    Vector white(all.rows());
    for (double& value : white) value = random.normal();
    const Vector field = covariance.llt().matrixL() * white;
    Sample sample{all.topRows(count), all.bottomRows(kGridPoints), field.head(count), field.tail(kGridPoints)};
    for (double& y : sample.targets) y += std::sqrt(kNoise) * random.normal();
    return sample;
}

FitOptions options_of(const MethodInfo& method, bool quick) {
    FitOptions options;
    options.method = method.method;
    options.kernel = "rbf";
    options.metric = Metric::euclidean;
    options.mean.kind = MeanOption::Kind::zero;
    options.nugget.mode = NuggetOption::Mode::none;
    options.fixed = inference::Hyperparameters{.shape = {kLengthscale}, .outputscale = kOutputscale, .likelihood = {kNoise}};
    if (method.method != Method::exact) {
        options.posterior = PosteriorForm::mean_field;
        options.inference = Inference::stochastic;
        options.neighbors = options.prediction_neighbors = kNeighbors;
        options.epochs = quick ? 300 : 3000;
        options.learning_rate = 0.02;
        options.batch = 2 * kClusterPoints + kScattered;
    }
    if (method.method == Method::svgp) options.inducing = 2 * kClusterPoints + kScattered;
    return options;
}

// Mean and standard deviation at the grid. Returns why it failed, or nothing.
std::string add_posterior(Results& results, const Sample& sample, const char* method, const Runner& runner) {
    Context context = runner.context();
    context.seed = runner.options().seed;
    try {
        const FittedModel model = fit(sample.inputs, sample.targets, options_of(method_info(method), runner.options().quick), context);
        const Prediction found = model.predict(sample.grid, context);
        for (Index i = 0; i < kGridPoints; ++i) {
            results.add({"posterior", method, "mean", sample.grid(i, 0), found.latent_mean[i]});
            results.add({"posterior", method, "sd", sample.grid(i, 0), std::sqrt(found.latent_variance[i])});
        }
    } catch (const Interrupted&) {
        throw;
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// Of the pointwise posteriors, N(m, v) from N(m0, v0).
double divergence(double m, double v, double m0, double v0) { return 0.5 * (std::log(v0 / v) - 1.0 + (v + (m - m0) * (m - m0)) / v0); }

void add_distances(Results& results, const Sample& sample) {
    const auto mean0 = results.curve("posterior", "exact", "mean"), sd0 = results.curve("posterior", "exact", "sd");
    if (mean0.empty()) return;
    for (const char* method : kMethods) {
        const auto mean = results.curve("posterior", method, "mean"), sd = results.curve("posterior", method, "sd");
        if (mean.empty()) continue;
        for (const bool sparse : {true, false}) {
            double squares = 0.0, kl = 0.0, width = 0.0;
            int count = 0;
            for (const double x : sample.grid.col(0)) {
                if (sparse && (x < kSparseFrom || x > kSparseTo)) continue;
                squares += std::pow(mean.at(x) - mean0.at(x), 2);
                kl += divergence(mean.at(x), std::pow(sd.at(x), 2), mean0.at(x), std::pow(sd0.at(x), 2));
                width += sd0.at(x);
                ++count;
            }
            const std::string panel = sparse ? "sparse region" : "everywhere";
            results.add({panel, method, "rmse of the mean", 0.0, std::sqrt(squares / count)});
            results.add({panel, method, "kl", 0.0, kl / count});
            results.add({panel, method, "sd of exact", 0.0, width / count});
        }
    }
}

chart::Panel panel_of(const Page& page, const Sample& sample, const char* method, const std::string& failure) {
    const MethodInfo& info = method_info(method);
    const std::string name = info.method == Method::swsgp ? "SWSGP" : std::string(info.label);
    chart::Panel panel{.title = name, .x_label = "x", .y_range = chart::Range{-9.0, 9.0}};
    const auto mean = page.results.curve("posterior", method, "mean"), sd = page.results.curve("posterior", method, "sd");
    chart::Line truth{.style = {chart::kGray, chart::Dash::solid, chart::Marker::none, 1.4}},
        middle{.style = {info.color, chart::Dash::solid, chart::Marker::none, 2.0}};
    chart::Band band{.color = info.color};
    for (Index i = 0; i < kGridPoints; ++i) truth.x.push_back(sample.grid(i, 0)), truth.y.push_back(sample.truth[i]);
    for (const auto& [x, y] : mean) {
        middle.x.push_back(x), middle.y.push_back(y);
        band.x.push_back(x), band.low.push_back(y - 1.96 * sd.at(x)), band.high.push_back(y + 1.96 * sd.at(x));
    }
    chart::Line dots{.style = {chart::kBlack, chart::Dash::none, chart::Marker::cross}};
    for (Eigen::Index i = 0; i < sample.targets.size(); ++i) dots.x.push_back(sample.inputs(i, 0)), dots.y.push_back(sample.targets[i]);
    panel.elements = {band, truth, dots, middle};
    if (mean.empty()) panel.title += failure.empty() ? " (not run)" : " (failed)";
    return panel;
}

}  // namespace

Page figure_4(Runner& runner) {
    const RunOptions& options = runner.options();
    const Sample sample = draw(options.seed);
    Page page{.x_name = "place"};
    page.figure = {
        .title = "Posteriors under high noise",
        .subtitle =
            "Mean and 95 % band of the latent function with the true hyperparameters; grey: the true function; crosses: observations.",
        .columns = 2,
        .panel_width = 380,
        .panel_height = 190};
    for (Eigen::Index i = 0; i < sample.targets.size(); ++i)
        page.results.add({"data", "observations", "y", sample.inputs(i, 0), sample.targets[i]});
    for (Index i = 0; i < kGridPoints; ++i) page.results.add({"data", "truth", "f", sample.grid(i, 0), sample.truth[i]});
    std::string failures;
    for (const char* method : kMethods) {
        const std::string failure = runner.wants_method(method) ? add_posterior(page.results, sample, method, runner) : "";
        if (!failure.empty()) failures += fmt::format("\n{} failed: {}\n", method_info(method).label, failure);
        page.figure.panels.push_back(panel_of(page, sample, method, failure));
    }
    add_distances(page.results, sample);
    MarkdownTable table({"method", "mean, sparse region", "mean, everywhere", "KL, sparse region", "KL, everywhere"});
    for (const char* method : kMethods) {
        const auto text = [&](const char* panel, const char* quantity) {
            const auto value = page.results.at(panel, method, quantity);
            return value ? fmt::format("{:.3g}", *value) : std::string("—");
        };
        table.row({std::string(method_info(method).label), text("sparse region", "rmse of the mean"),
                   text("everywhere", "rmse of the mean"), text("sparse region", "kl"), text("everywhere", "kl")});
    }
    page.text = fmt::format(
        "N = 50 observations of one draw: {} uniformly within {:g} of x = 0, as many within {:g} of x = 50, and {} spread over ({:g}, "
        "{:g}), the sparse region. Squared "
        "exponential kernel with length-scale 5 and output scale 5, noise variance 5. All hyperparameters are the true ones; only q(u) is "
        "fitted, "
        "mean-field, with inducing points at the observations, K = 5, all observations in each step. The paper does not give its layout, "
        "and no numbers.\n\n"
        "Distance to the exact posterior: root mean square of the difference of means, and the mean KL divergence of the posterior at a "
        "point, in nats, on a grid "
        "from {:g} to {:g}.\n\n{}{}",
        kClusterPoints, kClusterRadius, kClusterRadius, kScattered, kSparseFrom, kSparseTo, kGridFrom, kGridTo, table.text(), failures);
    return page;
}

}  // namespace vnngp::experiments
