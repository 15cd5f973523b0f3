#include "inference/preconditioned_precision.hpp"

#include "vnngp/base/parallel.hpp"

namespace vnngp::inference {
namespace {

constexpr std::int64_t kEntriesPerChunk = 8192;

}  // namespace

PreconditionedPrecision::PreconditionedPrecision(const Context& context, const StoredRows& prior, const DataRows& data, const Vector& site)
    : context_(context),
      prior_(prior),
      data_(data),
      site_(site),
      data_precision_(data.diagonal(context, site)),
      at_(prior.num_rows()),
      innovation_(prior.num_rows()) {
    const Vector eliminated = prior.eliminated(context, data_precision_);
    shrinkage_ = (1.0 + eliminated.array() * prior.variance.array()).inverse();
    deviation_ = (prior.variance.array().inverse() + eliminated.array()).rsqrt();
}

Vector PreconditionedPrecision::coordinates(const Vector& x) const {
    return (x - shrinkage_.cwiseProduct(prior_.multiply(context_, x))).cwiseQuotient(deviation_);
}

Vector PreconditionedPrecision::at(Vector y) const {
    y.array() *= deviation_.array();
    prior_.solve_unit_lower(context_, shrinkage_, y);
    return y;
}

Vector PreconditionedPrecision::right_side(Vector g) const {
    prior_.solve_unit_lower_transposed(context_, shrinkage_, g);
    return g.cwiseProduct(deviation_);
}

// With w = F^{-1} (I - B) x: (I - S B)^{-T} [(I - B)'w + A' Lambda A x], the transposed solve taking -B'w along.
void PreconditionedPrecision::multiply(const Vector& y, Vector& image) {
    context_.check_stop();
    const auto by_pieces = [&](const auto& body) {
        parallel_chunks(context_, y.size(), kEntriesPerChunk, [&](const Chunk& chunk) {
            body([&chunk](auto& v) { return v.segment(chunk.begin, chunk.end - chunk.begin).array(); });
        });
    };
    by_pieces([&](const auto& part) { part(at_) = part(y) * part(deviation_); });
    prior_.solve_unit_lower(context_, shrinkage_, at_, &innovation_);
    if (data_.at_sites())
        by_pieces([&](const auto& part) { part(image) = part(innovation_) + part(data_precision_) * part(at_); });
    else
        image = innovation_ + data_.multiply_transposed(context_, site_.cwiseProduct(data_.multiply(context_, at_)));
    prior_.solve_unit_lower_transposed(context_, shrinkage_, image, &innovation_);
    by_pieces([&](const auto& part) { part(image) *= part(deviation_); });
}

}  // namespace vnngp::inference
