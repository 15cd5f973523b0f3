// The neighbours of a problem, searched anew as its metric is learned, and the numbering of its points that goes with them.
#pragma once

#include "model/closed_form.hpp"
#include "vnngp/model/neighbor_search.hpp"

namespace vnngp::model {

/// Between the first refresh() and restore() the inducing points of the problem are numbered for the cache (neighbors/numbering.hpp);
/// before and after, in the order of the approximation. Knows how long its searches took.
class GraphSearch {
public:
    GraphSearch(const Context& context, inference::Problem& problem, const ClosedFormSettings& settings);

    /// Terms of the response likelihood at some of the points. Before the first refresh().
    inference::ResponseTerms terms(const inference::Hyperparameters& hyper, const std::vector<Index>& points);

    /// The graphs of the metric that `hyper` says, to less than 1 % of their edges: where the metric has hardly changed, nothing is
    /// searched. Renumbers the points, and with them the vectors that have an entry for each. Returns the share of the edges that changed,
    /// or that might have.
    double refresh(const inference::Hyperparameters& hyper, std::initializer_list<Vector*> along);
    /// Numbers points and vectors by the order of the approximation again. The graphs are gone.
    void restore(std::initializer_list<Vector*> along);

    double seconds() const { return seconds_; }

private:
    NeighborMetric metric(const inference::Hyperparameters& hyper) const;
    /// largest_change() from the metric of this shape.
    double change(const std::vector<double>& from, const inference::Hyperparameters& hyper) const;
    /// The point that is old_number[i] becomes number i.
    void permute(std::span<const Index> old_number, std::initializer_list<Vector*> along);

    Context context_;
    inference::Problem& problem_;
    const ClosedFormSettings& settings_;
    inference::ResponseTerms terms_;    ///< as found last
    std::vector<double> terms_shape_;   ///< of their metric
    std::vector<double> graphs_shape_;  ///< of the graphs' metric
    std::vector<Index> number_;         ///< of the points in the order of the approximation; empty: that order itself
    double seconds_ = 0.0;
};

}  // namespace vnngp::model
