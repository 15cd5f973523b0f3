// KL divergences as functions of the number of neighbours.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>
#include <span>

#include "experiments/divergences.hpp"
#include "experiments/markdown.hpp"
#include "experiments/pages.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/kernel/correlations_to.hpp"
#include "vnngp/model/simulate.hpp"
#include "vnngp/neighbors/ordering.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::experiments {
namespace {

constexpr Index kGridPoints = 100;

struct Sweep {
    std::vector<double> lengthscales;
    std::vector<Index> neighbors;
};
Sweep sweep(bool quick) {
    if (quick) return {{1.0, 5.0}, {1, 2, 5, 10, 20, kGridPoints}};
    return {{1.0, 2.0, 5.0, 10.0}, {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, kGridPoints}};
}

constexpr double kSampleJitter = 1e-8;
constexpr double kPublishedDiagonal = 1e-3;  // what the authors' public implementation adds
constexpr double kSmallDiagonal = 1e-8;

struct Variation {
    std::string name;
    std::string text;
    std::string kernel = "rbf";
    neighbors::Ordering ordering = neighbors::Ordering::random;
    std::uint64_t order_seed = 0;
    double diagonal = kSmallDiagonal;
    bool real_data = false;
};

struct Inducing {
    Points points;  ///< in the unit of their spacing
    Vector mean;
    std::string text;
};

ExtendedMatrix covariance_of(const std::string& kernel_name, const Points& points, double lengthscale, double diagonal) {
    const auto kernel = kernel::make_kernel(kernel_name, static_cast<int>(points.cols()));
    const std::vector<double> shape(points.cols(), lengthscale);
    std::vector<Index> all(points.rows());
    std::iota(all.begin(), all.end(), Index{0});
    ExtendedMatrix covariance(points.rows(), points.rows());
    std::vector<double> row(points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        kernel::correlations_to(*kernel, shape, points, all, points.row(i).data(), row);
        for (Eigen::Index j = 0; j < points.rows(); ++j) covariance(i, j) = row[j];
    }
    covariance = (covariance + covariance.transpose()).eval() / 2;
    covariance.diagonal().setConstant(1.0L + diagonal);
    return covariance;
}

// The grid, and a draw from a process with length-scale 5 and output scale 1.
Inducing grid(std::uint64_t seed) {
    Inducing found{Points(kGridPoints, 1), Vector(kGridPoints), ""};
    for (Index i = 0; i < kGridPoints; ++i) found.points(i, 0) = i;
    const ExtendedMatrix lower = covariance_of("rbf", found.points, 5.0, kSampleJitter).llt().matrixL();
    RandomStream random(seed, StreamPurpose::simulation);
    Eigen::Matrix<long double, Eigen::Dynamic, 1> white(kGridPoints);
    for (auto& value : white) value = random.normal();
    found.mean = (lower * white).cast<double>();
    return found;
}

// The points around one of the data, their observed values as means, and the median distance to the nearest other point as unit.
Inducing patch(Runner& runner) {
    const RunOptions& options = runner.options();
    DataSource source = options.source;
    const bool from_file = !source.simulate && available(source, set_or_stand_in(source, "3droad"));
    if (!from_file) source = {.simulate = true};
    const SetInfo& set = set_or_stand_in(source, "3droad");
    const DataSet data = from_file ? runner.data(set) : load(source, set, runner.context());
    const Points all = data::apply(data::fit_standardizer(data.inputs), data.inputs);
    const Vector values = data::apply(data::fit_target_standardizer(data.targets), data.targets);
    RandomStream random(options.seed, StreamPurpose::subsample);
    const Points center = all.row(static_cast<Eigen::Index>(random.below(static_cast<std::uint64_t>(all.rows()))));
    const auto around = neighbors::nearest_graph(all, center, kGridPoints, runner.context());
    Inducing found{data::gather_rows(all, around.row(0)), data::gather_values(values, around.row(0)), set_text(set, !from_file)};
    const auto nearest = neighbors::nearest_graph(found.points, found.points, 2, runner.context());
    std::vector<double> distances;
    for (Index i = 0; i < kGridPoints; ++i) distances.push_back((found.points.row(i) - found.points.row(nearest.row(i)[1])).norm());
    std::nth_element(distances.begin(), distances.begin() + kGridPoints / 2, distances.end());
    found.points /= std::max(distances[kGridPoints / 2], 1e-12);
    return found;
}

Inducing ordered(const Inducing& inducing, const Variation& variation, const Context& context) {
    Context seeded = context;
    seeded.seed = variation.order_seed;
    const auto order = neighbors::ordering_permutation(variation.ordering, inducing.points, seeded);
    return {data::gather_rows(inducing.points, order), data::gather_values(inducing.mean, order), inducing.text};
}

void measure(const Inducing& inducing, const Variation& variation, double lengthscale, std::span<const Index> sizes, const Context& context,
             Results& results) {
    const std::string panel = fmt::format("{}, l = {:g}", variation.name, lengthscale);
    const DivergenceProblem problem{covariance_of(variation.kernel, inducing.points, lengthscale, variation.diagonal), inducing.mean,
                                    Vector::Ones(inducing.mean.size())};
    const double exact = exact_divergence(problem);
    for (const Index k : sizes) {
        context.check_stop();
        const auto x = static_cast<double>(k);
        results.add({panel, "exact", "kl", x, exact});
        results.add({panel, "vnngp", "kl", x, vnngp_divergence(problem, neighbors::predecessor_graph(inducing.points, k, context))});
        results.add(
            {panel, "swsgp", "kl", x, swsgp_divergence(problem, neighbors::nearest_graph(inducing.points, inducing.points, k, context))});
    }
}

chart::Panel panel_of(const Results& results, const std::string& name) {
    chart::Panel panel{.title = name, .x_label = "K", .x_scale = chart::Scale::log, .y_scale = chart::Scale::log};
    const auto line = [&](std::string_view series, const chart::Style& style) {
        chart::Line found{.style = style};
        for (const auto& [x, y] : results.curve(name, series, "kl")) found.x.push_back(x), found.y.push_back(y);
        panel.elements.push_back(found);
    };
    line("exact", {method_info("svgp").color, chart::Dash::dotted, chart::Marker::none, 2.0});
    line("swsgp", {method_info("swsgp-n").color, chart::Dash::solid, chart::Marker::disk});
    line("vnngp", {method_info("vnngp").color, chart::Dash::solid, chart::Marker::disk});
    return panel;
}

}  // namespace

