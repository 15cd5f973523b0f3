// Cholesky factors of the nearest-neighbour prior's precision.
#include <fmt/format.h>

#include <numeric>

#include "experiments/markdown.hpp"
#include "experiments/pages.hpp"
#include "vnngp/conditional/rows.hpp"
#include "vnngp/kernel/kernel.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::experiments {
namespace {

constexpr Index kPoints = 20;
constexpr Index kNeighbors[] = {1, 2, 3, 5, 10, kPoints - 1};

// F^{-1/2} (I - B), whose square is the precision (Eq. K2): row j has the neighbours of point j.
Eigen::MatrixXd precision_factor(const Points& points, Index neighbors, const Context& context) {
    const auto kernel = kernel::make_kernel("rbf", 1);
    const conditional::Covariance covariance{kernel.get(), {1.0}, 1.0, 0.0, 1e-8};
    const auto graph = neighbors::predecessor_graph(points, neighbors, context);
    std::vector<Index> rows(kPoints);
    std::iota(rows.begin(), rows.end(), Index{0});
    Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(kPoints, kPoints);
    conditional::visit_rows(context, covariance, {points, points, graph}, rows, [&](const conditional::Row& row) {
        const double scale = 1.0 / std::sqrt(row.variance);
        factor(row.id, row.id) = scale;
        for (std::size_t k = 0; k < row.neighbors.size(); ++k) factor(row.id, row.neighbors[k]) = -scale * row.weights[k];
    });
    return factor;
}

}  // namespace

Page figure_1(Runner& runner) {
    Points points(kPoints, 1);
    for (Index i = 0; i < kPoints; ++i) points(i, 0) = i;
    Page page{.x_name = "column"};
    page.figure = {
        .title = "Cholesky factor of the prior precision, M = 20",
        .subtitle = "Squared exponential kernel, length-scale 1, spacing 1, coordinate order. Darker: larger |entry|; white: zero.",
        .columns = 3,
        .panel_width = 250,
        .panel_height = 250};
    const Eigen::MatrixXd exact = precision_factor(points, kPoints - 1, runner.context());
    MarkdownTable table({"K", "entries that are not zero", "most in a row", "relative difference to the exact factor"});
    for (const Index k : kNeighbors) {
        const Eigen::MatrixXd factor = precision_factor(points, k, runner.context());
        const std::string panel = fmt::format("K = {}", k);
        Eigen::Index most = 0;
        for (Index i = 0; i < kPoints; ++i) {
            most = std::max<Eigen::Index>(most, (factor.row(i).array() != 0.0).count());
            for (Index j = 0; j <= i; ++j) page.results.add({panel, fmt::format("row {}", i + 1), "entry", j + 1.0, factor(i, j)});
        }
        const double difference = (factor - exact).norm() / exact.norm();
        page.results.add({"all", "vnngp", "nonzeros in a row", static_cast<double>(k), static_cast<double>(most)});
        page.results.add({"all", "vnngp", "difference", static_cast<double>(k), difference});
        table.row(
            {std::to_string(k), std::to_string((factor.array() != 0.0).count()), std::to_string(most), fmt::format("{:.2g}", difference)});
        page.figure.panels.push_back({.title = k == kPoints - 1 ? fmt::format("{} (exact)", panel) : panel,
                                      .elements = {chart::HeatMap{factor.cwiseAbs(), exact.cwiseAbs().maxCoeff()}}});
    }
    page.text = fmt::format(
        "Twenty inducing points 0, 1, ..., 19 in coordinate order; squared exponential kernel with output scale 1 and length-scale 1; 1e-8 "
        "is added to the "
        "diagonal. Drawn is the size of the entries of F^(-1/2) (I - B), row by row the conditional of a point given its neighbours; its "
        "square is the "
        "precision.\n\n{}",
        table.text());
    return page;
}

}  // namespace vnngp::experiments
