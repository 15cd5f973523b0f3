// Gauss-Hermite quadrature against the standard normal law: sum_k weights[k] g(nodes[k]) ~ E g(Z), Z ~ N(0,1).
// Golub & Welsch, "Calculation of Gauss quadrature rules", Math. Comp. 23 (1969), for the probabilists' polynomials.
#pragma once

#include <vector>

namespace vnngp::linalg {

/// A rule for expectations under N(0,1); weights are positive and sum to 1.
struct Quadrature {
    std::vector<double> nodes;  ///< ascending, symmetric about 0
    std::vector<double> weights;
};

/// The rule of `num_nodes` nodes (1 to 128), exact for polynomials up to degree 2 num_nodes - 1. Costs O(num_nodes^2): keep the result.
/// Throws InputError for any other number of nodes.
Quadrature gauss_hermite(int num_nodes);

}  // namespace vnngp::linalg
