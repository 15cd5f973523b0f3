#include "vnngp/model/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/gaps.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/inference/joint_prediction.hpp"
#include "vnngp/inference/prediction.hpp"

namespace vnngp {
namespace {

constexpr double kLowerTail = 0.025, kUpperTail = 0.975;  // the reported 95 % interval

constexpr std::int64_t kPointsPerChunk = 512;
constexpr std::size_t kPointsPerPiece = 1024;  ///< of a cell of a gap
constexpr Index kMostEdges = 1 << 21;          ///< of the neighbours that are in memory at a time

std::span<const double> part(const Vector& v, const Chunk& chunk) {
    return {v.data() + chunk.begin, static_cast<std::size_t>(chunk.end - chunk.begin)};
}
std::span<double> part(Vector& v, const Chunk& chunk) {
    return {v.data() + chunk.begin, static_cast<std::size_t>(chunk.end - chunk.begin)};
}

}  // namespace

Predictor::Predictor(const FittedModel& model, const Context& context, Index neighbors, Index lanczos_steps)
    : model_(model),
      context_(context),
      kernel_(kernel::make_kernel(model.kernel, kernel_inputs(model))),
      likelihood_(likelihood::make_likelihood(model.likelihood)),
      index_({model.metric, *kernel_, model.hyper.shape}, model.inducing, context),
      centered_mean_(model.posterior.mean - prior_means(model.inducing)),
      neighbors_(std::min<Index>(neighbors > 0 ? neighbors : model.prediction_neighbors, static_cast<Index>(model.inducing.rows()))) {
    context_.progress = {};
    if (model.shared_nugget) places_.emplace(model.inducing);
    if (neighbors == 0 && model.gap_neighbors > neighbors_) gap_neighbors_ = model.gap_neighbors;
    has_cells_ = index_.coordinates(model.inducing.topRows(1)).cols() <= model::kMostCellDims;
    if (model.method == Method::svgp)
        dense_.emplace(context_, covariance(), model.inducing, model.posterior.mean, model.posterior_factor);
    else if (model.method == Method::exact && model.weights.size() == 0)
        dense_.emplace(rivals::DensePosterior::of_observations(context_, covariance(), model.inducing, centered_mean_, lanczos_steps));
}

Vector Predictor::prior_means(const Points& points) const {
    Vector means(points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i)
        means[i] = inference::prior_mean(model_.hyper, model_.mean_columns, points.row(i).data());
    return means;
}

Points Predictor::inputs(const Points& points) const {
    if (points.cols() != model_.num_columns)
        throw InputError(fmt::format("the model was fitted to {} input columns, the points have {}", model_.num_columns, points.cols()));
    return data::apply(model_.input_scaling, coordinates(model_, points));
}

// Methods without q(u) condition on observations, which carry the noise.
conditional::Covariance Predictor::covariance() const {
    const bool observed = model_.method == Method::exact || model_.method == Method::sggp;
    const double noise = observed ? model_.hyper.likelihood[0] : 0.0;
    return {kernel_.get(), model_.hyper.shape, model_.hyper.outputscale, model_.hyper.nugget + noise, model_.jitter};
}

inference::MeanField Predictor::deviation() const { return {centered_mean_, model_.posterior.variance}; }

inference::LatentPrediction Predictor::smooth(const Points& x, const neighbors::NeighborGraph& graph) const {
    const Vector mean = prior_means(x);
    return inference::predict_latent(context_, covariance(), {centered_mean_, model_.posterior.variance, mean}, model_.inducing, graph, x);
}

// Points in gaps and where data are sparse a second time, from more neighbours.
void Predictor::look_further(const Points& x, std::span<const Index> nearest, inference::LatentPrediction& prediction) const {
    std::vector<Index> sparse;
    const Vector distance = index_.distances(x, data::gather_rows(model_.inducing, nearest));
    const double cells_from = has_cells_ ? model_.gap_distance : std::numeric_limits<double>::infinity();
    for (Index i = 0; i < static_cast<Index>(x.rows()); ++i)
        if (distance[i] > sparse_distance() && distance[i] <= cells_from) sparse.push_back(i);
    if (!sparse.empty() && sparse_neighbors() > neighbors_) {
        const Points there = data::gather_rows(x, sparse);
        const auto further = smooth(there, index_.search(there, sparse_neighbors(), context_));
        prediction.mean(sparse) = further.mean;
        prediction.variance(sparse) = further.variance;
    }
    if (!has_cells_) return;
    auto cells = model::gap_cells(index_.coordinates(x), distance, model_.gap_distance);
    if (gap_neighbors_ >= static_cast<Index>(model_.inducing.rows())) model::merge_cells(cells);
    look_around(x, cells, prediction);
}

double Predictor::sparse_distance() const { return (has_cells_ ? model::kSparseShare : 1.0) * model_.gap_distance; }

// Where data are scattered at random a tenth of the points are at such rims: they must not take most of the time.
Index Predictor::sparse_neighbors() const {
    return has_cells_ ? std::min({gap_neighbors_, model::kSparseNeighbors, model::kSparseFactor * neighbors_}) : gap_neighbors_;
}

// Cells in parallel, each on one thread: the answer does not depend on the number of threads, and on what else is predicted by rounding
// only.
void Predictor::look_around(const Points& x, const std::vector<model::GapCell>& cells, inference::LatentPrediction& prediction) const {
    if (cells.empty()) return;
    Points centers(cells.size(), cells.front().center.size());
    for (std::size_t c = 0; c < cells.size(); ++c) centers.row(c) = cells[c].center;
    const auto around = index_.search_at(centers, gap_neighbors_, context_);
    // Far outside the data one cell may have all points: it is factored again for each piece of it.
    struct Piece {
        Index cell;
        std::span<const Index> points;
    };
    std::vector<Piece> pieces;
    for (std::size_t c = 0; c < cells.size(); ++c)
        for (std::span<const Index> rest = cells[c].points; !rest.empty(); rest = rest.subspan(pieces.back().points.size()))
            pieces.push_back({static_cast<Index>(c), rest.first(std::min(rest.size(), kPointsPerPiece))});
    linalg::set_dense_threads(1, 0);
    parallel_chunks(context_, static_cast<std::int64_t>(pieces.size()), 1, [&](const Chunk& chunk) {
        const auto& [cell, points] = pieces[chunk.number];
        const Points there = data::gather_rows(x, points);
        const Vector mean = prior_means(there);
        const auto further = inference::predict_latent_together(context_, covariance(), {centered_mean_, model_.posterior.variance, mean},
                                                                model_.inducing, around.row(cell), there);
        for (std::size_t i = 0; i < points.size(); ++i) {
            prediction.mean[points[i]] = further.mean[i];
            prediction.variance[points[i]] = further.variance[i];
        }
    });
}

inference::LatentPrediction Predictor::from_nearest(const Points& x) const {
    const auto count = static_cast<Index>(x.rows());
    inference::LatentPrediction prediction{Vector(count), Vector(count)};
    std::vector<Index> nearest;
    const Index rows = std::max<Index>(1, kMostEdges / std::max<Index>(1, neighbors_));
    for (Index first = 0; first < count; first += rows) {
        const Points there = x.middleRows(first, std::min(rows, count - first));
        const auto graph = index_.search(there, neighbors_, context_);
        const auto smoothed = smooth(there, graph);
        prediction.mean.segment(first, there.rows()) = smoothed.mean;
        prediction.variance.segment(first, there.rows()) = smoothed.variance;
        for (Index i = 0; i < graph.num_rows(); ++i) nearest.push_back(graph.row(i)[0]);
    }
    if (gap_neighbors_ > 0) look_further(x, nearest, prediction);
    if (model_.weights.size() > 0)
        prediction.mean = prior_means(x) + rivals::predict_mean(context_, covariance(), model_.inducing, model_.weights, x);
    return prediction;
}

inference::LatentPrediction Predictor::from_all(const Points& x) const {
    auto prediction = dense_->predict(context_, x);
    prediction.mean += prior_means(x);
    return prediction;
}

Predictor::Latent Predictor::latent(const Points& points) const {
    const Points x = inputs(points);
    Latent latent{dense_ ? from_all(x) : from_nearest(x), {}};
    latent.observed = {latent.smooth.mean, latent.smooth.variance.array() + model_.hyper.nugget};
    const auto known = known_places(x);
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] < 0) continue;
        latent.observed.mean[i] = model_.posterior.mean[known[i]];
        latent.observed.variance[i] = model_.posterior.variance[known[i]];
    }
    return latent;
}

