// What a fit can be asked to do. Every field has the default that `vnngp fit` has.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/ordering.hpp"

namespace vnngp {

/// Minibatch training cannot hold the values at near-coincident inputs together much more closely than its learning rate; this much white
/// noise in the latent function keeps that from dominating the bound.
inline constexpr double kPublishedNugget = 1e-3;

/// The nugget tau: variance of white noise in the latent function itself.
struct NuggetOption {
    enum class Mode {
        published,  ///< kPublishedNugget of the target's variance: what the published training runs with
        none,       ///< only the numerical jitter
        fixed,      ///< `value`, in the squared unit of the target
        learned,    ///< with the other hyperparameters
    };
    Mode mode = Mode::published;
    double value = 0.0;
};

struct FitOptions {
    std::string likelihood = "gaussian";  ///< gaussian, student-t, bernoulli, bernoulli-logit, poisson
    std::string kernel = "matern52";      ///< matern12, matern32, matern52, rbf
    Index neighbors = 32;                 ///< K, 1..; clamped to the number of other inducing points, with a warning
    Index prediction_neighbors = 0;       ///< neighbours a prediction looks at; 0 = four times K, at most 256 (or K)
    neighbors::Ordering ordering = neighbors::Ordering::random;
    Index inducing = 0;  ///< M; 0 = one at every distinct input, otherwise learned locations started by k-means
    NuggetOption nugget = {};
    /// Longitude and latitude in degrees, by their positions among the columns: inputs on the sphere, with one length-scale in km.
    std::optional<std::pair<Index, Index>> lonlat = {};
    int epochs = 300;    ///< passes over the data
    Index batch = 1024;  ///< observations per step
    double learning_rate = 0.01;
    double jitter = 1e-8;  ///< relative to the output scale; raised where a neighbourhood needs it

    /// Where a long run saves its state every `checkpoint_seconds`, and when it is interrupted; empty = nowhere. A finished run leaves it
    /// in place, for discard_checkpoint() once the model is safe.
    std::string checkpoint = {};
    double checkpoint_seconds = 120.0;
    bool resume = false;  ///< go on from `checkpoint`

    /// Names used in messages and in the model file: one per input column, and the target. Optional.
    std::vector<std::string> input_names = {};
    std::string target_name = {};
};

/// Throws InputError naming the option, the value given and what is allowed.
void validate(const FitOptions& options);

}  // namespace vnngp
