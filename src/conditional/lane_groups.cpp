#include "conditional/lane_groups.hpp"

#include <algorithm>
#include <cmath>

#include "conditional/adjoint_lanes.hpp"

namespace vnngp::conditional {

using linalg::packed_row;

LaneGroups::LaneGroups(const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint)
    : covariance_(covariance), neighborhoods_(neighborhoods), with_adjoint_(with_adjoint) {}

void LaneGroups::compute(std::span<const std::span<const Index>> groups) {
    std::array<Index, kLanes> last_rows;
    members_.fill({});
    most_members_ = 0;
    for (std::size_t lane = 0; lane < groups.size(); ++lane) {
        members_[lane] = groups[lane];
        last_rows[lane] = groups[lane].back();
        most_members_ = std::max(most_members_, num_rows(static_cast<int>(lane)));
    }
    lanes_.gather(neighborhoods_, std::span(last_rows).first(groups.size()), true);
    places_.assign(static_cast<std::size_t>(most_members_) * kLanes, 0);
    for (int lane = 0; lane < count(); ++lane) {
        for (int member = 0; member + 1 < num_rows(lane); ++member)
            places_[member * kLanes + lane] = static_cast<int>(neighborhoods_.graph.row(id(lane, member)).size());
        places_[(num_rows(lane) - 1) * kLanes + lane] = lanes_.order;
    }
    diagonal_.fill(covariance_.relative_nugget());
    do factor();
    while (raise_failed_lanes());
    solve();
    unpack();
}

void LaneGroups::factor() {
    const int order = lanes_.order;
    matrix_.resize(packed_row(order + 1) * kLanes);
    inverse_diagonal_.resize(static_cast<std::size_t>(order) * kLanes);
    covariance_.kernel->correlations(covariance_.shape, lanes_.block, scratch_, with_adjoint_, matrix_.data());
    lanes_.complete(diagonal_, matrix_.data());
    double* last_row = matrix_.data() + packed_row(order) * kLanes;
    for (int lane = 0; lane < kLanes; ++lane)
        for (int p = lanes_.size[lane]; p < order; ++p) last_row[p * kLanes + lane] = 0.0;
    linalg::batch_cholesky(order, matrix_.data(), inverse_diagonal_.data(), pivot_.data());
    linalg::batch_forward_solve(order, matrix_.data(), inverse_diagonal_.data(), last_row);
    last_variance_ = diagonal_;
    for (double& variance : last_variance_) variance += 1.0;
    for (int p = 0; p < order; ++p)
        for (int lane = 0; lane < kLanes; ++lane) last_variance_[lane] -= last_row[p * kLanes + lane] * last_row[p * kLanes + lane];
}

// In exact arithmetic every pivot and every f is at least the nugget; one that falls to half of it has been lost to rounding.
bool LaneGroups::raise_failed_lanes() {
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
        double& nugget = diagonal_[lane];
        if (pivot_[lane] > 0.5 * nugget && last_variance_[lane] > 0.5 * nugget) continue;
        any = true;
        nugget = raised_nugget(nugget, covariance_.relative_nugget(), std::isnan(last_variance_[lane]), neighborhoods_, lanes_.ids[lane]);
    }
    return any;
}

void LaneGroups::solve() {
    solution_.assign(at(most_members_, 0), 0.0);
    for (int member = 0; member < most_members_; ++member)
        for (int lane = 0; lane < kLanes; ++lane) {
            const double* row = matrix_.data() + packed_row(place(lane, member)) * kLanes + lane;
            double* to = solution_.data() + at(member, 0) + lane;
            for (int p = 0; p < place(lane, member); ++p) to[p * kLanes] = row[p * kLanes];
        }
    linalg::batch_backward_solves(lanes_.order, matrix_.data(), inverse_diagonal_.data(), most_members_, num_places(), solution_.data());
}