std::vector<Index> Predictor::known_places(const Points& x) const {
    std::vector<Index> known(x.rows(), -1);
    if (places_)
        for (std::size_t i = 0; i < known.size(); ++i) known[i] = places_->find(x.row(i).data());
    return known;
}

Prediction Predictor::predict(const Points& points, std::span<const double> probabilities) const {
    const Latent f = latent(points);
    const Eigen::Index count = points.rows();
    const double scale = model_.target_scaling.scale;
    Prediction prediction{data::invert(model_.target_scaling, f.smooth.mean), f.smooth.variance * (scale * scale), Vector(count),
                          Vector(count), Points(count, probabilities.size())};
    std::vector<Vector> quantiles(probabilities.size(), Vector(count));
    parallel_chunks(context_, count, kPointsPerChunk, [&](const Chunk& chunk) {
        const likelihood::LatentMarginals marginals{part(f.observed.mean, chunk), part(f.observed.variance, chunk)};
        likelihood_->predictive_moments(model_.hyper.likelihood, marginals, part(prediction.mean, chunk), part(prediction.variance, chunk));
        for (std::size_t q = 0; q < probabilities.size(); ++q)
            likelihood_->predictive_quantile(model_.hyper.likelihood, model_probability(model_.calibration, probabilities[q]), marginals,
                                             part(quantiles[q], chunk));
    });
    prediction.mean = data::invert(model_.target_scaling, std::move(prediction.mean));
    prediction.variance *= scale * scale;
    for (std::size_t q = 0; q < probabilities.size(); ++q) prediction.quantiles.col(q) = data::invert(model_.target_scaling, quantiles[q]);
    return prediction;
}

