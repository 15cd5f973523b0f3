#include "conditional/lane_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace vnngp::conditional {

using linalg::kLanes;
using linalg::packed_row;

namespace {

/// A pivot of a correlation matrix below this is nothing but rounding. The rows' weights do not mind, an inverse does.
constexpr double kLostPivot = 1e-13;
constexpr int kFactorsPerLogarithm = 16;  ///< their product neither overflows nor underflows

double sum_of_logarithms(const double* values, int count, int lane) {
    double sum = 0.0, product = 1.0;
    for (int p = 0; p < count; ++p) {
        product *= values[p * kLanes + lane];
        if (p % kFactorsPerLogarithm == kFactorsPerLogarithm - 1 || p == count - 1) {
            sum += std::log(product);
            product = 1.0;
        }
    }
    return sum;
}

}  // namespace

// In units of the output scale throughout: C = outputscale R, R the correlations with the relative nugget on their diagonal.

LaneBlocks::LaneBlocks(const Covariance& covariance, const Neighborhoods& neighborhoods, const BlockForm& form, bool with_adjoint)
    : covariance_(covariance), neighborhoods_(neighborhoods), form_(form), with_adjoint_(with_adjoint) {
    for (int lane = 0; lane < kLanes; ++lane)
        for (auto* values : {&deviations_[lane], &spreads_[lane], &on_deviation_[lane], &on_spread_[lane]})
            values->resize(neighborhoods.graph.stride());
}

void LaneBlocks::factor(std::span<const Index> rows) {
    diagonal_.fill(covariance_.relative_nugget());
    lanes_.gather(neighborhoods_, rows, false);
    matrix_.resize(packed_row(lanes_.order) * kLanes);
    inverse_diagonal_.resize(static_cast<std::size_t>(lanes_.order) * kLanes);
    do {
        covariance_.kernel->correlations(covariance_.shape, lanes_.block, scratch_, with_adjoint_, matrix_.data());
        lanes_.complete(diagonal_, matrix_.data());
        linalg::batch_cholesky(lanes_.order, matrix_.data(), inverse_diagonal_.data(), pivot_.data());
    } while (raise_failed_lanes());
    for (int lane = 0; lane < lanes_.count; ++lane) {
        if (diagonal_[lane] > covariance_.relative_nugget()) jitter_.merge({1, diagonal_[lane]});
        std::fill(deviations_[lane].begin(), deviations_[lane].end(), 0.0);
        std::fill(spreads_[lane].begin(), spreads_[lane].end(), 0.0);
    }
}

// In exact arithmetic every pivot is at least the nugget; one that falls to half of it has been lost to rounding.
bool LaneBlocks::raise_failed_lanes() {
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (pivot_[lane] > std::max(0.5 * diagonal_[lane], kLostPivot)) continue;
        any = true;
        diagonal_[lane] = raised_nugget(diagonal_[lane], covariance_.relative_nugget(), false, neighborhoods_, lanes_.ids[lane]);
    }
    return any;
}

BlockData LaneBlocks::data(int lane, std::int64_t position) {
    const auto size = static_cast<std::size_t>(lanes_.size[lane]);
    return {lanes_.ids[lane], position, neighborhoods_.graph.row(lanes_.ids[lane]), std::span(deviations_[lane]).first(size),
            std::span(spreads_[lane]).first(size)};
}

Block LaneBlocks::block(int lane, std::int64_t position) const {
    const auto size = static_cast<std::size_t>(lanes_.size[lane]);
    const double log_determinant = log_determinant_[lane] + static_cast<double>(size) * std::log(covariance_.outputscale);
    const double value = 0.5 * (form_.log_determinant * log_determinant + form_.quadratic * quadratic_[lane] + form_.trace * trace_[lane]);
    return {lanes_.ids[lane],
            position,
            neighborhoods_.graph.row(lanes_.ids[lane]),
            value,
            std::span(on_deviation_[lane]).first(size),
            std::span(on_spread_[lane]).first(size)};
}

void LaneBlocks::evaluate() {
    pack_data();
    solve();
    if (form_.trace != 0.0 || with_adjoint_) linalg::batch_invert_factor(lanes_.order, matrix_.data(), inverse_diagonal_.data());
    diagonal_of_inverse();

    const double scale = covariance_.outputscale;
    for (int lane = 0; lane < lanes_.count; ++lane) {
        log_determinant_[lane] = -2.0 * sum_of_logarithms(inverse_diagonal_.data(), lanes_.size[lane], lane);
        quadratic_[lane] = trace_[lane] = 0.0;
        for (int p = 0; p < lanes_.size[lane]; ++p) {
            const std::size_t at = static_cast<std::size_t>(p) * kLanes + lane;
            quadratic_[lane] += deviation_[at] * solution_[at] / scale;
            trace_[lane] += spread_[at] * diagonal_of_inverse_[at] / scale;
            on_deviation_[lane][p] = form_.quadratic * solution_[at] / scale;
            on_spread_[lane][p] = 0.5 * form_.trace * diagonal_of_inverse_[at] / scale;
        }
    }
}

