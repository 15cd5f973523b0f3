#include "model/prepare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "vnngp/base/error.hpp"
#include "vnngp/data/merge.hpp"
#include "vnngp/data/sphere.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/neighbors/kmeans.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::model {
namespace {

constexpr Eigen::Index kFewestRows = 3;
constexpr Index kLowRank = 1024;  ///< inducing points of svgp, as published
/// Share of observations at the place of an earlier one from which on the data divide white noise between nugget and noise. Below, the
/// bound divides it as suits the approximation.
constexpr double kRepeatsThatTell = 0.1;

std::string column_name(const std::vector<std::string>& names, Eigen::Index column) {
    return column < static_cast<Eigen::Index>(names.size()) ? fmt::format("'{}'", names[column]) : fmt::format("number {}", column + 1);
}

constexpr std::string_view kOnePlace =
    "every input column is constant: all rows are at the same point, so there is nothing to predict from";

// One number for all three coordinates and no shift, so that distances stay chordal: the standard deviation in each of the two directions
// that a surface has.
void share_sphere_scale(const Points& inputs, FittedModel& model) {
    Eigen::Index dim = 0;
    for (const kernel::Input& input : kernel_inputs(model)) {
        if (input.num_dims == 3) {
            const auto places = inputs.middleCols(dim, 3);
            const double variance = (places.rowwise() - places.colwise().mean()).squaredNorm() / (2.0 * static_cast<double>(places.rows()));
            model.input_scaling.center.segment(dim, 3).setZero();
            model.input_scaling.scale.segment(dim, 3).setConstant(variance > 0.0 ? std::sqrt(variance) : 1.0);
        }
        dim += input.num_dims;
    }
}

// To rounding: every longitude is the same place at a pole.
bool is_one_place(const Points& points, Index lon, Index lat) {
    const Vector longitude = points.col(lon), latitude = points.col(lat);
    const auto span = [](const Vector& v) { return std::span<const double>(v.data(), static_cast<std::size_t>(v.size())); };
    const Points places = data::sphere_coordinates(span(longitude), span(latitude));
    return (places.rowwise() - places.row(0)).cwiseAbs().maxCoeff() < 1e-12 * data::kEarthRadius;
}

/// Times that the spread of the bulk of the targets fits into that of all of them, from which on the bulk sets the scale: otherwise a few
/// gross outliers squeeze everything else to nothing.
constexpr double kOutliersRule = 10.0;

// The bulk is what a likelihood that expects outliers makes of the targets; to the others it is all of them.
data::TargetStandardizer target_scaling(const Vector& targets, const likelihood::Likelihood& likelihood, std::vector<std::string>& notes) {
    const auto all = data::fit_target_standardizer(targets);
    const auto drawn_in = likelihood.rough_latent({targets.data(), static_cast<std::size_t>(targets.size())});
    const auto bulk = data::fit_target_standardizer(Eigen::Map<const Vector>(drawn_in.data(), targets.size()));
    if (!(all.scale > kOutliersRule * bulk.scale)) return all;
    notes.push_back(
        fmt::format("gross outliers in the target: it is standardised by the spread {:.3g} of the bulk, not {:.3g} of all values",
                    bulk.scale, all.scale));
    return bulk;
}

}  // namespace