template <class Use>
auto Predictor::jointly(const Points& x, const Use& use) const {
    const Points inducing = index_.coordinates(model_.inducing), at = index_.coordinates(x);
    return use({model_.inducing, x, inducing, at, neighbors_, sparse_distance(), std::min(gap_neighbors_, model::kSparseNeighbors)});
}

Points Predictor::sample(const Points& points, Index count, std::uint64_t seed, bool latent) const {
    if (count < 1) throw InputError(fmt::format("--samples {}: expected at least 1", count));
    Context context = context_;
    context.seed = seed;
    const Points x = inputs(points);
    const std::vector<Index> known = latent ? std::vector<Index>(x.rows(), -1) : known_places(x);
    Points drawn = dense_ ? dense_->sample(context, x, count) : jointly(x, [&](const inference::JointTargets& targets) {
        return inference::sample_joint_latent(context, covariance(), deviation(), targets, count, known);
    });
    drawn.colwise() += prior_means(x);
    // Points at one place have one nugget where observations share it.
    const auto site = places_ ? data::merge_duplicates(x).site : data::unmerged(x).site;
    parallel_chunks(context, count, 1, [&](const Chunk& chunk) {
        auto column = drawn.col(chunk.begin);
        if (!latent)
            draw_observations(known, site, {seed, StreamPurpose::joint_observation, static_cast<std::uint32_t>(chunk.begin)}, column);
        column = data::invert(model_.target_scaling, Vector(column));
    });
    return drawn;
}

