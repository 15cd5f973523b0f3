#include "vnngp/model/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/inference/joint_prediction.hpp"
#include "vnngp/inference/prediction.hpp"

namespace vnngp {
namespace {

constexpr double kLowerTail = 0.025, kUpperTail = 0.975;  // the reported 95 % interval

constexpr std::int64_t kPointsPerChunk = 512;

std::span<const double> part(const Vector& v, const Chunk& chunk) {
    return {v.data() + chunk.begin, static_cast<std::size_t>(chunk.end - chunk.begin)};
}
std::span<double> part(Vector& v, const Chunk& chunk) {
    return {v.data() + chunk.begin, static_cast<std::size_t>(chunk.end - chunk.begin)};
}

}  // namespace

Predictor::Predictor(const FittedModel& model, const Context& context, Index neighbors)
    : model_(model),
      context_(context),
      kernel_(kernel::make_kernel(model.kernel, kernel_inputs(model))),
      likelihood_(likelihood::make_likelihood(model.likelihood)),
      index_({model.metric, *kernel_, model.hyper.shape}, model.inducing, context),
      centered_mean_(model.posterior.mean - prior_means(model.inducing)),
      neighbors_(std::min<Index>(neighbors > 0 ? neighbors : model.prediction_neighbors, static_cast<Index>(model.inducing.rows()))) {
    context_.progress = {};
    if (neighbors == 0 && model.gap_neighbors > neighbors_) gap_neighbors_ = model.gap_neighbors;
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

conditional::Covariance Predictor::covariance() const {
    // sggp conditions on the observations themselves: m = y, s = 0.
    const double noise = model_.method == Method::sggp ? model_.hyper.likelihood[0] : 0.0;
    return {kernel_.get(), model_.hyper.shape, model_.hyper.outputscale, model_.hyper.nugget + noise, model_.jitter};
}

inference::MeanField Predictor::deviation() const { return {centered_mean_, model_.posterior.variance}; }

inference::LatentPrediction Predictor::smooth(const Points& x, const neighbors::NeighborGraph& graph) const {
    const Vector mean = prior_means(x);
    return inference::predict_latent(context_, covariance(), {centered_mean_, model_.posterior.variance, mean}, model_.inducing, graph, x);
}

// Points in gaps a second time, from more neighbours.
void Predictor::look_further(const Points& x, const neighbors::NeighborGraph& graph, inference::LatentPrediction& prediction) const {
    std::vector<Index> nearest;
    for (Index i = 0; i < graph.num_rows(); ++i) nearest.push_back(graph.row(i)[0]);
    const Vector distance = index_.distances(x, data::gather_rows(model_.inducing, nearest));
    std::vector<Index> in_gap;
    for (Index i = 0; i < graph.num_rows(); ++i)
        if (distance[i] > model_.gap_distance) in_gap.push_back(i);
    if (in_gap.empty()) return;
    const Points there = data::gather_rows(x, in_gap);
    const auto further = smooth(there, index_.search(there, gap_neighbors_, context_));
    prediction.mean(in_gap) = further.mean;
    prediction.variance(in_gap) = further.variance;
}

Predictor::Latent Predictor::latent(const Points& points) const {
    const Points x = inputs(points);
    const auto graph = index_.search(x, neighbors_, context_);
    auto prediction = smooth(x, graph);
    if (gap_neighbors_ > 0) look_further(x, graph, prediction);
    Latent latent{std::move(prediction.mean), std::move(prediction.variance), {}};
    latent.variance = latent.smooth_variance.array() + model_.hyper.nugget;
    return latent;
}

Prediction Predictor::predict(const Points& points, std::span<const double> probabilities) const {
    const Latent f = latent(points);
    const Eigen::Index count = points.rows();
    const double scale = model_.target_scaling.scale;
    Prediction prediction{data::invert(model_.target_scaling, f.mean), f.smooth_variance * (scale * scale), Vector(count), Vector(count),
                          Points(count, probabilities.size())};
    std::vector<Vector> quantiles(probabilities.size(), Vector(count));
    parallel_chunks(context_, count, kPointsPerChunk, [&](const Chunk& chunk) {
        const likelihood::LatentMarginals marginals{part(f.mean, chunk), part(f.variance, chunk)};
        likelihood_->predictive_moments(model_.hyper.likelihood, marginals, part(prediction.mean, chunk), part(prediction.variance, chunk));
        for (std::size_t q = 0; q < probabilities.size(); ++q)
            likelihood_->predictive_quantile(model_.hyper.likelihood, probabilities[q], marginals, part(quantiles[q], chunk));
    });
    prediction.mean = data::invert(model_.target_scaling, std::move(prediction.mean));
    prediction.variance *= scale * scale;
    for (std::size_t q = 0; q < probabilities.size(); ++q) prediction.quantiles.col(q) = data::invert(model_.target_scaling, quantiles[q]);
    return prediction;
}

Points Predictor::sample(const Points& points, Index count, std::uint64_t seed, bool latent) const {
    if (count < 1) throw InputError(fmt::format("--samples {}: expected at least 1", count));
    Context context = context_;
    context.seed = seed;
    const Points x = inputs(points);
    Points drawn =
        inference::sample_joint_latent(context, covariance(), deviation(),
                                       {model_.inducing, x, index_.coordinates(model_.inducing), index_.coordinates(x), neighbors_}, count);
    drawn.colwise() += prior_means(x);
    const double nugget_sd = std::sqrt(model_.hyper.nugget);
    parallel_chunks(context, count, 1, [&](const Chunk& chunk) {
        RandomStream stream(seed, StreamPurpose::joint_observation, static_cast<std::uint32_t>(chunk.begin));
        auto column = drawn.col(chunk.begin);
        if (!latent)
            for (double& f : column) f = likelihood_->draw(model_.hyper.likelihood, f + nugget_sd * stream.normal(), stream);
        column = data::invert(model_.target_scaling, Vector(column));
    });
    return drawn;
}

JointPrediction Predictor::joint(const Points& points, std::uint64_t seed) const {
    Context context = context_;
    context.seed = seed;
    const Points x = inputs(points);
    auto latent = inference::joint_latent(context, covariance(), deviation(),
                                          {model_.inducing, x, index_.coordinates(model_.inducing), index_.coordinates(x), neighbors_});
    latent.mean += prior_means(x);
    const double scale = model_.target_scaling.scale;
    return {data::invert(model_.target_scaling, std::move(latent.mean)), latent.covariance * (scale * scale)};
}

Predictor::Scored Predictor::score(const Points& points, const Vector& targets) const {
    const Latent f = latent(points);
    const Vector y = data::apply(model_.target_scaling, targets);
    const double scale = model_.target_scaling.scale;
    Scored scored{Vector(y.size()), Vector(y.size()), Vector(y.size()), Vector(y.size()), Vector(y.size())};
    Vector variance(y.size());
    parallel_chunks(context_, y.size(), kPointsPerChunk, [&](const Chunk& chunk) {
        const likelihood::LatentMarginals marginals{part(f.mean, chunk), part(f.variance, chunk)};
        const auto& parameters = model_.hyper.likelihood;
        likelihood_->log_predictive_density(parameters, part(y, chunk), marginals, part(scored.log_density, chunk));
        likelihood_->predictive_moments(parameters, marginals, part(scored.mean, chunk), part(variance, chunk));
        likelihood_->crps(parameters, part(y, chunk), marginals, part(scored.crps, chunk));
        likelihood_->predictive_quantile(parameters, kLowerTail, marginals, part(scored.lower, chunk));
        likelihood_->predictive_quantile(parameters, kUpperTail, marginals, part(scored.upper, chunk));
    });
    scored.log_density.array() -= std::log(scale);
    scored.crps *= scale;
    for (Vector* v : {&scored.mean, &scored.lower, &scored.upper}) *v = data::invert(model_.target_scaling, std::move(*v));
    return scored;
}

Vector Predictor::log_density(const Points& points, const Vector& targets) const {
    const Latent f = latent(points);
    const Vector y = data::apply(model_.target_scaling, targets);
    Vector density(y.size());
    parallel_chunks(context_, y.size(), kPointsPerChunk, [&](const Chunk& chunk) {
        likelihood_->log_predictive_density(model_.hyper.likelihood, part(y, chunk), {part(f.mean, chunk), part(f.variance, chunk)},
                                            part(density, chunk));
    });
    return density.array() - std::log(model_.target_scaling.scale);
}

Prediction FittedModel::predict(const Points& points, const Context& context) const { return Predictor(*this, context).predict(points); }

inference::Hyperparameters in_data_units(const FittedModel& model) {
    inference::Hyperparameters hyper = model.hyper;
    const double variance = model.target_scaling.scale * model.target_scaling.scale;
    const auto inputs = kernel_inputs(model);
    const auto parameters = kernel::make_kernel(model.kernel, inputs)->parameters();
    for (std::size_t p = 0; p < hyper.shape.size(); ++p)
        if (parameters[p].input >= 0) hyper.shape[p] *= inputs[parameters[p].input].scale;
    hyper.outputscale *= variance;
    hyper.nugget *= variance;
    // mu = mean + sum_c slope_c (x_c - center_c) / scale_c
    for (std::size_t c = 0; c < hyper.slopes.size(); ++c) {
        hyper.slopes[c] /= model.input_scaling.scale[model.mean_columns[c]];
        hyper.mean -= hyper.slopes[c] * model.input_scaling.center[model.mean_columns[c]];
        hyper.slopes[c] *= model.target_scaling.scale;
    }
    hyper.mean = hyper.mean * model.target_scaling.scale + model.target_scaling.center;
    const auto likelihood = likelihood::make_likelihood(model.likelihood);
    for (std::size_t p = 0; p < hyper.likelihood.size(); ++p)
        if (likelihood->parameters()[p].is_variance) hyper.likelihood[p] *= variance;
    return hyper;
}

inference::Hyperparameters in_standard_units(const FittedModel& model, const inference::Hyperparameters& in_data_units) {
    inference::Hyperparameters hyper = in_data_units;
    const double variance = model.target_scaling.scale * model.target_scaling.scale;
    const auto inputs = kernel_inputs(model);
    const auto parameters = kernel::make_kernel(model.kernel, inputs)->parameters();
    const auto likelihood = likelihood::make_likelihood(model.likelihood);
    const auto require = [](std::size_t given, std::size_t expected, std::string_view what) {
        if (given != expected) throw InputError(fmt::format("known hyperparameters: {} {}, expected {}", given, what, expected));
    };
    require(hyper.shape.size(), parameters.size(), "of the kernel");
    require(hyper.likelihood.size(), likelihood->parameters().size(), "of the likelihood");
    require(hyper.slopes.size(), model.mean_columns.size(), "slopes of the mean");
    for (std::size_t p = 0; p < hyper.shape.size(); ++p)
        if (parameters[p].input >= 0) hyper.shape[p] /= inputs[parameters[p].input].scale;
    hyper.outputscale /= variance;
    hyper.nugget /= variance;
    hyper.mean = (hyper.mean - model.target_scaling.center) / model.target_scaling.scale;
    for (std::size_t c = 0; c < hyper.slopes.size(); ++c) {
        hyper.slopes[c] /= model.target_scaling.scale;
        hyper.mean += hyper.slopes[c] * model.input_scaling.center[model.mean_columns[c]];
        hyper.slopes[c] *= model.input_scaling.scale[model.mean_columns[c]];
    }
    for (std::size_t p = 0; p < hyper.likelihood.size(); ++p)
        if (likelihood->parameters()[p].is_variance) hyper.likelihood[p] /= variance;
    return hyper;
}

}  // namespace vnngp
