// The rows a_i of the observations (Eq. K3) as a matrix A. Where an observation sits at an inducing point its row is a unit vector, and
// nothing is stored.
#pragma once

#include "inference/stored_rows.hpp"
#include "vnngp/inference/problem.hpp"

namespace vnngp::inference {

class DataRows {
public:
    DataRows(const Context& context, const conditional::Covariance& covariance, const Problem& problem) : problem_(problem) {
        if (!at_sites()) rows_ = StoredRows(context, covariance, {problem.inducing, problem.inputs, problem.data_graph});
    }
    bool at_sites() const { return problem_.at_sites(); }
    /// A x
    Vector multiply(const Context& context, const Vector& x) const {
        return at_sites() ? Vector(x(problem_.sites)) : rows_.multiply(context, x);
    }
    /// A' u
    Vector multiply_transposed(const Context& context, const Vector& u) const {
        Vector y = Vector::Zero(problem_.num_inducing());
        if (at_sites())
            for (std::size_t i = 0; i < problem_.sites.size(); ++i) y[problem_.sites[i]] += u[i];
        else
            rows_.add_transposed(context, u, y);
        return y;
    }
    /// diag(A' diag(u) A)
    Vector diagonal(const Context& context, const Vector& u) const {
        if (at_sites()) return multiply_transposed(context, u);
        Vector y = Vector::Zero(problem_.num_inducing());
        rows_.add_transposed_squares(context, u, y);
        return y;
    }
    /// Variances of q(f_i), Eq. K3.
    Vector variances(const Context& context, const Vector& s) const {
        return at_sites() ? Vector(s(problem_.sites)) : Vector(rows_.variance + rows_.multiply_squares(context, s));
    }
    const conditional::JitterReport& jitter() const { return rows_.jitter; }

private:
    const Problem& problem_;
    StoredRows rows_;
};

}  // namespace vnngp::inference
