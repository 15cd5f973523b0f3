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

void validate(const FitOptions& options) {
    require(options.neighbors >= 1, "neighbors", options.neighbors, "at least 1");
    require(options.prediction_neighbors >= 0, "prediction-neighbors", options.prediction_neighbors, "at least 1");
    require(options.inducing == 0 || options.inducing >= 2, "inducing", options.inducing, "at least 2");
    require(options.nugget.value >= 0.0 && options.nugget.value <= 1e300, "nugget", options.nugget.value, "a variance, 0 or more");
    require(options.epochs >= 1, "epochs", options.epochs, "at least 1");
    require(options.batch >= 1, "batch", options.batch, "at least 1");
    require(options.learning_rate > 0.0 && options.learning_rate <= 1.0, "learning-rate", options.learning_rate,
            "more than 0 and at most 1");
    require(options.jitter >= 0.0 && options.jitter <= 0.01, "jitter", options.jitter, "between 0 and 0.01");
}

}  // namespace vnngp
