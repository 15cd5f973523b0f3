#include "conditional/lane_rows.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "conditional/adjoint_lanes.hpp"

namespace vnngp::conditional {

using linalg::packed_row;

namespace {
// Nothing but the jitter keeps smooth values at near-coincident points apart: without one there is still a little.
double smallest_smooth_diagonal(const Covariance& covariance) { return std::max(covariance.jitter, kSmallestRaisedNugget); }
}  // namespace

template <class T>
LaneRowsOf<T>::LaneRowsOf(const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint)
    : covariance_(covariance), neighborhoods_(neighborhoods), with_adjoint_(with_adjoint) {
    for (int lane = 0; lane < kLanes; ++lane) {
        weights_[lane].resize(neighborhoods.graph.stride());
        if (with_adjoint) weight_adjoints_[lane].resize(neighborhoods.graph.stride());
    }
}

template <class T>
void LaneRowsOf<T>::compute(std::span<const Index> rows) {
    diagonal_.fill(covariance_.relative_nugget());
    smooth_diagonal_.fill(smallest_smooth_diagonal(covariance_));
    gather(rows);
    do {
        assemble();
        factor_and_solve();
        find_trusted_lanes();
    } while (raise_failed_lanes());
    unpack();
}

template <class T>
double LaneRowsOf<T>::least_diagonal_asked_for(int lane) const {
    return has_smooth_[lane] ? smallest_smooth_diagonal(covariance_) : covariance_.relative_nugget();
}

template <class T>
void LaneRowsOf<T>::gather(std::span<const Index> rows) {
    lanes_.gather(neighborhoods_, rows, true);
    for (int lane = 0; lane < kLanes; ++lane) {
        const auto neighbors = neighborhoods_.graph.row(lanes_.ids[lane]);
        has_smooth_[lane] = std::any_of(neighbors.begin(), neighbors.end(), [&](Index j) { return j >= neighborhoods_.num_with_nugget; });
    }
}

// The correlation matrix with the nugget on its diagonal; the places beyond a lane's last neighbour are independent of everything.
template <class T>
void LaneRowsOf<T>::assemble() {
    matrix_.resize(packed_row(lanes_.order + 1) * kLanes);
    covariance_.kernel->correlations(covariance_.shape, lanes_.block, scratch_, with_adjoint_, matrix_.data());
    lanes_.complete(diagonal_, matrix_.data());
    T* target_row = matrix_.data() + packed_row(lanes_.order) * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
        for (int p = lanes_.size[lane]; p < lanes_.order; ++p) target_row[p * kLanes + lane] = T(0);
        if (!has_smooth_[lane]) continue;
        const auto neighbors = neighborhoods_.graph.row(lanes_.ids[lane]);
        for (int p = 0; p < lanes_.size[lane]; ++p)
            if (neighbors[p] >= neighborhoods_.num_with_nugget)
                matrix_[(packed_row(p) + p) * kLanes + lane] = static_cast<T>(1.0 + smooth_diagonal_[lane]);
    }
}

// With C = L L' and t = L^{-1} c: b = L^{-T} t and f = k_jj - t't, in units of the output scale.
template <class T>
void LaneRowsOf<T>::factor_and_solve() {
    inverse_diagonal_.resize(static_cast<std::size_t>(lanes_.order) * kLanes);
    linalg::batch_cholesky(lanes_.order, matrix_.data(), inverse_diagonal_.data(), pivot_.data());
    const T* target_row = matrix_.data() + packed_row(lanes_.order) * kLanes;
    solution_.assign(target_row, target_row + static_cast<std::size_t>(lanes_.order) * kLanes);
    linalg::batch_forward_solve(lanes_.order, matrix_.data(), inverse_diagonal_.data(), solution_.data());
    variance_.fill(1.0);
    for (int p = 0; p < lanes_.order; ++p)
        for (int lane = 0; lane < kLanes; ++lane) {
            const double t = solution_[p * kLanes + lane];
            variance_[lane] -= t * t;
        }
    linalg::batch_backward_solve(lanes_.order, matrix_.data(), inverse_diagonal_.data(), solution_.data());
}

template <class T>
void LaneRowsOf<T>::find_trusted_lanes() {
    for (int lane = 0; lane < kLanes; ++lane)
        trusted_[lane] = std::is_same_v<T, double> || (pivot_[lane] > kTrustedPivot && variance_[lane] + diagonal_[lane] > kTrustedPivot);
}

// In exact arithmetic every pivot and every f is at least the nugget; one that falls to half of it has been lost to rounding.
template <class T>
bool LaneRowsOf<T>::raise_failed_lanes() {
    if constexpr (std::is_same_v<T, float>) return false;
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
        double& nugget = least_diagonal(lane);
        const double variance = variance_[lane] + nugget;
        if (pivot_[lane] > 0.5 * nugget && variance > 0.5 * nugget) continue;
        any = true;
        nugget = raised_nugget(nugget, least_diagonal_asked_for(lane), std::isnan(variance), neighborhoods_, lanes_.ids[lane]);
        diagonal_[lane] = std::max(diagonal_[lane], nugget);
    }
    return any;
}

