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
    factor_ = {(1.0 + eliminated.array() * prior.variance.array()).inverse(),
               (prior.variance.array().inverse() + eliminated.array()).rsqrt()};
}

Vector PreconditionedPrecision::coordinates(const Vector& x) const { return prior_.multiply(context_, factor_, x); }

Vector PreconditionedPrecision::at(Vector y) const {
    prior_.solve(context_, factor_, y, y);
    return y;
}

Vector PreconditionedPrecision::right_side(Vector g) const {
    prior_.solve_transposed(context_, factor_, g);
    return g;
}

// With w = F^{-1} (I - B) x: R^{-T} [(I - B)'w + A' Lambda A x], the transposed solve taking -B'w along.
void PreconditionedPrecision::multiply(const Vector& y, Vector& image) {
    context_.check_stop();
    prior_.solve(context_, factor_, y, at_, &innovation_);
    if (data_.at_sites())
        parallel_chunks(context_, y.size(), kEntriesPerChunk, [&](const Chunk& chunk) {
            const auto part = [&chunk](auto& v) { return v.segment(chunk.begin, chunk.end - chunk.begin).array(); };
            part(image) = part(innovation_) + part(data_precision_) * part(at_);
        });
    else
        image = innovation_ + data_.multiply_transposed(context_, site_.cwiseProduct(data_.multiply(context_, at_)));
    prior_.solve_transposed(context_, factor_, image, &innovation_);
}

}  // namespace vnngp::inference