void check_data(const Points& points, const Vector& targets, const FitOptions& options, const likelihood::Likelihood& likelihood) {
    if (points.rows() != targets.size()) throw InputError(fmt::format("{} rows of inputs but {} targets", points.rows(), targets.size()));
    if (points.rows() < kFewestRows)
        throw InputError(fmt::format("{} usable row{}: at least {} are needed to fit a model", points.rows(), points.rows() == 1 ? "" : "s",
                                     kFewestRows));
    if (points.cols() == 0) throw InputError("no input columns");
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        for (Eigen::Index d = 0; d < points.cols(); ++d)
            if (!std::isfinite(points(i, d)))
                throw InputError(fmt::format("input column {}, row {}: {} is not a finite number", column_name(options.input_names, d),
                                             i + 1, points(i, d)));
        if (!std::isfinite(targets[i])) throw InputError(fmt::format("target, row {}: {} is not a finite number", i + 1, targets[i]));
    }
    if (options.lonlat) {
        const auto [lon, lat] = *options.lonlat;
        if (std::min(lon, lat) < 0 || std::max(lon, lat) >= points.cols() || lon == lat)
            throw InputError(fmt::format("--lonlat: columns number {} and {} of {} are not a longitude and a latitude", lon + 1, lat + 1,
                                         points.cols()));
    }
    likelihood.check_targets({targets.data(), static_cast<std::size_t>(targets.size())},
                             [](std::size_t i) { return fmt::format("row {}", i + 1); });
    if (likelihood.standardizes_targets() && data::is_constant(targets))
        throw InputError(fmt::format("the target{} has the same value {} in every row: there is nothing to fit",
                                     options.target_name.empty() ? "" : fmt::format(" '{}'", options.target_name), targets[0]));
}

Points standardize(const Points& points, const Vector& targets, const likelihood::Likelihood& likelihood, const FitOptions& options,
                   FittedModel& model) {
    const auto constant = data::constant_columns(points);
    std::set<Index> dropped(constant.begin(), constant.end()), at_one_place;
    if (model.lonlat) {
        const auto [lon, lat] = *model.lonlat;
        dropped.erase(lon);
        dropped.erase(lat);
        if (is_one_place(points, lon, lat)) {
            at_one_place = {lon, lat};
            model.lonlat.reset();
        }
    }
    for (const Index column : dropped)
        model.report.notes.push_back(fmt::format("input column {} is constant and was dropped", column_name(model.input_names, column)));
    if (!at_one_place.empty()) model.report.notes.push_back("longitude and latitude are those of one place and were dropped");
    dropped.merge(at_one_place);
    if (dropped.size() == static_cast<std::size_t>(points.cols())) throw InputError(std::string(kOnePlace));
    for (Index column = 0; column < points.cols(); ++column)
        if (!dropped.contains(column)) model.used_columns.push_back(column);
    model.num_columns = static_cast<Index>(points.cols());

    Points inputs = coordinates(model, points);
    if (data::constant_columns(inputs).size() == static_cast<std::size_t>(inputs.cols())) throw InputError(std::string(kOnePlace));
    model.input_scaling = data::fit_standardizer(inputs, options.input_scale);
    if (model.lonlat) share_sphere_scale(inputs, model);
    if (likelihood.standardizes_targets()) model.target_scaling = target_scaling(targets, likelihood, model.report.notes);
    if (options.mean.kind == MeanOption::Kind::zero) model.target_scaling.center = 0.0;
    return data::apply(model.input_scaling, std::move(inputs));
}

std::vector<Index> mean_columns(const MeanOption& mean, const FittedModel& model) {
    std::vector<Index> dims;
    if (mean.kind != MeanOption::Kind::linear) return dims;
    const std::set<Index> wanted(mean.columns.begin(), mean.columns.end());
    Index dim = 0;
    for (const Index column : model.used_columns) {
        const bool place = model.lonlat && (column == model.lonlat->first || column == model.lonlat->second);
        if (place) {
            // A place is three coordinates, counted once.
            const bool asked = wanted.empty() || wanted.contains(model.lonlat->first) || wanted.contains(model.lonlat->second);
            if (column != model.lonlat->first) continue;
            for (Index coordinate = 0; asked && coordinate < 3; ++coordinate) dims.push_back(dim + coordinate);
            dim += 3;
        } else {
            if (wanted.empty() || wanted.contains(column)) dims.push_back(dim);
            ++dim;
        }
    }
    return dims;
}