// From the smooth function, or at known places the inducing value, to an observation.
void Predictor::draw_observations(std::span<const Index> known, std::span<const Index> site, RandomStream stream,
                                  Points::ColXpr values) const {
    const double sd = std::sqrt(model_.hyper.nugget);
    std::vector<double> nuggets;  // of the sites met so far
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (static_cast<std::size_t>(site[i]) == nuggets.size()) nuggets.push_back(sd * stream.normal());
        const double nugget = known[i] < 0 ? nuggets[site[i]] : 0.0;
        values[i] = likelihood_->draw(model_.hyper.likelihood, values[i] + nugget, stream);
    }
}

JointPrediction Predictor::joint(const Points& points, std::uint64_t seed) const {
    Context context = context_;
    context.seed = seed;
    const Points x = inputs(points);
    auto latent = dense_ ? dense_->joint(context, x) : jointly(x, [&](const inference::JointTargets& targets) {
        return inference::joint_latent(context, covariance(), deviation(), targets);
    });
    latent.mean += prior_means(x);
    const double scale = model_.target_scaling.scale;
    return {data::invert(model_.target_scaling, std::move(latent.mean)), latent.covariance * (scale * scale)};
}

Predictor::Scored Predictor::score(const Points& points, const Vector& targets) const {
    const Latent f = latent(points);
    const Vector y = data::apply(model_.target_scaling, targets);
    const double scale = model_.target_scaling.scale;
    const double lower = model_probability(model_.calibration, kLowerTail), upper = model_probability(model_.calibration, kUpperTail);
    Scored scored{Vector(y.size()), Vector(y.size()), Vector(y.size()), Vector(y.size()), Vector(y.size())};
    Vector variance(y.size());
    parallel_chunks(context_, y.size(), kPointsPerChunk, [&](const Chunk& chunk) {
        const likelihood::LatentMarginals marginals{part(f.observed.mean, chunk), part(f.observed.variance, chunk)};
        const auto& parameters = model_.hyper.likelihood;
        likelihood_->log_predictive_density(parameters, part(y, chunk), marginals, part(scored.log_density, chunk));
        likelihood_->predictive_moments(parameters, marginals, part(scored.mean, chunk), part(variance, chunk));
        likelihood_->crps(parameters, part(y, chunk), marginals, part(scored.crps, chunk));
        likelihood_->predictive_quantile(parameters, lower, marginals, part(scored.lower, chunk));
        likelihood_->predictive_quantile(parameters, upper, marginals, part(scored.upper, chunk));
    });
    scored.log_density.array() -= std::log(scale);
    scored.crps *= scale;
    for (Vector* v : {&scored.mean, &scored.lower, &scored.upper}) *v = data::invert(model_.target_scaling, std::move(*v));
    return scored;
}

Predictor::Density Predictor::density(const Points& points, const Vector& targets) const {
    const Latent f = latent(points);
    const Vector y = data::apply(model_.target_scaling, targets);
    Density density{Vector(y.size()), Vector(y.size())};
    parallel_chunks(context_, y.size(), kPointsPerChunk, [&](const Chunk& chunk) {
        const likelihood::LatentMarginals marginals{part(f.observed.mean, chunk), part(f.observed.variance, chunk)};
        likelihood_->log_predictive_density(model_.hyper.likelihood, part(y, chunk), marginals, part(density.log_density, chunk));
        likelihood_->predictive_cdf(model_.hyper.likelihood, part(y, chunk), marginals, part(density.cdf, chunk));
    });
    density.log_density.array() -= std::log(model_.target_scaling.scale);
    return density;
}

Prediction FittedModel::predict(const Points& points, const Context& context) const { return Predictor(*this, context).predict(points); }

}  // namespace vnngp