void LaneGroups::unpack() {
    const std::size_t rows = static_cast<std::size_t>(most_members_) * kLanes, order = lanes_.order;
    variance_.resize(rows);
    weights_.resize(rows * order);
    if (with_adjoint_) {
        weight_adjoints_.assign(rows * order, 0.0);
        adjoints_.resize(rows);
    }
    for (int lane = 0; lane < count(); ++lane) {
        if (diagonal_[lane] > covariance_.relative_nugget()) jitter_.merge({num_rows(lane), diagonal_[lane]});
        for (int member = 0; member < num_rows(lane); ++member) {
            const std::size_t row = static_cast<std::size_t>(member) * kLanes + lane;
            const int own = place(lane, member), size = num_neighbors(lane, member);
            const auto square = [](double root) { return root * root; };
            variance_[row] = own == lanes_.order ? last_variance_[lane] : square(matrix_[(packed_row(own) + own) * kLanes + lane]);
            for (int p = 0; p < size; ++p) weights_[row * order + p] = solution_[at(member, p) + lane];
            if (with_adjoint_) adjoints_[row] = {std::span(weight_adjoints_).subspan(row * order, size), 0.0};
        }
    }
}

Row LaneGroups::row(int lane, int member, std::int64_t position) const {
    const std::size_t row = static_cast<std::size_t>(member) * kLanes + lane;
    return {id(lane, member), position, neighborhoods_.graph.row(id(lane, member)),
            std::span(weights_).subspan(row * lanes_.order, num_neighbors(lane, member)), covariance_.outputscale * variance_[row]};
}

void LaneGroups::pack_adjoints() {
    adjoint_solution_.assign(at(most_members_, 0), 0.0);
    for (int lane = 0; lane < count(); ++lane)
        for (int member = 0; member < num_rows(lane); ++member)
            for (int p = 0; p < num_neighbors(lane, member); ++p)
                adjoint_solution_[at(member, p) + lane] = adjoint(lane, member).weights[p];
}

void LaneGroups::clear_from_places(linalg::LaneBuffer& vectors) const {
    for (int member = 0; member < most_members_; ++member)
        for (int lane = 0; lane < kLanes; ++lane)
            for (int p = place(lane, member); p < num_places(); ++p) vectors[at(member, p) + lane] = 0.0;
}

// Eq. G6.
void LaneGroups::pull_back(std::span<double> gradient) {
    const double scale = covariance_.outputscale, nugget = covariance_.nugget / scale;
    const int shape_size = static_cast<int>(gradient.size()) - 2;
    pack_adjoints();
    linalg::batch_forward_solves(lanes_.order, matrix_.data(), inverse_diagonal_.data(), most_members_, num_places(),
                                 adjoint_solution_.data());
    clear_from_places(adjoint_solution_);
    linalg::batch_backward_solves(lanes_.order, matrix_.data(), inverse_diagonal_.data(), most_members_, num_places(),
                                  adjoint_solution_.data());

    for (int member = 0; member < most_members_; ++member)
        for (int lane = 0; lane < count(); ++lane) {
            if (member >= num_rows(lane)) continue;
            // In units of the output scale: b is what it is, f carries one factor of it.
            const double g_f = scale * adjoint(lane, member).variance;
            const int own = place(lane, member);
            double on_diagonal = 0.0;
            for (int p = 0; p <= own; ++p) {
                double &beta = solution_[at(member, p) + lane], &a = adjoint_solution_[at(member, p) + lane];
                beta = p == own ? 1.0 : -beta;
                a += g_f * beta;
                on_diagonal += a * beta;
            }
            gradient[shape_size] += g_f * variance_[static_cast<std::size_t>(member) * kLanes + lane] - nugget * on_diagonal;
            gradient[shape_size + 1] += nugget * on_diagonal;
        }
    weight_.resize(packed_row(num_places()) * kLanes);
    symmetric_pair_weights(num_places(), most_members_, adjoint_solution_.data(), solution_.data(), weight_.data());
    shape_gradient_.assign(static_cast<std::size_t>(shape_size) * kLanes, 0.0);
    covariance_.kernel->contract(covariance_.shape, lanes_.block, scratch_, weight_.data(), shape_gradient_.data(), nullptr);
    for (int parameter = 0; parameter < shape_size; ++parameter)
        for (int lane = 0; lane < count(); ++lane) gradient[parameter] += shape_gradient_[parameter * kLanes + lane];
}

}  // namespace vnngp::conditional
