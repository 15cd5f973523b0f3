// The posterior precision P = (I - B)' F^{-1} (I - B) + A' Lambda A in coordinates in which its preconditioner (Eq. C5) is the identity.
#pragma once

#include "inference/data_rows.hpp"

namespace vnngp::inference {

/// A point without children and with data precision d leaves (1/f + d) (u - b'u[n] / (1 + d f))^2 and a term in its neighbours alone,
/// d / (1 + d f) (b'u[n])^2. Eliminating every point like that, and keeping of that term its diagonal, leads to
///     R'R,   R = (F^{-1} + D)^{1/2} (I - S B),   S = (I + D F)^{-1},   D = diag(A' Lambda A) and what was left by the points before,
/// which is P itself where the data say nothing (D = 0). Weights with |b| > 1 extrapolate, as in smooth fields without nugget: their terms
/// are nearly singular, the diagonal says too much of them, and they are forgotten.
///
/// With y = R x the system P x = g becomes R^{-T} P R^{-1} y = R^{-T} g. I - S B differs from I - B by the scale of the rows alone, so the
/// solves with R and R' have the products with I - B at hand (Eisenstat 1981): a product costs one walk up and one walk down the rows,
/// not four.
class PreconditionedPrecision {
public:
    /// prior, data: kept by reference. site: lambda.
    PreconditionedPrecision(const Context& context, const StoredRows& prior, const DataRows& data, const Vector& site);

    /// R x
    Vector coordinates(const Vector& x) const;
    /// R^{-1} y
    Vector at(Vector y) const;
    /// R^{-T} g
    Vector right_side(Vector g) const;
    /// image <- R^{-T} P R^{-1} y
    void multiply(const Vector& y, Vector& image);

private:
    const Context& context_;
    const StoredRows& prior_;
    const DataRows& data_;
    const Vector& site_;
    Vector data_precision_;   ///< diag(A' Lambda A)
    Factor factor_;           ///< R
    Vector at_, innovation_;  ///< of a product
};

}  // namespace vnngp::inference
