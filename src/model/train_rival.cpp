#include "model/train_rival.hpp"

#include <fmt/format.h>

#include "model/prepare.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::model {

void train_rival(const Context&, inference::Problem&, const FitOptions& options, FittedModel&) {
    switch (options.method) {
        case Method::exact:
        case Method::svgp:
        case Method::swsgp:
        case Method::sggp:
        case Method::vnngp:
            break;
    }
    throw InputError(fmt::format("--method {}: not there yet", method_name(options.method)));
}

}  // namespace vnngp::model
