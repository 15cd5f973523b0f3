#include "vnngp/model/options.hpp"

#include <fmt/format.h>

#include "vnngp/base/error.hpp"

namespace vnngp {
namespace {

template <class T>
void require(bool allowed, std::string_view option, const T& value, std::string_view expected) {
    if (!allowed) throw InputError(fmt::format("--{} {}: expected {}", option, value, expected));
}

}  // namespace

std::string_view inference_name(Inference inference) {
    switch (inference) {
        case Inference::collapsed:
            return "collapsed";
        case Inference::natural:
            return "natural";
        case Inference::response:
            return "response";
        case Inference::stochastic:
            return "stochastic";
        case Inference::automatic:
            break;
    }
    return "auto";
}

std::string_view method_name(Method method) {
    switch (method) {
        case Method::exact:
            return "exact";
        case Method::svgp:
            return "svgp";
        case Method::swsgp:
            return "swsgp";
        case Method::sggp:
            return "sggp";
        case Method::vnngp:
            break;
    }
    return "vnngp";
}

std::string_view precision_name(Precision precision) {
    switch (precision) {
        case Precision::double_:
            return "double";
        case Precision::single_:
            return "single";
        case Precision::automatic:
            break;
    }
    return "auto";
}

bool in_single_precision(const FitOptions& options) {
    if (options.precision != Precision::automatic) return options.precision == Precision::single_;
    return options.method == Method::svgp || (options.method == Method::vnngp && options.inference == Inference::stochastic);
}

std::string_view posterior_name(PosteriorForm form) {
    switch (form) {
        case PosteriorForm::mean_field:
            return "mean-field";
        case PosteriorForm::full:
            return "full";
        case PosteriorForm::automatic:
            break;
    }
    return "auto";
}

namespace {

std::string nugget_text(const NuggetOption& nugget) {
    switch (nugget.mode) {
        case NuggetOption::Mode::learned:
            return "learned";
        case NuggetOption::Mode::none:
            return "none";
        case NuggetOption::Mode::published:
            return "jitter";
        case NuggetOption::Mode::fixed:
            break;
    }
    return fmt::format("{}", nugget.value);
}

// What the rivals cannot do.
void validate_method(const FitOptions& options) {
    const std::string_view method = method_name(options.method), inference = inference_name(options.inference);
    if (options.posterior == PosteriorForm::full)
        require(options.method == Method::svgp, "posterior", "full", fmt::format("mean-field with --method {}", method));
    if (options.method == Method::vnngp) return;
    if (options.method == Method::exact || options.method == Method::sggp) {
        require(options.likelihood == "gaussian", "likelihood", options.likelihood,
                fmt::format("gaussian: --method {} has no other; vnngp, svgp and swsgp have", method));
        require(options.inducing == 0, "inducing", options.inducing, fmt::format("none: --method {} has no inducing points", method));
    }
    require(!options.groups, "groups", "on", fmt::format("off with --method {}", method));
    require(options.inference == Inference::automatic || options.inference == Inference::stochastic, "inference", inference,
            fmt::format("auto or stochastic with --method {}", method));
    require(options.precision != Precision::single_ || options.method == Method::svgp, "precision", "single",
            fmt::format("auto or double with --method {}", method));
    require(options.metric == Metric::euclidean, "metric", "kernel", fmt::format("euclidean with --method {}", method));
    require(options.nugget.mode != NuggetOption::Mode::learned, "nugget", "learned",
            fmt::format("none, jitter or a variance with --method {}", method));
    if (options.resume) throw InputError(fmt::format("--resume: --method {} keeps no checkpoint to go on from", method));
}

}  // namespace

void validate(const FitOptions& options) {
    validate_method(options);
    require(options.neighbors >= 0, "neighbors", options.neighbors, "at least 1");
    const std::string_view inference = inference_name(options.inference);
    if (options.inference == Inference::collapsed || options.inference == Inference::response)
        require(options.likelihood == "gaussian", "inference", inference,
                fmt::format("natural or stochastic with --likelihood {}", options.likelihood));
    if (options.inference == Inference::response) {
        require(options.inducing == 0, "inducing", options.inducing, "none: --inference response has no inducing points");
        require(options.nugget.mode == NuggetOption::Mode::learned, "nugget", nugget_text(options.nugget),
                "learned: with --inference response it is the total noise");
    }
    if (options.fixed) {
        require(options.inference != Inference::response, "inference", inference,
                "another one: known hyperparameters leave it nothing to do");
        require(options.kernel != kAutomaticKernel, "kernel", options.kernel, "the name of the kernel whose hyperparameters are known");
    }
    if (options.inference == Inference::stochastic) {
        require(options.metric == Metric::euclidean, "metric", "kernel", "euclidean with --inference stochastic");
        require(!options.groups, "groups", "on", "off with --inference stochastic, which draws rows one by one");
    } else if (options.resume) {
        throw InputError("--resume: only --inference stochastic keeps a checkpoint to go on from");
    }
    require(options.prediction_neighbors >= 0, "prediction-neighbors", options.prediction_neighbors, "at least 1");
    require(options.inducing == 0 || options.inducing >= 2, "inducing", options.inducing, "at least 2");
    require(options.nugget.value >= 0.0 && options.nugget.value <= 1e300, "nugget", options.nugget.value, "a variance, 0 or more");
    require(options.evaluations >= 0, "evaluations", options.evaluations, "0 or more");
    require(options.epochs >= 1, "epochs", options.epochs, "at least 1");
    require(options.batch >= 1, "batch", options.batch, "at least 1");
    require(options.learning_rate > 0.0 && options.learning_rate <= 1.0, "learning-rate", options.learning_rate,
            "more than 0 and at most 1");
    require(options.jitter >= 0.0 && options.jitter <= 0.01, "jitter", options.jitter, "between 0 and 0.01");
}

}  // namespace vnngp
