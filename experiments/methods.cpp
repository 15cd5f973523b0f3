#include "experiments/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "vnngp/base/error.hpp"
#include "vnngp/base/names.hpp"

namespace vnngp::experiments {
namespace {

/// Full-batch steps: with fewer the noise has no time to fall from 0.6931 to the 0.02 that the paper reports.
constexpr int kExactSteps = 500;
constexpr Index kSmallSet = 50000;  // training rows below which the paper trains for longer, with larger steps

}  // namespace

std::string setting_text(const Setting& setting) {
    std::vector<std::string> parts;
    if (setting.neighbors > 0) parts.push_back(fmt::format("K = {}", setting.neighbors));
    if (setting.inducing > 0) parts.push_back(fmt::format("M = {}", setting.inducing));
    if (setting.epochs > 0) parts.push_back(fmt::format("{} epochs at {:g}", setting.epochs, setting.learning_rate));
    return parts.empty() ? "no settings" : fmt::format("{}", fmt::join(parts, ", "));
}

const std::vector<MethodInfo>& all_methods() {
    static const std::vector<MethodInfo> methods{
        {.key = "exact",
         .label = "Exact GP",
         .text = "as published: a fixed number of Adam's steps; exact variances",
         .color = {0.49, 0.18, 0.56},
         .method = Method::exact,
         .takes_epochs = true,
         .gaussian_only = true},
        {.key = "exact-quick",
         .label = "Exact GP, quick variances",
         .text = "likewise; inputs from -1 to 1, prior mean 0, quick variances: a second reading of the paper",
         .color = {0.60, 0.33, 0.66},
         .method = Method::exact,
         .takes_epochs = true,
         .gaussian_only = true,
         .quick_variances = true},
        {.key = "exact-ml",
         .label = "Exact GP, converged",
         .text = "the likelihood maximised",
         .color = {0.72, 0.48, 0.78},
         .method = Method::exact,
         .gaussian_only = true},
        {.key = "sggp",
         .label = "sgGP",
         .text = "batches of a point and its 15 nearest neighbours",
         .color = {0.55, 0.55, 0.55},
         .method = Method::sggp,
         .takes_epochs = true,
         .gaussian_only = true},
        {.key = "svgp",
         .label = "SVGP",
         .text = "1,024 inducing points, moved; covariance in full",
         .color = {0.12, 0.42, 0.78},
         .method = Method::svgp,
         .takes_epochs = true},
        {.key = "swsgp-m",
         .label = "SWSGP-M",
         .text = "M inducing points, moved",
         .color = {0.98, 0.70, 0.36},
         .method = Method::swsgp,
         .takes_neighbors = true,
         .takes_inducing = true,
         .takes_epochs = true},
        {.key = "swsgp-n",
         .label = "SWSGP-N",
         .text = "inducing points at the data",
         .color = {0.90, 0.45, 0.05},
         .method = Method::swsgp,
         .takes_neighbors = true,
         .takes_epochs = true},
        {.key = "vnngp",
         .label = "VNNGP",
         .text = "the paper's method: inducing points at the data, minibatches",
         .color = {0.13, 0.58, 0.25},
         .method = Method::vnngp,
         .takes_neighbors = true,
         .takes_epochs = true},
        {.key = "vnngp-m",
         .label = "VNNGP-M",
         .text = "M inducing points, moved; in figure-5 alone",
         .color = {0.45, 0.75, 0.45},
         .method = Method::vnngp,
         .in_tables = false,
         .takes_neighbors = true,
         .takes_inducing = true,
         .takes_epochs = true},
        {.key = "vnngp-closed",
         .label = "vnngp (ours)",
         .text = "vnngp fit --neighbors auto",
         .color = {0.0, 0.0, 0.0},
         .method = Method::vnngp},
    };
    return methods;
}

const MethodInfo& method_info(std::string_view key) {
    std::vector<std::string> names;
    for (const MethodInfo& method : all_methods()) {
        if (method.key == key) return method;
        names.emplace_back(method.key);
    }
    throw InputError(fmt::format("--methods: '{}' is not one of {}{}", key, fmt::join(names, ", "), suggestion(names, key)));
}

FitOptions fit_options(const MethodInfo& method, const Setting& setting, const std::string& likelihood) {
    FitOptions options;
    options.likelihood = likelihood;
    options.method = method.method;
    if (method.key == "vnngp-closed") {
        options.neighbors = 0;
        return options;
    }
    options.kernel = "matern52";
    options.metric = Metric::euclidean;
    // What holds values at near-coincident inputs together; only where minibatches of neighbourhoods are trained.
    options.nugget.mode = method.takes_neighbors ? NuggetOption::Mode::published : NuggetOption::Mode::none;
    if (method.method == Method::vnngp || (method.method == Method::exact && method.takes_epochs))
        options.inference = Inference::stochastic;
    if (method.quick_variances) {
        options.input_scale = data::Scale::range;
        options.mean.kind = MeanOption::Kind::zero;
    }
    if (method.takes_neighbors) options.neighbors = options.prediction_neighbors = setting.neighbors;
    if (setting.inducing > 0) options.inducing = setting.inducing;
    if (setting.epochs > 0) {
        options.epochs = setting.epochs;
        options.learning_rate = setting.learning_rate;
    }
    return options;
}

std::vector<Setting> settings_of(const MethodInfo& method, Index training_rows, Grid grid, bool quick) {
    const bool one = quick || grid == Grid::single, small = training_rows < kSmallSet;
    std::vector<Index> neighbors{0}, inducing{0};
    std::vector<std::pair<int, double>> training{{0, 0.0}};
    if (method.takes_neighbors) neighbors = quick ? std::vector<Index>{8} : one ? std::vector<Index>{32} : std::vector<Index>{32, 256};
    if (method.takes_inducing) inducing = one ? std::vector<Index>{1024} : std::vector<Index>{1024, 2048, 4096, 8192};
    if (quick && (method.takes_inducing || method.method == Method::svgp)) inducing = {64};
    if (method.takes_epochs) {
        if (quick)
            training = {{30, 0.05}};
        else if (grid != Grid::published)
            training = {!small ? std::pair{100, 0.005} : std::pair{method.method == Method::exact ? kExactSteps : 300, 0.01}};
        else if (small)
            training = {{300, 0.01}, {300, 0.005}, {500, 0.01}, {500, 0.005}};
        else
            training = {{100, 0.005}, {100, 0.001}, {300, 0.005}, {300, 0.001}};
    }
    std::vector<Setting> settings;
    for (const Index k : neighbors)
        for (const Index m : inducing)
            for (const auto& [epochs, rate] : training)
                if (m < training_rows) settings.push_back({k, m, epochs, rate});
    return settings;
}

}  // namespace vnngp::experiments
