#include "model/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "model/graph_search.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/data/split.hpp"

namespace vnngp::model {
namespace {

using inference::Hyperparameters;
using inference::MeanField;
using inference::Problem;

/// Observations in the first guess: a small sample while the metric is still unknown, then a larger one.
constexpr Index kFewestTerms = 500, kFewTerms = 5000, kManyTerms = 20000;
constexpr Index kGuessedFrom = 200000;  ///< so many of the first points: an index over more takes longer than all the rest of the guess
constexpr int kGuessRounds = 4;
/// A round may change a length-scale by so much: an input that a first long step switched off has no slope left to come back by, and the
/// neighbours were those of the metric before.
constexpr double kLargestFactor = 8.0;
constexpr double kGuessTolerance = 1e-4;
constexpr int kGuessEvaluations = 40;

/// Multiples of the initial length-scales that the first guess may start from.
constexpr double kFirstLengthscales[] = {1.0, 3.0, 10.0};
constexpr double kShortLengthscales[] = {0.3, 0.1, 0.03, 0.01, 0.003};
constexpr double kNoisyShares[] = {0.3, 0.6, 0.9};  ///< of the variance, as noise, with which the first ones compete with the short ones
constexpr double kClearlyMoreLikely = 10.0;         ///< nats

/// Of searching neighbours and maximising.
struct Rounds {
    int most;
    int first_evaluations;
    int later_evaluations;
};
constexpr Rounds kRoundsOnAll{4, 60, 25}, kRoundsOnSample{3, 40, 20}, kRoundsAfterSample{2, 15, 8};
/// More rounds of each kind while the limit of a factor holds back what still gains, in nats per point: noise that is nearly none is far
/// below where it starts.
constexpr int kExtraRounds = 5;
constexpr double kGainHeldBack = 0.01;
constexpr double kSettledGraph = 0.03;  ///< share of changed edges below which a search ends the rounds
/// Shares of the total noise given to the likelihood, the rest to the nugget, from which the bound is started.
constexpr double kNoiseShares[] = {0.5, 0.05, 0.95};
constexpr double kUnresolvedShare = 0.3;  ///< of the field's variance, as noise where M < N
constexpr Index kManyPoints = 100000;     ///< from which on a sample of the points goes before
constexpr double kSmallestNoise = 1e-7;   ///< on the standardised scale: where a noiseless field starts

/// One rough latent value per inducing point: the average over its observations. None where M < N.
struct RoughValues {
    Vector values = {};
    double variance = 1.0;
    double within_sites = 0.0;  ///< variance of observations that share an input: pure noise
};

RoughValues rough_values(const Problem& problem) {
    if (!problem.at_sites()) return {};
    const auto latent = problem.likelihood->rough_latent({problem.targets.data(), static_cast<std::size_t>(problem.targets.size())});
    RoughValues rough{Vector::Zero(problem.num_inducing())};
    Vector count = Vector::Zero(problem.num_inducing());
    for (Index i = 0; i < problem.num_observations(); ++i) {
        rough.values[problem.sites[i]] += latent[i];
        count[problem.sites[i]] += 1.0;
    }
    rough.values.array() /= count.array();
    double squares = 0.0;
    for (Index i = 0; i < problem.num_observations(); ++i) squares += std::pow(latent[i] - rough.values[problem.sites[i]], 2);
    if (problem.num_observations() > problem.num_inducing())
        rough.within_sites = squares / (problem.num_observations() - problem.num_inducing());
    rough.variance = std::max((rough.values.array() - rough.values.mean()).square().mean(), 1e-6);
    return rough;
}

std::vector<Index> sampled_points(Index count, Index wanted, std::uint64_t seed) {
    RandomStream stream(seed, StreamPurpose::subsample);
    std::vector<Index> points = random_permutation(count, stream);
    points.resize(std::min(count, wanted));
    std::sort(points.begin(), points.end());
    return points;
}

std::vector<Index> guessed_from(const Problem& problem, Index wanted, std::uint64_t seed) {
    return sampled_points(std::min(problem.num_inducing(), kGuessedFrom), wanted, seed);
}

/// About so many of the terms, spread evenly.
inference::ResponseTerms thinned(const inference::ResponseTerms& terms, Index wanted) {
    const auto every = std::max<Index>(1, terms.graph.num_rows() / wanted);
    std::vector<Index> rows;
    for (Index row = 0; row < terms.graph.num_rows(); row += every) rows.push_back(row);
    inference::ResponseTerms few{{}, data::gather_rows(terms.locations, rows), {static_cast<Index>(rows.size()), terms.graph.stride()}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        few.points.push_back(terms.points[rows[i]]);
        few.graph.set_row(static_cast<Index>(i), terms.graph.row(rows[i]));
    }
    return few;
}

/// The highest likelihood of some terms among starts with these multiples of the initial length-scales.
struct Start {
    Hyperparameters hyper;
    double likelihood = -std::numeric_limits<double>::infinity();
};

Start best_of_starts(const Context& context, const Problem& problem, const Hyperparameters& start, const RoughValues& rough,
                     const inference::ResponseTerms& terms, std::span<const double> factors) {
    const auto parameters = problem.kernel->parameters();
    Start best;
    for (const double factor : factors) {
        Hyperparameters hyper = start;
        for (std::size_t p = 0; p < parameters.size(); ++p)
            if (parameters[p].is_lengthscale) hyper.shape[p] *= factor;
        const double likelihood = inference::response_log_likelihood(context, problem, hyper, rough.values, terms);
        if (likelihood > best.likelihood) best = {std::move(hyper), likelihood};
    }
    return best;
}

/// In many dimensions points are far apart, and length-scales that make them all independent have no slope to leave by: starts where the
/// likelihood of a sample of the terms is highest. Where a field turns over many times within the data, long length-scales make it all
/// noise, which has no slope either: a short one is taken if it explains clearly more than they do with any noise, and than noise does.
Hyperparameters best_start(const Context& context, const Problem& problem, const Hyperparameters& start, const RoughValues& rough,
                           GraphSearch& search) {
    const auto sample = search.terms(start, guessed_from(problem, kFewTerms, context.seed));
    const Start usual = best_of_starts(context, problem, start, rough, sample, kFirstLengthscales);

    const auto few = thinned(sample, kFewestTerms);
    const auto best = [&](const Hyperparameters& from, std::span<const double> factors) {
        return best_of_starts(context, problem, from, rough, few, factors);
    };
    const Start briefly = best(start, kShortLengthscales);
    const auto count = static_cast<double>(few.points.size());
    const double white = -0.5 * count * (std::log(2.0 * std::numbers::pi * rough.variance) + 1.0);
    double rival = std::max(white, best(start, kFirstLengthscales).likelihood);
    for (const double share : kNoisyShares) {
        if (briefly.likelihood < rival + kClearlyMoreLikely) return usual.hyper;
        Hyperparameters noisy = start;
        noisy.outputscale = (1.0 - share) * rough.variance;
        noisy.nugget = share * rough.variance;
        rival = std::max(rival, best(noisy, kFirstLengthscales).likelihood);
    }
    return briefly.likelihood < rival + kClearlyMoreLikely ? usual.hyper : briefly.hyper;
}

/// Whether a round ended at the limit of a factor and was still gaining: the trace is that of the round.
template <class Found>
bool wants_more(const Found& found) {
    return found.held_back && *std::max_element(found.trace.begin(), found.trace.end()) > found.trace.front() + kGainHeldBack;
}

/// The first guess: the nearest-neighbour likelihood of a sample of the terms, whose neighbours come from all the data (of very many, from
/// a part). The nugget is the total noise.
Hyperparameters guess(const Context& context, const Problem& problem, Hyperparameters hyper, const RoughValues& rough,
                      const ClosedFormSettings& settings, GraphSearch& search) {
    hyper.outputscale = rough.variance;
    hyper.nugget = 0.1 * rough.variance;
    hyper = best_start(context, problem, hyper, rough, search);
    if (settings.learned.mean) hyper.mean = rough.values.mean();
    int rounds = kGuessRounds;
    for (int round = 0; round < rounds; ++round) {
        const Index terms = round + 1 < kGuessRounds ? kFewTerms : kManyTerms;
        const auto sample = search.terms(hyper, guessed_from(problem, terms, context.seed));
        auto found = inference::maximize_response(context, problem, hyper, rough.values, sample,
                                                  {.learn_mean = settings.learned.mean,
                                                   .tolerance = kGuessTolerance,
                                                   .max_evaluations = kGuessEvaluations,
                                                   .largest_factor = kLargestFactor});
        if (round + 1 == rounds && wants_more(found)) rounds = std::min(rounds + 1, kGuessRounds + kExtraRounds);
        hyper = std::move(found.hyper);
    }
    return hyper;
}

/// The same where M < N, from the observations themselves: values at a few inducing points say little of the field between them.
Hyperparameters guess_from_observations(const Context& context, const Problem& problem, const Hyperparameters& start,
                                        const ClosedFormSettings& settings, double& seconds_neighbors) {
    RandomStream stream(context.seed, StreamPurpose::subsample);
    std::vector<Index> rows = random_permutation(problem.num_observations(), stream);
    rows.resize(std::min<std::size_t>(rows.size(), kManyTerms));
    Problem observations;
    observations.kernel = problem.kernel;
    observations.likelihood = problem.likelihood;
    observations.inducing = data::gather_rows(problem.inputs, rows);
    observations.targets = data::gather_values(problem.targets, rows);
    observations.sites.resize(rows.size());
    std::iota(observations.sites.begin(), observations.sites.end(), 0);
    observations.mean_columns = problem.mean_columns;
    observations.jitter = problem.jitter;
    observations.single_precision = problem.single_precision;
    GraphSearch search(context, observations, settings);
    const auto hyper = guess(context, observations, start, rough_values(observations), settings, search);
    seconds_neighbors += search.seconds();
    return hyper;
}

/// Divides the total noise of the first guess between the likelihood and the nugget.
Hyperparameters divided(const Problem& problem, Hyperparameters hyper, const RoughValues& rough, bool learn_nugget, double noise_share) {
    const double total = std::max(hyper.nugget, kSmallestNoise);
    const auto parameters = problem.likelihood->parameters();
    const bool has_noise = !parameters.empty() && parameters[0].is_variance;
    hyper.nugget = has_noise ? (1.0 - noise_share) * total : 0.5 * total;
    if (!has_noise) return hyper;
    hyper.likelihood[0] = std::max(noise_share * total, rough.within_sites);
    if (!learn_nugget) hyper.likelihood[0] = std::max(total, rough.within_sites);
    return hyper;
}

/// The division from which the bound is highest.
Hyperparameters best_division(const Context& context, const Problem& problem, const Hyperparameters& guessed, double fixed_nugget,
                              const RoughValues& rough, const ClosedFormSettings& settings) {
    const auto candidate = [&](double share) {
        Hyperparameters hyper = divided(problem, guessed, rough, settings.learned.nugget, share);
        if (!settings.learned.nugget) hyper.nugget = fixed_nugget;
        return hyper;
    };
    Hyperparameters best = candidate(kNoiseShares[0]);
    if (!problem.likelihood->is_gaussian() || !settings.learned.nugget) return best;
    double highest = -std::numeric_limits<double>::infinity();
    for (const double share : kNoiseShares) {
        const Hyperparameters hyper = candidate(share);
        const double elbo = inference::optimal_posterior(context, problem, hyper, inference::prior_marginals(problem, hyper)).elbo;
        if (elbo > highest) {
            highest = elbo;
            best = hyper;
        }
    }
    // What M < N inducing points cannot follow is noise to them, and there may be much of it.
    if (problem.at_sites()) return best;
    Hyperparameters noisy = best;
    noisy.likelihood[0] = std::max(noisy.likelihood[0], kUnresolvedShare * guessed.outputscale);
    const double elbo = inference::optimal_posterior(context, problem, noisy, inference::prior_marginals(problem, noisy)).elbo;
    return elbo > highest ? noisy : best;
}

int limited(int evaluations, const ClosedFormSettings& settings) {
    return settings.evaluations > 0 ? std::min(evaluations, settings.evaluations) : evaluations;
}

/// The limit of the bound in which q(u) sits on the observations (Eq. C4).
ClosedFormResult train_response(const Context& context, const Problem& problem, Hyperparameters hyper, RoughValues rough,
                                const ClosedFormSettings& settings, GraphSearch& search) {
    ClosedFormResult result;
    result.converged = true;
    result.stopped_because = "hyperparameters were given";
    const double smallest_noise = problem.likelihood->parameters()[0].lower;
    if (settings.fixed) search.refresh(hyper, {&rough.values});
    int most = settings.fixed ? 0 : kRoundsOnAll.most;
    bool more = true;
    for (int round = 0; round < most; ++round) {
        if (!more && settings.metric == Metric::euclidean) break;
        if (round == 0 || settings.metric == Metric::kernel) {
            const double changed = search.refresh(hyper, {&rough.values});
            if (round > 0) result.neighbors_changed.push_back(changed);
            if (!more && changed < kSettledGraph) break;
        }
        auto found = inference::maximize_response(
            context, problem, hyper, rough.values, inference::all_response_terms(problem),
            {.learn_mean = settings.learned.mean,
             .tolerance = settings.tolerance,
             .max_evaluations = limited(round == 0 ? kRoundsOnAll.first_evaluations : kRoundsOnAll.later_evaluations, settings),
             .largest_factor = kLargestFactor,
             .smallest_nugget = smallest_noise});
        more = wants_more(found);
        if (round + 1 == most && more) most = std::min(most + 1, kRoundsOnAll.most + kExtraRounds);
        hyper = std::move(found.hyper);
        result.trace.insert(result.trace.end(), found.trace.begin(), found.trace.end());
        result.passes += found.evaluations;
        result.converged = found.converged;
        result.stopped_because = std::move(found.stopped_because);
    }
    result.posterior.elbo = inference::response_log_likelihood(context, problem, hyper, rough.values,
                                                               inference::all_response_terms(problem), nullptr, &result.posterior.jitter);
    // All noise is in the nugget; q(u) is the observations themselves.
    hyper.likelihood[0] = smallest_noise;
    hyper.nugget = std::max(hyper.nugget - smallest_noise, 0.0);
    search.restore({&rough.values});
    result.posterior.q = {rough.values, Vector::Constant(problem.num_inducing(), hyper.likelihood[0])};
    result.posterior.converged = true;
    result.hyper = std::move(hyper);
    return result;
}

/// Searching neighbours and maximising the bound in turn, until the neighbours stay. The graph of the problem is that of `hyper`, before
/// and after.
void maximize_in_rounds(const Context& context, const Problem& problem, Hyperparameters& hyper, MeanField& q,
                        const ClosedFormSettings& settings, const Rounds& rounds, GraphSearch& search, ClosedFormResult& result) {
    int most = rounds.most;
    for (int round = 0; round < most; ++round) {
        auto found = inference::maximize_bound(
            context, problem, hyper, q,
            {.learned = settings.learned,
             .tolerance = settings.tolerance,
             .max_evaluations = limited(round == 0 ? rounds.first_evaluations : rounds.later_evaluations, settings),
             .largest_factor = kLargestFactor,
             // Where steps to q(u) follow one another, each makes up for what the last solve left.
             .posterior = {.linear_tolerance = problem.likelihood->is_gaussian() ? 1e-6 : 1e-4, .tolerance = 0.1 * settings.tolerance}});
        hyper = std::move(found.hyper);
        q = std::move(found.posterior.q);
        result.trace.insert(result.trace.end(), found.trace.begin(), found.trace.end());
        result.passes += 2 * found.evaluations;
        result.linear_iterations = std::max(result.linear_iterations, found.longest_solve);
        result.converged = found.converged;
        result.stopped_because = std::move(found.stopped_because);
        const bool more = wants_more(found);
        if (round + 1 == most && more) most = std::min(most + 1, rounds.most + kExtraRounds);
        if (!more && settings.metric == Metric::euclidean) return;
        if (settings.metric == Metric::euclidean) continue;
        result.neighbors_changed.push_back(search.refresh(hyper, {&q.mean, &q.variance}));
        if (!more && result.neighbors_changed.back() < kSettledGraph) return;
    }
}

/// Some of the points with their observations.
Problem sampled_problem(const Problem& problem, const std::vector<Index>& points) {
    Problem sample;
    sample.kernel = problem.kernel;
    sample.likelihood = problem.likelihood;
    sample.mean_columns = problem.mean_columns;
    sample.jitter = problem.jitter;
    sample.single_precision = problem.single_precision;
    sample.inducing = data::gather_rows(problem.inducing, points);
    std::vector<Index> place(problem.num_inducing(), -1);
    for (std::size_t p = 0; p < points.size(); ++p) place[points[p]] = static_cast<Index>(p);
    std::vector<double> targets;
    for (Index i = 0; i < problem.num_observations(); ++i) {
        if (place[problem.sites[i]] < 0) continue;
        targets.push_back(problem.targets[i]);
        sample.sites.push_back(place[problem.sites[i]]);
    }
    sample.targets = Eigen::Map<const Vector>(targets.data(), static_cast<Eigen::Index>(targets.size()));
    return sample;
}

/// The bound on a sample of many points, so that few evaluations are left to do on all of them.
Hyperparameters learned_on_sample(const Context& context, const Problem& problem, const Hyperparameters& guessed, double fixed_nugget,
                                  const RoughValues& rough, ClosedFormSettings settings) {
    settings.evaluations = 0;
    Problem sample = sampled_problem(problem, sampled_points(problem.num_inducing(), kManyTerms, context.seed));
    GraphSearch search(context, sample, settings);
    search.refresh(guessed, {});
    Hyperparameters hyper = best_division(context, sample, guessed, fixed_nugget, rough, settings);
    MeanField q = inference::prior_marginals(sample, hyper);
    ClosedFormResult on_sample;
    maximize_in_rounds(context, sample, hyper, q, settings, kRoundsOnSample, search, on_sample);
    return hyper;
}

}  // namespace

ClosedFormResult train_closed_form(const Context& context, Problem& problem, const Hyperparameters& start,
                                   const ClosedFormSettings& settings) {
    GraphSearch search(context, problem, settings);
    const RoughValues rough = rough_values(problem);
    double seconds_observations = 0.0;
    const bool warm = settings.warm || settings.fixed;
    Hyperparameters hyper = warm                 ? start
                            : problem.at_sites() ? guess(context, problem, start, rough, settings, search)
                                                 : guess_from_observations(context, problem, start, settings, seconds_observations);
    if (settings.response_only) {
        auto result = train_response(context, problem, std::move(hyper), rough, settings, search);
        result.seconds_neighbors = search.seconds();
        return result;
    }

    const bool many = !warm && problem.at_sites() && problem.num_inducing() > kManyPoints;
    if (many) hyper = learned_on_sample(context, problem, hyper, start.nugget, rough, settings);
    search.refresh(hyper, {});
    if (!warm && !many) hyper = best_division(context, problem, hyper, start.nugget, rough, settings);

    ClosedFormResult result;
    MeanField q = inference::prior_marginals(problem, hyper);
    if (settings.fixed) {
        result.converged = true;
        result.stopped_because = "hyperparameters were given";
    } else {
        maximize_in_rounds(context, problem, hyper, q, settings, many ? kRoundsAfterSample : kRoundsOnAll, search, result);
    }
    result.posterior = inference::optimal_posterior(context, problem, hyper, q);
    ++result.passes;
    result.linear_iterations = std::max(result.linear_iterations, result.posterior.linear_iterations);
    if (result.converged && !result.posterior.converged) {
        result.converged = false;
        result.stopped_because = "no step towards the best posterior raises the bound";
    }
    search.restore({&result.posterior.q.mean, &result.posterior.q.variance});
    result.hyper = std::move(hyper);
    result.seconds_neighbors = search.seconds() + seconds_observations;
    return result;
}

}  // namespace vnngp::model
