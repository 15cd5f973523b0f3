// A preconditioner for K + sigma^2 I: the first columns of the Cholesky factor of K, pivots in the order of what is left on the diagonal
// (Harbrecht, Peters and Schneider 2012; Gardner et al. 2018).
#pragma once

#include "vnngp/base/context.hpp"
#include "vnngp/conditional/covariance.hpp"
#include "vnngp/linalg/dense.hpp"

namespace vnngp::rivals {

/// P = L L' + sigma^2 I, L of size N x rank.
class LowRankPlusNoise {
public:
    /// rank: fewer columns where the rest of the diagonal vanishes earlier.
    LowRankPlusNoise(const Context& context, const conditional::Covariance& covariance, const Points& points, double noise, Index rank);

    Index rank() const { return static_cast<Index>(factor_.cols()); }
    /// P^{-1} b, by the Woodbury identity.
    linalg::Matrix solve(const linalg::Matrix& b) const;
    double log_determinant() const;
    /// Columns with covariance P, of standard normal numbers of size (rank() + N) x count.
    linalg::Matrix colored(const linalg::Matrix& normal) const;

private:
    linalg::Matrix factor_;
    double noise_;
    linalg::Matrix inner_;  ///< Cholesky factor of sigma^2 I + L'L
};

}  // namespace vnngp::rivals
