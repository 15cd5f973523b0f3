// The Gaussian process without any approximation, for Gaussian noise: log N(y | mu, C), C = K + (nugget + noise) I.
//
// By Cholesky factorisation (exact, N^2 numbers in memory, N^3 operations), or as Wang et al. 2019 do it for more data: solves by conjugate
// gradients with a pivoted-Cholesky preconditioner, log|C| and its derivatives from random probes.
#pragma once

#include <string>
#include <vector>

#include "vnngp/inference/parameters.hpp"
#include "vnngp/linalg/dense.hpp"
#include "vnngp/linalg/symmetric_panels.hpp"

namespace vnngp::rivals {

/// The log likelihood of the targets of a problem with one site per observation; adds derivatives in the hyperparameters to `gradient`
/// unless it is null. Throws NumericalError when C cannot be factored at any tolerable jitter.
double exact_log_likelihood(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& hyper,
                            inference::ElboGradient* gradient = nullptr);

struct IterativeOptions {
    Index preconditioner_rank = 100;
    double tolerance = 1e-2;        ///< relative residual of each linear system
    int iterations = 200;           ///< of conjugate gradients, at most
    int least_iterations = 0;       ///< a linear system is done no earlier
    std::size_t cache_bytes = 0;    ///< C is kept in memory when it is no larger, otherwise computed anew for every product
    bool single_precision = false;  ///< of C in memory: twice as fast, for tolerances that do not notice
};

/// C, for one likelihood after another: memory of that size is slow to come by.
struct IterativeMemory {
    linalg::Matrix kept;
    linalg::SymmetricPanels kept_single;
};

struct IterativeLikelihood {
    double value = 0.0;
    Vector weights;  ///< C^{-1} (y - mu)
    int linear_iterations = 0;
    double relative_residual = 0.0;  ///< the largest of all systems
};

/// The same, estimated. `probes`: standard normal numbers, (rank of the preconditioner + N) x number of probes: the same probes give the
/// same, smooth function of the hyperparameters.
IterativeLikelihood iterative_log_likelihood(const Context& context, const inference::Problem& problem,
                                             const inference::Hyperparameters& hyper, const linalg::Matrix& probes,
                                             const IterativeOptions& options, inference::ElboGradient* gradient = nullptr,
                                             IterativeMemory* memory = nullptr);

struct ExactOptions {
    bool learn_hyperparameters = true;
    bool learn_mean = true;
    bool published = false;  ///< Adam on softplus scales for `epochs` steps, instead of quasi-Newton steps until it settles
    int epochs = 300;
    double learning_rate = 0.01;
    std::size_t memory_bytes = 0;  ///< for C; beyond it likelihoods are estimated
};

struct ExactResult {
    inference::Hyperparameters hyper;
    double log_likelihood = 0.0;
    Vector weights;             ///< C^{-1} (y - mu)
    std::string solver;         ///< "cholesky" or "conjugate gradients"
    std::vector<double> trace;  ///< per observation
    std::int64_t linear_iterations = 0;
    bool converged = false;
    std::string stopped_because;
};

/// Hyperparameters that maximise the likelihood, from `start`. Larger data are begun with on subsamples.
ExactResult fit_exact(const Context& context, const inference::Problem& problem, const inference::Hyperparameters& start,
                      const ExactOptions& options);

/// Half of the memory of the machine.
std::size_t default_exact_memory();

}  // namespace vnngp::rivals
