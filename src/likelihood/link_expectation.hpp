// Expectations of log link(f) and its derivatives under a normal law of f, for the two links of classes, all nodes of a rule side by side.
#pragma once

#include "likelihood/special_functions.hpp"
#include "vnngp/linalg/gauss_hermite.hpp"

namespace vnngp::likelihood {

/// sum_k weight_k g(mean + sd node_k) for g = log_normal_cdf or log_logistic. The rule has a multiple of kNodesAtOnce nodes.
ValueAndDerivatives expected_log_normal_cdf(const linalg::Quadrature& rule, double mean, double sd);
ValueAndDerivatives expected_log_logistic(const linalg::Quadrature& rule, double mean, double sd);

}  // namespace vnngp::likelihood
