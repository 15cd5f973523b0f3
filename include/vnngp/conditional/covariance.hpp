// The covariance of the latent process: an output scale times a correlation, plus a nugget (Eq. K1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vnngp/kernel/kernel.hpp"

namespace vnngp::conditional {

struct Covariance {
    const kernel::Kernel* kernel = nullptr;  ///< not owned
    std::vector<double> shape;               ///< the kernel's parameters
    double outputscale = 1.0;                ///< variance of the smooth part
    double nugget = 0.0;                     ///< tau: variance of white noise in the latent process
    double jitter = 1e-8;                    ///< added to the nugget, relative to outputscale; raised for a neighbourhood that needs it

    /// Rows may be computed in single precision where that is accurate enough.
    bool single_precision = false;

    /// The nugget and jitter in units of the output scale: what is added to the diagonal of a correlation matrix.
    double relative_nugget() const { return nugget / outputscale + jitter; }
};

/// Derivatives of some objective in the logarithms of the covariance's parameters.
struct CovarianceGradient {
    std::vector<double> log_shape;
    double log_outputscale = 0.0;
    double log_nugget = 0.0;

    CovarianceGradient& operator+=(const CovarianceGradient& part) {
        for (std::size_t p = 0; p < part.log_shape.size(); ++p) log_shape[p] += part.log_shape[p];
        log_outputscale += part.log_outputscale;
        log_nugget += part.log_nugget;
        return *this;
    }
};

/// How often the jitter had to be raised, and how far.
struct JitterReport {
    std::int64_t raised = 0;  ///< neighbourhoods
    double largest = 0.0;     ///< relative to the output scale; 0 when none was raised

    void merge(const JitterReport& other) {
        raised += other.raised;
        largest = std::max(largest, other.largest);
    }
};

}  // namespace vnngp::conditional
