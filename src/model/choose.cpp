#include "model/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/train.hpp"
#include "vnngp/base/clock.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/predictor.hpp"

namespace vnngp::model {
namespace {

/// In order of preference: a later one must be better by more than the error of the difference, or, where the difference is less than that,
/// more likely by some nats.
constexpr std::string_view kKernels[] = {"matern32", "matern52", "matern12", "rbf"};
constexpr double kClearlyMoreLikely = 3.0;
constexpr std::string_view kUnchosenKernel = "matern52";  ///< for minibatches, and where there are too few data to compare
constexpr Index kUnchosenNeighbors = 32;
constexpr Index kFewestToCompare = 60;  ///< observations
/// Observations that are compared on: all of them, or a sample of so many when there are more (fewer where each fit takes longer).
constexpr Index kLargestSample = 45000, kLargestSlowSample = 15000;
constexpr Index kBlocks = 32;  ///< that a sample is made of
/// Intervals are calibrated on rows from all over the data, each held out of its own surroundings: so many, with all their surroundings.
constexpr Index kFewestSpread = 300, kMostSpread = 1500, kMostSurroundings = 240000;
constexpr double kHeldOutShare = 0.15;
constexpr Index kMostHeldOut = 3000;
constexpr Index kKernelNeighbors = 32;  ///< K while kernels are compared
constexpr Index kFirstNeighbors = 16, kMostNeighbors = 256;
constexpr double kSmallestGain = 0.003;  ///< nats per observation that a larger K must bring
constexpr Index kFurthest = 512;         ///< neighbours of a prediction, at most
constexpr double kMuchFurther = 0.1;     ///< nats per observation
/// Standard deviations by which six of 100,000 observations miss under normal noise. Where so many of those held out do, on four of seven
/// data sets, Student's t was better by 0.13 to 6.4 nats an observation, and on the other three by 0.1 at most.
constexpr double kFarOff = 4.0, kManyFarOff = 0.003;
constexpr std::ptrdiff_t kFewestFarOff = 10;
constexpr int kFurther[] = {1, 2, 4};    ///< times K
/// Multiplications of one pass over all rows, K^3 / 3 each, up to which a larger K is considered: about ten seconds of two cores.
constexpr double kLongestPass = 3e11;

constexpr Index kObservationsToPredictFrom = 256;  ///< sggp, as published

Index further_neighbors(Index trained) { return std::max<Index>(trained, std::min<Index>(4 * trained, 256)); }

/// Observations to train on and to score.
struct Sample {
    std::vector<Index> train, held_out;
};

/// So many rows that are nearest to each of the centres, ascending.
std::vector<Index> surroundings(const neighbors::NearestIndex& index, const Points& inputs, std::span<const Index> centers, Index size,
                                const Context& context) {
    const auto blocks = index.search(data::gather_rows(inputs, centers), size, context);
    std::vector<Index> rows;
    for (Index block = 0; block < blocks.num_rows(); ++block) rows.insert(rows.end(), blocks.row(block).begin(), blocks.row(block).end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

Sample divided(std::vector<Index> shuffled) {
    const auto held_out =
        std::min<std::size_t>(kMostHeldOut, static_cast<std::size_t>(kHeldOutShare * static_cast<double>(shuffled.size())));
    const auto middle = shuffled.begin() + static_cast<std::ptrdiff_t>(held_out);
    return {{middle, shuffled.end()}, {shuffled.begin(), middle}};
}

struct Samples {
    Sample compared;  ///< what is chosen is chosen on it
    Sample spread;    ///< for calibration; empty where `compared` is all the data, or nothing is calibrated
};

// All the data while they are few. Of more, the neighbourhoods of some random points: a sparse sample would see another smoothness than
// the data have. Such a sample tells one kernel from another, but where data are smooth in most places and rough in some, 32 places say
// little about the share of observations that an interval holds. The rows of the second sample are as good as independent.
Samples samples_of(const Context& context, const Points& inputs, Index largest, bool calibrated, Index furthest) {
    const auto count = static_cast<Index>(inputs.rows());
    RandomStream stream(context.seed, StreamPurpose::subsample, 1);
    const std::vector<Index> all = random_permutation(count, stream);
    if (count <= largest) return {divided(all), {}};
    const Context quiet{.threads = context.threads, .stop = context.stop};
    const neighbors::NearestIndex index(inputs, quiet);
    const auto rows = surroundings(index, inputs, std::span(all).first(kBlocks), largest / kBlocks, quiet);
    std::vector<Index> shuffled;
    for (const Index i : random_permutation(static_cast<Index>(rows.size()), stream)) shuffled.push_back(rows[i]);
    Samples samples{divided(std::move(shuffled)), {}};
    if (!calibrated) return samples;

    const Index size = furthest + furthest / 2;
    auto& [around, centers] = samples.spread;
    centers.assign(all.end() - std::clamp<Index>(kMostSurroundings / size, kFewestSpread, kMostSpread), all.end());
    around = surroundings(index, inputs, centers, size, quiet);
    std::sort(centers.begin(), centers.end());
    std::erase_if(around, [&](Index row) { return std::ranges::binary_search(centers, row); });
    return samples;
}

/// A sample's rows of the data.
struct Rows {
    Rows(const Sample& sample, const Points& points, const Vector& targets, const Points& inputs, const Vector& scaled_targets)
        : train_inputs(data::gather_rows(inputs, sample.train)),
          held_out_points(data::gather_rows(points, sample.held_out)),
          train_targets(data::gather_values(scaled_targets, sample.train)),
          held_out_targets(data::gather_values(targets, sample.held_out)) {}

    Points train_inputs, held_out_points;
    Vector train_targets, held_out_targets;
};

struct Difference {
    double mean, error;
};
Difference difference(const Vector& a, const Vector& b) {
    const Vector d = a - b;
    const double mean = d.mean();
    return {mean, std::sqrt((d.array() - mean).square().sum() / std::max<double>(1.0, d.size() - 1.0) / d.size())};
}

}  // namespace

class Comparison {
public:
    Comparison(const Context& context, const Points& points, const Vector& targets, const Points& inputs, const Vector& scaled_targets,
               const likelihood::Likelihood& likelihood, const FitOptions& options, const FittedModel& model)
        : context_(context), likelihood_(likelihood), base_(model), count_(static_cast<Index>(inputs.rows())) {
        context_.progress = {};
        choice_.options = options;
        const Samples samples = samples_of(context, inputs, likelihood.is_gaussian() ? kLargestSample : kLargestSlowSample,
                                           options.calibrate && likelihood.standardizes_targets(), most_looked_at(options));
        compared_.emplace(samples.compared, points, targets, inputs, scaled_targets);
        if (!samples.spread.held_out.empty()) spread_.emplace(samples.spread, points, targets, inputs, scaled_targets);
        const double rows = static_cast<double>(count_);
        sample_is_all_ = samples.compared.train.size() + samples.compared.held_out.size() == static_cast<std::size_t>(count_);
        while (most_neighbors_ > kUnchosenNeighbors && rows * std::pow(most_neighbors_, 3) / 3.0 > kLongestPass) most_neighbors_ /= 2;
    }

    Choice run(const Context& context) {
        const bool choose_kernel = choice_.options.kernel == kAutomaticKernel, choose_neighbors = choice_.options.neighbors == 0;
        const Index asked = choice_.options.neighbors;
        if (choose_kernel) {
            choice_.options.neighbors = asked == 0 ? kKernelNeighbors : std::min(asked, kKernelNeighbors);
            int done = 0;
            for (const std::string_view kernel : kKernels) {
                context.report({"choose", done++, std::size(kKernels), fmt::format("kernel {}", kernel)});
                FitOptions options = choice_.options;
                options.kernel = kernel;
                Settings settings = scored(options, nullptr);
                if (accepted_.size() > 0) {
                    const auto gain = difference(settings.score, accepted_);
                    const bool more_likely = gain.mean > -gain.error && settings.bound > bound_ + kClearlyMoreLikely;
                    if (!(gain.mean > gain.error) && !more_likely) continue;
                }
                accept(std::move(settings));
            }
        }
        if (choose_neighbors) {
            grow_neighbors(context, choose_kernel);
        } else if (asked != choice_.options.neighbors) {
            choice_.options.neighbors = asked;
            context.report({"choose", 0, 1, fmt::format("K = {}", asked)});
            accept(scored(choice_.options, hyper_or_null()));
        }
        return finished(choose_neighbors);
    }

    Choice run_for(const Context& context, const FittedModel& trained, const FitOptions& options) {
        const bool open = options.prediction_neighbors == 0;
        context.report({"choose", 0, 1, open ? "neighbours of a prediction" : "intervals"});
        choice_ = {};
        choice_.options = options;
        choice_.options.fixed = in_data_units(trained);
        accept(scored(choice_.options, nullptr));
        if (spread_) cdf_ = cdf_all_over();
        if (choice_.options.calibrate && likelihood_.standardizes_targets()) calibrate_intervals();
        Choice choice = finished(false);
        if (!open) {  // said before training
            choice.tried.clear();
            choice.warnings.clear();
        }
        return choice;
    }

    bool sample_is_all() const { return sample_is_all_; }

private:
    /// Neighbours that a row may need, to be trained on and to be predicted.
    static Index most_looked_at(const FitOptions& options) {
        if (options.prediction_neighbors > 0) return std::max({options.prediction_neighbors, options.neighbors, kUnchosenNeighbors});
        return options.neighbors > 0 ? std::max(options.neighbors, std::min(kFurther[2] * options.neighbors, kFurthest)) : kFurthest;
    }

    /// A setting, what it learned, and its score on every held-out observation.
    struct Settings {
        FitOptions options;
        inference::Hyperparameters hyper;
        Vector score;
        double bound = 0.0;            ///< on the evidence of what it was trained on
        Vector cdf = {};               ///< at every held-out observation
        double looking_further = 0.0;  ///< gain of predicting from more neighbours than K, nats per observation
    };

    Choice finished(bool neighbors_were_chosen) {
        warn(neighbors_were_chosen);
        choice_.intervals_off =
            choice_.options.calibrate && likelihood_.standardizes_targets() && !calibrate(held_out_tails()).model_tails.empty();
        choice_.options.prediction_neighbors = further_;
        return std::move(choice_);
    }

    const inference::Hyperparameters* hyper_or_null() const { return choice_.hyper ? &*choice_.hyper : nullptr; }

    FittedModel trained_on(const Rows& rows, FitOptions settings, const inference::Hyperparameters* warm) const {
        FittedModel model = base_;
        // As densely as they will be among all the data.
        const double share = static_cast<double>(rows.train_inputs.rows()) / static_cast<double>(count_);
        if (settings.inducing > 0) settings.inducing = std::max<Index>(2, static_cast<Index>(settings.inducing * share));
        if (settings.prediction_neighbors == 0) settings.prediction_neighbors = settings.neighbors;
        train(context_, rows.train_inputs, rows.train_targets, likelihood_, settings, warm, model);
        return model;
    }

    /// At rows from all over the data, with the accepted setting.
    Vector cdf_all_over() const {
        const FittedModel model = trained_on(*spread_, choice_.options, nullptr);
        const Index looked_at = std::min(further_, static_cast<Index>(model.inducing.rows()));
        return Predictor(model, context_, looked_at).density(spread_->held_out_points, spread_->held_out_targets).cdf;
    }

    Settings scored(const FitOptions& options, const inference::Hyperparameters* warm) {
        const auto start = Clock::now();
        const FittedModel model = trained_on(*compared_, options, warm);
        Settings best{options, model.hyper, {}, model.report.elbo};
        const auto all = static_cast<Index>(model.inducing.rows());
        Index looked_at = 0;
        double nearest = 0.0;
        for (const int factor : kFurther) {
            const Index asked = options.prediction_neighbors > 0 ? options.prediction_neighbors : factor * options.neighbors;
            const Index further = std::min(asked, all);
            if (looked_at > 0 && (asked > kFurthest || further == looked_at)) break;
            auto held_out = Predictor(model, context_, further).density(compared_->held_out_points, compared_->held_out_targets);
            const Vector score = held_out.log_density.array() + std::log(model.target_scaling.scale);
            if (looked_at == 0) nearest = score.mean();
            looked_at = further;
            if (best.score.size() > 0 && !(score.mean() > best.score.mean())) continue;
            best.looking_further = score.mean() - nearest;
            best.score = score;
            best.cdf = std::move(held_out.cdf);
            best.options.prediction_neighbors = asked;
        }
        const double error = accepted_.size() > 0 ? difference(best.score, accepted_).error : 0.0;
        choice_.tried.push_back({options.kernel, options.neighbors, std::min(best.options.prediction_neighbors, all), best.score.mean(),
                                 error, seconds_since(start)});
        return best;
    }

    void accept(Settings settings) {
        const Index asked = choice_.options.prediction_neighbors;
        choice_.options = std::move(settings.options);
        further_ = choice_.options.prediction_neighbors;
        choice_.options.prediction_neighbors = asked;  // still open for the next setting
        choice_.hyper = std::move(settings.hyper);
        accepted_ = std::move(settings.score);
        bound_ = settings.bound;
        cdf_ = std::move(settings.cdf);
        looking_further_ = settings.looking_further;
    }

    void warn(bool neighbors_were_chosen) {
        if (!neighbors_were_chosen && looking_further_ > kMuchFurther)
            choice_.warnings.push_back(
                fmt::format("K = {} looks small: predicting from {} neighbours gained {:.2f} nats per held-out observation; "
                            "try --neighbors auto",
                            choice_.options.neighbors, further_, looking_further_));
        if (likelihood_.is_gaussian()) warn_of_heavy_tails();
    }

    void warn_of_heavy_tails() {
        const auto tails = held_out_tails();
        const double normal = std::erfc(kFarOff / std::numbers::sqrt2);
        const auto far_off = std::ranges::count_if(tails, [&](double tail) { return tail < normal; });
        const double share = static_cast<double>(far_off) / static_cast<double>(tails.size());
        if (far_off >= kFewestFarOff && share >= kManyFarOff)
            choice_.warnings.push_back(
                fmt::format("noise with heavy tails: {:.1f} % of {} held-out observations lie more than {:g} standard deviations off, where "
                            "normal noise has none; try --likelihood student-t",
                            100.0 * share, tails.size(), kFarOff));
    }

    std::vector<double> held_out_tails() const {
        std::vector<double> tails;
        for (const double p : cdf_) tails.push_back(2.0 * std::min(p, 1.0 - p));
        return tails;
    }

    void calibrate_intervals() {
        const auto tails = held_out_tails();
        choice_.calibration = calibrate(tails);
        if (choice_.calibration.model_tails.empty()) return;
        const auto inside = std::count_if(tails.begin(), tails.end(), [](double tail) { return tail >= 0.05; });
        choice_.notes.push_back(
            fmt::format("95 % intervals of the model held {:.1f} % of {} held-out observations: its quantiles are adjusted to hold 95 %",
                        100.0 * static_cast<double>(inside) / static_cast<double>(tails.size()), tails.size()));
    }

    // K = 16, 32, 64 ... while the score improves by more than the error of the improvement.
    void grow_neighbors(const Context& context, bool from_kernel) {
        if (!from_kernel) {
            choice_.options.neighbors = kFirstNeighbors;
            accept(scored(choice_.options, nullptr));
        }
        for (Index k = 2 * choice_.options.neighbors; k <= kMostNeighbors; k *= 2) {
            if (k > most_neighbors_) {
                choice_.notes.push_back(
                    fmt::format("K = {} was not tried: a pass over the data would take long; --neighbors {} asks for it", k, k));
                return;
            }
            if (k >= compared_->train_inputs.rows()) return;
            context.report({"choose", 0, 1, fmt::format("K = {}", k)});
            FitOptions options = choice_.options;
            options.neighbors = k;
            Settings settings = scored(options, hyper_or_null());
            const auto gain = difference(settings.score, accepted_);
            if (!(gain.mean > std::max(gain.error, kSmallestGain))) return;
            accept(std::move(settings));
        }
    }

    Context context_;
    const likelihood::Likelihood& likelihood_;
    FittedModel base_;  ///< columns and scales
    Index count_;       ///< of all observations
    std::optional<Rows> compared_, spread_;
    Choice choice_;
    Vector accepted_;
    double bound_ = 0.0, looking_further_ = 0.0;
    Vector cdf_;
    Index further_ = 0;
    bool sample_is_all_ = false;
    Index most_neighbors_ = kMostNeighbors;
};

Chooser::Chooser(const Context& context, const Points& points, const Vector& targets, const Points& inputs, const Vector& scaled_targets,
                 const likelihood::Likelihood& likelihood, const FitOptions& options, const FittedModel& model)
    : context_(context), given_{.options = options, .hyper = {}, .tried = {}, .calibration = {}, .notes = {}, .warnings = {}} {
    if (options.kernel != kAutomaticKernel && options.neighbors != 0 && options.prediction_neighbors != 0) return;
    if (options.method == Method::vnngp && options.inference != Inference::stochastic && inputs.rows() >= kFewestToCompare) {
        comparison_ = std::make_unique<Comparison>(context, points, targets, inputs, scaled_targets, likelihood, options, model);
        return;
    }
    FitOptions& settled = given_.options;
    if (options.kernel == kAutomaticKernel) settled.kernel = kUnchosenKernel;
    if (options.neighbors == 0) settled.neighbors = kUnchosenNeighbors;
    if (options.prediction_neighbors == 0)
        settled.prediction_neighbors = options.method == Method::swsgp  ? settled.neighbors
                                       : options.method == Method::sggp ? kObservationsToPredictFrom
                                                                        : further_neighbors(settled.neighbors);
}

Chooser::~Chooser() = default;

Choice Chooser::before_training() {
    const FitOptions& options = given_.options;
    if (!comparison_ || (options.kernel != kAutomaticKernel && options.neighbors != 0)) return given_;
    Choice choice = comparison_->run(context_);
    if (!comparison_->sample_is_all()) choice.hyper.reset();
    return choice;
}

Choice Chooser::after_training(const FittedModel& trained, const FitOptions& options) {
    return comparison_->run_for(context_, trained, options);
}

}  // namespace vnngp::model
