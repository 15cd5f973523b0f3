// KL(q(u) || p(u)) for a mean-field q and the three priors that figure-3 compares, by dense algebra in extended precision: covariances of
// smooth kernels are too ill-conditioned for doubles to agree to eight digits.
#pragma once

#include <Eigen/Core>

#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::experiments {

using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// q(u) = prod_j N(m_j, s_j) against a prior of mean 0 and covariance C, whose diagonal has all that is added to it.
struct DivergenceProblem {
    ExtendedMatrix covariance;
    Vector mean, variance;
};

/// Against the prior itself: SVGP's.
double exact_divergence(const DivergenceProblem& problem);
/// Against the product of conditionals on the predecessors in the graph (Eq. E2).
double vnngp_divergence(const DivergenceProblem& problem, const neighbors::NeighborGraph& predecessors);
/// The mean over points of the divergence of their neighbourhood's marginals; `nearest` has each point among its own neighbours.
double swsgp_divergence(const DivergenceProblem& problem, const neighbors::NeighborGraph& nearest);

}  // namespace vnngp::experiments