Page figure_3(Runner& runner) {
    const std::uint64_t seed = runner.options().seed;
    const Sweep swept = sweep(runner.options().quick);
    const std::vector<Variation> variations{
        {.name = "figure 3", .text = "random order, squared exponential kernel", .order_seed = seed, .diagonal = kPublishedDiagonal},
        {.name = "other order", .text = "another random order", .order_seed = seed + 1, .diagonal = kPublishedDiagonal},
        {.name = "coordinate order",
         .text = "in the order of the coordinate",
         .ordering = neighbors::Ordering::coordinate,
         .diagonal = kPublishedDiagonal},
        {.name = "Matérn 5/2",
         .text = "random order, Matérn 5/2 kernel",
         .kernel = "matern52",
         .order_seed = seed,
         .diagonal = kPublishedDiagonal},
        {.name = "real data",
         .text = "random order, squared exponential kernel",
         .order_seed = seed,
         .diagonal = kPublishedDiagonal,
         .real_data = true},
        {.name = "no nugget", .text = "as figure 3, with 1e-8 on the diagonal instead", .order_seed = seed},
    };
    Page page{.x_name = "K"};
    page.figure = {
        .title = "KL divergence against the number of neighbours",
        .subtitle = "M = 100 points with spacing 1, s = 1; l: length-scale. Rows 2 to 5: the appendix's variations; row 6: ours.",
        .columns = static_cast<int>(swept.lengthscales.size()),
        .panel_width = 200,
        .panel_height = 140};
    const Inducing on_grid = grid(seed), on_data = patch(runner);
    std::string rows;
    for (const Variation& variation : variations) {
        const Inducing inducing = ordered(variation.real_data ? on_data : on_grid, variation, runner.context());
        for (const double lengthscale : swept.lengthscales) {
            measure(inducing, variation, lengthscale, swept.neighbors, runner.context(), page.results);
            page.figure.panels.push_back(panel_of(page.results, fmt::format("{}, l = {:g}", variation.name, lengthscale)));
        }
        rows += fmt::format("- {}: {}; {:g} is added to the diagonal{}\n", variation.name, variation.text, variation.diagonal,
                            variation.real_data ? fmt::format("; {}", inducing.text) : "");
    }
    page.figure.legend = {{"exact (SVGP)", {method_info("svgp").color, chart::Dash::dotted, chart::Marker::none, 2.0}},
                          {"VNNGP", {method_info("vnngp").color, chart::Dash::solid, chart::Marker::disk}},
                          {"SWSGP", {method_info("swsgp-n").color, chart::Dash::solid, chart::Marker::disk}}};
    MarkdownTable table({"panel", "K", "exact", "VNNGP", "SWSGP"});
    for (const std::string& panel : page.results.panels())
        for (const double k : {5.0, 20.0, 100.0}) {
            const auto number = [&](std::string_view series) {
                return fmt::format("{:.4g}", page.results.at(panel, series, "kl", k).value_or(0.0));
            };
            table.row({panel, fmt::format("{:g}", k), number("exact"), number("vnngp"), number("swsgp")});
        }
    page.text = fmt::format(
        "M = {} inducing points with a spacing of 1 (the paper does not say how many); the means are a draw from a process with a squared "
        "exponential kernel, "
        "length-scale 5 and output scale 1; all variances are 1. The paper does not say what it adds to the diagonal of covariances, "
        "without which none of "
        "these can be factored: here it is the 1e-3 of its public implementation, the same for all three divergences, and 1e-8 in the last "
        "row. Dense algebra in "
        "extended precision.\n\n{}\n"
        "Real data: the {} points around a random one, their standardised values as means, and the median distance to the nearest other "
        "point as unit "
        "of length.\n\n{}",
        kGridPoints, rows, kGridPoints, table.text());
    return page;
}

}  // namespace vnngp::experiments