void LaneBlocks::pack_data() {
    for (auto* values : {&deviation_, &spread_}) values->assign(static_cast<std::size_t>(lanes_.order) * kLanes, 0.0);
    for (int lane = 0; lane < lanes_.count; ++lane)
        for (int p = 0; p < lanes_.size[lane]; ++p) {
            deviation_[p * kLanes + lane] = deviations_[lane][p];
            spread_[p * kLanes + lane] = spreads_[lane][p];
        }
}

void LaneBlocks::solve() {
    solution_ = deviation_;
    linalg::batch_forward_solve(lanes_.order, matrix_.data(), inverse_diagonal_.data(), solution_.data());
    linalg::batch_backward_solve(lanes_.order, matrix_.data(), inverse_diagonal_.data(), solution_.data());
}

// With R = L L': (R^{-1})_qq = sum_p (L^{-1})_pq^2.
void LaneBlocks::diagonal_of_inverse() {
    diagonal_of_inverse_.assign(static_cast<std::size_t>(lanes_.order) * kLanes, 0.0);
    if (form_.trace == 0.0) return;
    const double* x = matrix_.data();
    for (int p = 0; p < lanes_.order; ++p)
        for (int at = 0; at < (p + 1) * kLanes; ++at, ++x) diagonal_of_inverse_[at] += *x * *x;
}

// With alpha = R^{-1} d and v = outputscale: dvalue/dR = a/2 R^{-1} - b/(2v) alpha alpha' - c/(2v) R^{-1} diag(s) R^{-1}            (B2)
void LaneBlocks::pair_weights() {
    const int n = lanes_.order;
    const std::size_t stride = static_cast<std::size_t>(linalg::full_stride(n)) * kLanes;
    inverse_.resize(static_cast<std::size_t>(n) * stride);
    weight_.resize(packed_row(n) * kLanes);
    linalg::batch_gram(n, matrix_.data(), inverse_.data());
    if (form_.trace != 0.0)
        linalg::batch_sandwich(n, inverse_.data(), spread_.data(), weight_.data());
    else
        std::fill(weight_.begin(), weight_.end(), 0.0);

    const double on_inverse = form_.log_determinant, on_square = form_.quadratic / covariance_.outputscale,
                 on_sandwich = form_.trace / covariance_.outputscale;
    for (int p = 0; p < n; ++p) {
        double* weight = weight_.data() + packed_row(p) * kLanes;
        const double *row = inverse_.data() + p * stride, *alpha_q = solution_.data(), *alpha_p = alpha_q + p * kLanes;
        for (int q = 0; q <= p; ++q, weight += kLanes, row += kLanes, alpha_q += kLanes)
            for (int lane = 0; lane < kLanes; ++lane)
                weight[lane] = on_inverse * row[lane] - on_square * alpha_p[lane] * alpha_q[lane] - on_sandwich * weight[lane];
    }
}

void LaneBlocks::pull_back(std::span<double> gradient, const std::array<std::span<double>, kLanes>& location_gradient) {
    const int shape_size = static_cast<int>(gradient.size()) - 2;
    pair_weights();

    const bool with_locations = !location_gradient[0].empty();
    if (with_locations) location_.assign(lanes_.block.coordinates.size(), 0.0);
    shape_gradient_.assign(static_cast<std::size_t>(shape_size) * kLanes, 0.0);
    covariance_.kernel->contract(covariance_.shape, lanes_.block, scratch_, weight_.data(), shape_gradient_.data(),
                                 with_locations ? location_.data() : nullptr);
    for (int parameter = 0; parameter < shape_size; ++parameter)
        for (int lane = 0; lane < lanes_.count; ++lane) gradient[parameter] += shape_gradient_[parameter * kLanes + lane];

    const double nugget = covariance_.nugget / covariance_.outputscale;
    for (int lane = 0; lane < lanes_.count; ++lane) {
        double on_diagonal = 0.0;
        for (int p = 0; p < lanes_.size[lane]; ++p) on_diagonal += 0.5 * weight_[(packed_row(p) + p) * kLanes + lane];
        // dC/dlog outputscale = C - nugget I, and sum_pq (dvalue/dC)_pq C_pq is known.
        const double along_c =
            0.5 * (form_.log_determinant * lanes_.size[lane] - form_.quadratic * quadratic_[lane] - form_.trace * trace_[lane]);
        gradient[shape_size] += along_c - nugget * on_diagonal;
        gradient[shape_size + 1] += nugget * on_diagonal;
    }

    if (!with_locations) return;
    const int dims = lanes_.block.num_dims;
    for (int lane = 0; lane < lanes_.count; ++lane)
        for (int at = 0; at < lanes_.size[lane] * dims; ++at)
            location_gradient[lane][at] = location_[static_cast<std::size_t>(at) * kLanes + lane];
}

}  // namespace vnngp::conditional