inference::Problem build_problem(Points inputs, Vector targets, const kernel::Kernel& kernel, const likelihood::Likelihood& likelihood,
                                 const FitOptions& options, const Context& context, FittedModel& model) {
    inference::Problem problem;
    problem.kernel = &kernel;
    problem.likelihood = &likelihood;
    problem.targets = std::move(targets);
    problem.mean_columns = model.mean_columns;
    problem.jitter = options.jitter;
    problem.single_precision = in_single_precision(options);

    const Index inducing = options.inducing == 0 && options.method == Method::svgp ? kLowRank : options.inducing;
    const bool of_observations =
        options.inference == Inference::response || options.method == Method::exact || options.method == Method::sggp;
    Points all_inputs = inducing > 0 ? inputs : Points();
    data::MergedPoints merged = of_observations ? data::unmerged(std::move(inputs)) : data::merge_duplicates(std::move(inputs));
    const auto distinct = static_cast<Index>(merged.distinct.rows());
    const bool fewer = inducing > 0 && inducing < distinct;
    if (options.inducing > distinct)
        model.report.notes.push_back(fmt::format("--inducing {} is not less than the {} distinct inputs: using one inducing point at each",
                                                 options.inducing, distinct));

    Points unordered = fewer ? neighbors::kmeans_centers(merged.distinct, inducing, context) : std::move(merged.distinct);
    const auto order = neighbors::ordering_permutation(options.ordering, unordered, context);
    problem.inducing = data::gather_rows(unordered, order);
    unordered.resize(0, 0);

    // Every point is among its own nearest, none among its predecessors.
    const Index most_neighbors = options.method == Method::swsgp ? problem.num_inducing() : problem.num_inducing() - 1;
    model.neighbors = std::min<Index>(options.neighbors, most_neighbors);
    if (model.neighbors < options.neighbors)
        model.report.notes.push_back(fmt::format("K = {} neighbours is not less than the {} inducing points: using {}", options.neighbors,
                                                 problem.num_inducing(), model.neighbors));
    model.prediction_neighbors = std::min(options.prediction_neighbors, problem.num_inducing());

    if (fewer) {
        problem.inputs = std::move(all_inputs);
    } else {
        std::vector<Index> position(order.size());
        for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<Index>(p);
        problem.sites = std::move(merged.site);
        for (Index& site : problem.sites) site = position[site];
        model.report.duplicates_merged = problem.num_observations() - distinct;
        model.shared_nugget = options.method == Method::vnngp && options.nugget.mode != NuggetOption::Mode::published &&
                              model.report.duplicates_merged >= kRepeatsThatTell * problem.num_observations();
    }
    return problem;
}

inference::Hyperparameters initial_hyperparameters(const inference::Problem& problem, const FitOptions& options, const FittedModel& model) {
    if (options.fixed) return in_standard_units(model, *options.fixed);
    constexpr double start = likelihood::kInitialVariance;
    inference::Hyperparameters hyper{{}, start, 0.0, 0.0, {}, std::vector<double>(problem.mean_columns.size(), 0.0)};
    for (const auto& parameter : problem.kernel->parameters()) hyper.shape.push_back(parameter.initial);
    for (const auto& parameter : problem.likelihood->parameters()) hyper.likelihood.push_back(parameter.initial);
    if (options.mean.kind != MeanOption::Kind::zero)
        hyper.mean = problem.likelihood->initial_mean({problem.targets.data(), static_cast<std::size_t>(problem.targets.size())});
    const double scale = model.target_scaling.scale;
    if (options.nugget.mode == NuggetOption::Mode::published) hyper.nugget = kPublishedNugget;
    if (options.nugget.mode == NuggetOption::Mode::fixed) hyper.nugget = options.nugget.value / (scale * scale);
    if (options.nugget.mode == NuggetOption::Mode::learned) hyper.nugget = 0.1 * start;
    return hyper;
}

inference::Learned learned(const FitOptions& options) {
    return {.nugget = options.nugget.mode == NuggetOption::Mode::learned, .mean = options.mean.kind != MeanOption::Kind::zero};
}

}  // namespace vnngp::model