template <class T>
void LaneRowsOf<T>::unpack() {
    for (int lane = 0; lane < lanes_.count; ++lane) {
        if (least_diagonal(lane) > least_diagonal_asked_for(lane)) jitter_.merge({1, least_diagonal(lane)});
        if (neighborhoods_.nugget_on_target) variance_[lane] += diagonal_[lane];
        variance_[lane] = std::max(variance_[lane], 0.0);
        for (int p = 0; p < lanes_.size[lane]; ++p) weights_[lane][p] = solution_[p * kLanes + lane];
        if (!with_adjoint_) continue;
        std::fill(weight_adjoints_[lane].begin(), weight_adjoints_[lane].end(), 0.0);
        adjoints_[lane] = {std::span(weight_adjoints_[lane]).first(lanes_.size[lane]), 0.0};
    }
}

template <class T>
Row LaneRowsOf<T>::row(int lane, std::int64_t position) const {
    return {lanes_.ids[lane], position, neighborhoods_.graph.row(lanes_.ids[lane]), std::span(weights_[lane]).first(lanes_.size[lane]),
            covariance_.outputscale * variance_[lane]};
}

template <class T>
void LaneRowsOf<T>::pull_back(std::span<double> gradient, const std::array<std::span<double>, kLanes>& location_gradient) {
    const double scale = covariance_.outputscale;
    const int shape_size = static_cast<int>(gradient.size()) - 2;

    // In units of the output scale: b is what it is, f carries one factor of it.
    adjoint_solution_.assign(static_cast<std::size_t>(lanes_.order) * kLanes, T(0));
    variance_adjoint_.fill(T(0));
    for (int lane = 0; lane < lanes_.count; ++lane) {
        if (!trusted_[lane]) continue;
        variance_adjoint_[lane] = static_cast<T>(scale * adjoints_[lane].variance);
        for (int p = 0; p < lanes_.size[lane]; ++p) adjoint_solution_[p * kLanes + lane] = static_cast<T>(adjoints_[lane].weights[p]);
    }
    linalg::batch_forward_solve(lanes_.order, matrix_.data(), inverse_diagonal_.data(), adjoint_solution_.data());
    linalg::batch_backward_solve(lanes_.order, matrix_.data(), inverse_diagonal_.data(), adjoint_solution_.data());
    weight_.resize(packed_row(lanes_.order + 1) * kLanes);
    pair_weights(lanes_.order, solution_.data(), adjoint_solution_.data(), variance_adjoint_.data(), weight_.data());

    // Kernel parameters, one sum per lane; lanes not in use have zero weights.
    shape_gradient_.assign(static_cast<std::size_t>(shape_size) * kLanes, T(0));
    contract(!location_gradient[0].empty());
    for (int parameter = 0; parameter < shape_size; ++parameter)
        for (int lane = 0; lane < lanes_.count; ++lane)
            if (trusted_[lane]) gradient[parameter] += shape_gradient_[parameter * kLanes + lane];

    const double nugget = covariance_.nugget / scale;
    for (int lane = 0; lane < lanes_.count; ++lane) {
        if (!trusted_[lane]) continue;
        const double g_f = variance_adjoint_[lane];
        double on_diagonal = neighborhoods_.nugget_on_target ? g_f : 0.0;
        for (int p = 0; p < lanes_.size[lane]; ++p) {
            const double b = solution_[p * kLanes + lane];
            on_diagonal += b * (g_f * b - adjoint_solution_[p * kLanes + lane]);
        }
        gradient[shape_size] += g_f * variance_[lane] - nugget * on_diagonal;
        gradient[shape_size + 1] += nugget * on_diagonal;
    }

    if (location_gradient[0].empty()) return;
    const int dims = lanes_.block.num_dims;
    for (int lane = 0; lane < lanes_.count; ++lane) {
        const auto store = [&](int place, int p) {
            for (int dim = 0; dim < dims; ++dim)
                location_gradient[lane][static_cast<std::size_t>(place) * dims + dim] =
                    location_[(static_cast<std::size_t>(p) * dims + dim) * kLanes + lane];
        };
        for (int p = 0; p < lanes_.size[lane]; ++p) store(p, p);
        store(static_cast<int>(neighborhoods_.graph.stride()), lanes_.order);
    }
}

template <class T>
void LaneRowsOf<T>::contract(bool with_locations) {
    if constexpr (std::is_same_v<T, float>) {
        covariance_.kernel->contract(lanes_.block, scratch_, weight_.data(), shape_gradient_.data());
    } else {
        if (with_locations) location_.assign(lanes_.block.coordinates.size(), 0.0);
        covariance_.kernel->contract(covariance_.shape, lanes_.block, scratch_, weight_.data(), shape_gradient_.data(),
                                     with_locations ? location_.data() : nullptr);
    }
}

template class LaneRowsOf<double>;
template class LaneRowsOf<float>;

}  // namespace vnngp::conditional
