#include "vnngp/rivals/swsgp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vnngp/conditional/blocks.hpp"

namespace vnngp::rivals {
namespace {

using conditional::Block;
using conditional::BlockData;
using inference::ElboGradient;
using inference::Hyperparameters;
using inference::MeanField;
using inference::Problem;

// Blocks are visited in slabs: each leaves its contributions in its own place, and one loop in their order adds them up.
constexpr std::size_t kSlab = 1024;

std::vector<Index> all_observations(const Problem& problem) {
    std::vector<Index> all(problem.num_observations());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

Index neighborhood(const Problem& problem, Index observation) { return problem.at_sites() ? problem.sites[observation] : observation; }

std::vector<Index> neighborhoods(const Problem& problem, std::span<const Index> observations) {
    std::vector<Index> rows(observations.begin(), observations.end());
    for (Index& row : rows) row = neighborhood(problem, row);
    return rows;
}

// weight times the sum over the rows of KL = 1/2 [log|C| + d'C^{-1}d + sum_k s_k (C^{-1})_kk - sum_k log s_k - K], d = m - mu (Eq. B1).
class Divergence {
public:
    Divergence(const Problem& problem, const Hyperparameters& hyper, const MeanField& q, double weight, ElboGradient* gradient)
        : problem_(problem),
          hyper_(hyper),
          q_(q),
          weight_(weight),
          gradient_(gradient),
          covariance_(inference::covariance(problem, hyper)),
          blocks_{problem.inducing, problem.at_sites() ? problem.inducing : problem.inputs, problem.data_graph},
          stride_(static_cast<std::size_t>(problem.data_graph.stride())) {}

    double sum(const Context& context, std::span<const Index> rows, conditional::JitterReport* jitter) {
        double total = 0.0;
        value_.resize(std::min(kSlab, rows.size()));
        const std::size_t size = value_.size() * stride_;
        if (gradient_ != nullptr) {
            on_mean_.resize(size);
            on_variance_.resize(size);
            if (gradient_->with_locations()) on_location_.resize(size * problem_.inducing.cols());
        }
        for (std::size_t begin = 0; begin < rows.size(); begin += kSlab) {
            const auto part = rows.subspan(begin, std::min(kSlab, rows.size() - begin));
            const auto raised = visit(context, part);
            if (jitter != nullptr) jitter->merge(raised);
            total += std::accumulate(value_.begin(), value_.begin() + static_cast<std::ptrdiff_t>(part.size()), 0.0);
        }
        return total;
    }

private:
    conditional::JitterReport visit(const Context& context, std::span<const Index> rows) {
        const conditional::BlockForm form{weight_, weight_, weight_};
        const auto fill = [this](const BlockData& block) { fill_in(block); };
        const auto visitor = [this](const Block& block) { leave(block); };
        if (gradient_ == nullptr) return conditional::visit_blocks(context, covariance_, blocks_, rows, form, fill, visitor);
        const auto on_location =
            std::span(on_location_).first(gradient_->with_locations() ? rows.size() * stride_ * problem_.inducing.cols() : 0);
        const auto result = conditional::visit_blocks_with_adjoint(context, covariance_, blocks_, rows, form, fill, visitor, on_location);
        gradient_->covariance += result.gradient;
        scatter(rows);
        return result.jitter;
    }

    void fill_in(const BlockData& block) const {
        for (std::size_t k = 0; k < block.points.size(); ++k) {
            const Index j = block.points[k];
            block.deviation[k] = q_.mean[j] - inference::prior_mean(hyper_, problem_.mean_columns, problem_.inducing.row(j).data());
            block.spread[k] = q_.variance[j];
        }
    }

    void leave(const Block& block) {
        double value = block.value - 0.5 * weight_ * static_cast<double>(block.points.size());
        for (const Index j : block.points) value -= 0.5 * weight_ * std::log(q_.variance[j]);
        value_[block.position] = value;
        if (gradient_ == nullptr) return;
        const std::size_t at = static_cast<std::size_t>(block.position) * stride_;
        for (std::size_t k = 0; k < block.points.size(); ++k) {
            on_mean_[at + k] = block.on_deviation[k];
            on_variance_[at + k] = block.on_spread[k] - 0.5 * weight_ / q_.variance[block.points[k]];
        }
    }

    // mu enters every block as m - mu.
    void scatter(std::span<const Index> rows) {
        const std::size_t dims = problem_.inducing.cols();
        const auto& columns = problem_.mean_columns;
        for (std::size_t place = 0; place < rows.size(); ++place) {
            const auto points = problem_.data_graph.row(rows[place]);
            for (std::size_t k = 0; k < points.size(); ++k) {
                const Index j = points[k];
                const std::size_t at = place * stride_ + k;
                gradient_->prior_mean -= on_mean_[at];
                for (std::size_t c = 0; c < columns.size(); ++c)
                    gradient_->prior_slopes[c] -= on_mean_[at] * problem_.inducing(j, columns[c]);
                if (!gradient_->with_posterior()) continue;
                gradient_->mean[j] += on_mean_[at];
                gradient_->variance[j] += on_variance_[at];
                if (!gradient_->with_locations()) continue;
                for (std::size_t d = 0; d < dims; ++d) gradient_->locations(j, d) += on_location_[at * dims + d];
                for (std::size_t c = 0; c < columns.size(); ++c) gradient_->locations(j, columns[c]) -= on_mean_[at] * hyper_.slopes[c];
            }
        }
    }

    const Problem& problem_;
    const Hyperparameters& hyper_;
    const MeanField& q_;
    const double weight_;
    ElboGradient* gradient_;
    const conditional::Covariance covariance_;
    const conditional::Neighborhoods blocks_;
    const std::size_t stride_;
    std::vector<double> value_, on_mean_, on_variance_, on_location_;
};

}  // namespace

double local_elbo(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior,
                  const inference::Minibatch& batch, ElboGradient* gradient, conditional::JitterReport* jitter) {
    const inference::Minibatch data_terms{batch.observations, {}, batch.observation_weight, 0.0};
    const double expected = inference::elbo(context, problem, hyper, posterior, data_terms, gradient, jitter);
    const double weight = -batch.observation_weight / static_cast<double>(problem.num_observations());
    return expected +
           Divergence(problem, hyper, posterior, weight, gradient).sum(context, neighborhoods(problem, batch.observations), jitter);
}

void touch_local_terms(const Problem& problem, const inference::Minibatch& batch, ElboGradient& gradient) {
    if (!gradient.with_posterior()) return;
    for (const Index i : batch.observations) {
        if (problem.at_sites()) gradient.touch(problem.sites[i]);
        for (const Index j : problem.data_graph.row(neighborhood(problem, i))) gradient.touch(j);
    }
}

double full_local_elbo(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior,
                       ElboGradient* gradient, conditional::JitterReport* jitter) {
    const auto all = all_observations(problem);
    const auto batch = inference::minibatch(problem, all, {});
    if (gradient != nullptr) touch_local_terms(problem, batch, *gradient);
    return local_elbo(context, problem, hyper, posterior, batch, gradient, jitter);
}

double local_divergence(const Context& context, const Problem& problem, const Hyperparameters& hyper, const MeanField& posterior) {
    const auto rows = neighborhoods(problem, all_observations(problem));
    return Divergence(problem, hyper, posterior, 1.0 / static_cast<double>(rows.size()), nullptr).sum(context, rows, nullptr);
}

inference::Objective local_bound() { return {.value = local_elbo, .touch = touch_local_terms, .uses_prior_rows = false}; }

}  // namespace vnngp::rivals
