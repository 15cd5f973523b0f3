// Predictions from a fitted model, block by block: memory grows with the block, not with the number of points.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "vnngp/base/random.hpp"
#include "vnngp/data/merge.hpp"
#include "vnngp/inference/prediction.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/model/fitted_model.hpp"
#include "vnngp/model/neighbor_search.hpp"
#include "vnngp/rivals/dense_posterior.hpp"

namespace vnngp {

namespace model {
struct GapCell;
}

/// In the units of the target (for Bernoulli and Poisson the latent scale is that of the link).
struct Prediction {
    Vector latent_mean;      ///< the smooth function g
    Vector latent_variance;  ///< without nugget and noise
    Vector mean;             ///< a new observation y
    Vector variance;         ///< of y, infinite where the law has none
    Points quantiles;        ///< of y, calibrated, one column per probability asked for
};

/// The latent function at several points together, in the units of the target.
struct JointPrediction {
    Vector mean;
    Eigen::MatrixXd covariance;  ///< of the smooth function g, without nugget and noise
};

class Predictor {
public:
    /// Keeps a reference to the model. neighbors: 0 = the model's own choice, and more for points in gaps of the data.
    /// lanczos_steps: of the exact process alone, see rivals::DensePosterior; 0 = exact variances.
    Predictor(const FittedModel& model, const Context& context, Index neighbors = 0, Index lanczos_steps = 0);

    /// probabilities: in (0, 1), those of the quantiles wanted.
    Prediction predict(const Points& points, std::span<const double> probabilities = {}) const;

    /// Draws at all points together, a column each: of new observations, or of the latent function. Each point is conditioned on its
    /// nearest inducing points and its nearest earlier points, in a random order. The same seed gives the same draws at any number of
    /// threads, and the first ones do not depend on how many there are.
    Points sample(const Points& points, Index count, std::uint64_t seed = 0, bool latent = false) const;
    /// The law that latent samples with this seed come from. Throws InputError for more points than a dense covariance is meant for.
    JointPrediction joint(const Points& points, std::uint64_t seed = 0) const;

    /// Everything a block of held-out points is scored by.
    struct Scored {
        Vector log_density;  ///< of y, in the unit of the target
        Vector mean;
        Vector crps;
        Vector lower, upper;  ///< central 95 % interval
    };
    Scored score(const Points& points, const Vector& targets) const;
    /// The law of a new observation at y, before calibration.
    struct Density {
        Vector log_density;  ///< in the unit of the target
        Vector cdf;          ///< P(a new observation <= y)
    };
    Density density(const Points& points, const Vector& targets) const;

    const likelihood::Likelihood& likelihood() const { return *likelihood_; }

private:
    /// Standardised.
    struct Latent {
        inference::LatentPrediction smooth;    ///< the function g
        inference::LatentPrediction observed;  ///< what observations there scatter about: g and a nugget
    };
    Latent latent(const Points& points) const;
    /// For every row of x the inducing point at the same place, or -1 where there is none whose nugget it shares.
    std::vector<Index> known_places(const Points& x) const;
    /// use(targets): the points with all that joint predictions from the nearest inducing points want to know.
    template <class Use>
    auto jointly(const Points& x, const Use& use) const;
    void draw_observations(std::span<const Index> known, std::span<const Index> site, RandomStream stream, Points::ColXpr values) const;
    /// From all inducing points, or from the nearest.
    inference::LatentPrediction from_all(const Points& x) const;
    inference::LatentPrediction from_nearest(const Points& x) const;
    inference::LatentPrediction smooth(const Points& x, const neighbors::NeighborGraph& graph) const;
    /// nearest: the inducing point that is nearest to each row.
    void look_further(const Points& x, std::span<const Index> nearest, inference::LatentPrediction& prediction) const;
    /// From where on, and at how many neighbours, a point looks for itself.
    double sparse_distance() const;
    Index sparse_neighbors() const;
    void look_around(const Points& x, const std::vector<model::GapCell>& cells, inference::LatentPrediction& prediction) const;
    /// The kernel's coordinates, standardised.
    Points inputs(const Points& points) const;
    conditional::Covariance covariance() const;
    Vector prior_means(const Points& standardized) const;
    /// q(u) about the prior mean.
    inference::MeanField deviation() const;

    const FittedModel& model_;
    Context context_;
    std::unique_ptr<kernel::Kernel> kernel_;
    std::unique_ptr<likelihood::Likelihood> likelihood_;
    MetricIndex index_;
    Vector centered_mean_;  ///< m - mu
    Index neighbors_;
    Index gap_neighbors_ = 0;                      ///< in gaps of the data; 0: as everywhere
    bool has_cells_ = false;                       ///< gaps are divided into cells
    std::optional<rivals::DensePosterior> dense_;  ///< of methods without neighbours
    std::optional<data::PointTable> places_;       ///< the inducing points, where observations share their nugget
};

}  // namespace vnngp
