// What a fit can be asked to do. Every field has the default that `vnngp fit` has for the default method and inference; for others the
// program also chooses metric and nugget, which here have to be named.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vnngp/base/types.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/inference/problem.hpp"
#include "vnngp/model/neighbor_search.hpp"
#include "vnngp/neighbors/ordering.hpp"

namespace vnngp {

/// Minibatch training cannot hold the values at near-coincident inputs together much more closely than its learning rate; this much white
/// noise in the latent function keeps that from dominating the bound.
inline constexpr double kPublishedNugget = 1e-3;

/// The nugget tau: variance of white noise in the latent function itself.
struct NuggetOption {
    enum class Mode {
        learned,    ///< with the other hyperparameters
        none,       ///< only the numerical jitter
        fixed,      ///< `value`, in the squared unit of the target
        published,  ///< kPublishedNugget of the target's variance: what the published training runs with
    };
    Mode mode = Mode::learned;
    double value = 0.0;
};

/// The approximation. All but vnngp are there to be compared with; docs/reproduction.md says where each comes from.
enum class Method {
    vnngp,
    exact,  ///< no approximation; Gaussian noise
    svgp,   ///< inducing points with a joint q(u), low rank
    swsgp,  ///< nearest inducing points with a local divergence
    sggp,   ///< likelihoods of small neighbourhoods; Gaussian noise
};
inline constexpr Method kMethods[] = {Method::vnngp, Method::exact, Method::svgp, Method::swsgp, Method::sggp};
std::string_view method_name(Method method);

/// The family of q(u).
enum class PosteriorForm {
    automatic,   ///< full for svgp, mean-field for the others
    mean_field,  ///< independent values
    full,        ///< any covariance; svgp
};
inline constexpr PosteriorForm kPosteriorForms[] = {PosteriorForm::automatic, PosteriorForm::mean_field, PosteriorForm::full};
std::string_view posterior_name(PosteriorForm form);

/// How hyperparameters and q(u) are found.
enum class Inference {
    automatic,   ///< collapsed for Gaussian noise, natural for the other likelihoods
    collapsed,   ///< q(u) by one linear solve, hyperparameters by quasi-Newton; Gaussian noise
    natural,     ///< the same with natural-gradient steps to the optimal q(u); any likelihood
    response,    ///< the nearest-neighbour likelihood of the observations, no q(u); Gaussian noise
    stochastic,  ///< minibatches, as published
};
inline constexpr Inference kInferences[] = {Inference::automatic, Inference::collapsed, Inference::natural, Inference::response,
                                            Inference::stochastic};
std::string_view inference_name(Inference inference);

/// Of the arithmetic in training rows (factorisations and solves of neighbourhoods) and of the products of SVGP. What single precision
/// cannot serve is computed in double precision all the same.
enum class Precision {
    automatic,  ///< single_ for minibatches, whose own noise is far larger; double_ otherwise
    double_,
    single_,
};
inline constexpr Precision kPrecisions[] = {Precision::automatic, Precision::double_, Precision::single_};
std::string_view precision_name(Precision precision);

/// The mean of the latent function before any data are seen.
struct MeanOption {
    enum class Kind { constant, linear, zero };
    Kind kind = Kind::constant;
    std::vector<Index> columns = {};  ///< linear: positions among the input columns; empty = all of them
};

inline constexpr std::string_view kAutomaticKernel = "auto";

struct FitOptions {
    std::string likelihood = "gaussian";   ///< gaussian, student-t, bernoulli, bernoulli-logit, poisson
    std::string kernel{kAutomaticKernel};  ///< auto: compared on held-out data; or a name; or an expression, see make_kernel
    Index neighbors = 32;                  ///< K; 0 = grown while a held-out score improves
    Index prediction_neighbors = 0;        ///< neighbours a prediction looks at; 0 = once, twice or four times K, by held-out score
    /// Training rows of close points are computed together, each from the neighbours of all; not for stochastic inference
    bool groups = false;
    Metric metric = Metric::kernel;
    /// Of inputs, before anything is learned: what Euclidean distances are measured in, and what length-scales start from. Places on the
    /// sphere keep their own.
    data::Scale input_scale = data::Scale::deviation;
    MeanOption mean = {};
    Method method = Method::vnngp;
    PosteriorForm posterior = PosteriorForm::automatic;
    Inference inference = Inference::automatic;
    neighbors::Ordering ordering = neighbors::Ordering::random;
    /// M; 0 = one at every distinct input (svgp: 1,024), otherwise k-means centres (moved by stochastic inference)
    Index inducing = 0;
    NuggetOption nugget = {};
    /// Known hyperparameters, in the units of the data (as in_data_units() has them): the posterior alone is fitted, to the kernel named.
    std::optional<inference::Hyperparameters> fixed = {};
    /// Longitude and latitude in degrees, by their positions among the columns: inputs on the sphere, with one length-scale in km.
    std::optional<std::pair<Index, Index>> lonlat = {};
    /// collapsed, natural, response: evaluations of the objective on all the data after each search, at most; 0 = as many as it takes
    int evaluations = 0;
    int epochs = 300;             ///< stochastic: passes over the data
    Index batch = 1024;           ///< stochastic: observations per step
    double learning_rate = 0.01;  ///< stochastic
    bool calibrate = true;        ///< quantiles, where those of held-out observations are off and kernel or neighbours were left open
    Precision precision = Precision::automatic;
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

/// Whether rows are computed in single precision where that serves.
bool in_single_precision(const FitOptions& options);

/// Throws InputError naming the option, the value given and what is allowed.
void validate(const FitOptions& options);

}  // namespace vnngp
