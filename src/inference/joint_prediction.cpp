#include "vnngp/inference/joint_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vnngp/base/error.hpp"
#include "vnngp/base/parallel.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp::inference {
namespace {

using neighbors::NeighborGraph;

constexpr Index kSlab = 4096;                  ///< rows computed before they are used in sequence
constexpr std::int64_t kRowsPerChunk = 256;    ///< of neighbour lists and of dense matrices
constexpr std::int64_t kColumnsPerChunk = 64;  ///< of a matrix that is substituted into

Points rows_of(const Points& points, std::span<const Index> rows) {
    Points out(rows.size(), points.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = points.row(rows[i]);
    return out;
}

/// Earlier appended points that a row looks at, besides its inducing points: they carry how rows vary together. Were they to take the place
/// of inducing points, dense rows would hardly look at the data.
constexpr Index kMostAppended = 32;

/// The inducing points that each target looks at, and which targets are in a gap.
struct InducingNeighbors {
    NeighborGraph graph;
    std::vector<bool> in_gap;
};

InducingNeighbors nearest_inducing(const Context& context, const JointTargets& targets) {
    const Points &inducing = targets.inducing_metric, &points = targets.targets_metric;
    NeighborGraph usual = neighbors::nearest_graph(inducing, points, targets.neighbors, context);
    std::vector<bool> in_gap(usual.num_rows(), false);
    std::vector<Index> rows;
    if (targets.gap_neighbors > targets.neighbors) {
        for (Index i = 0; i < usual.num_rows(); ++i) {
            in_gap[i] = (points.row(i) - inducing.row(usual.row(i)[0])).norm() > targets.gap_distance;
            if (in_gap[i]) rows.push_back(i);
        }
    }
    if (rows.empty()) return {std::move(usual), std::move(in_gap)};
    const NeighborGraph further = neighbors::nearest_graph(inducing, rows_of(points, rows), targets.gap_neighbors, context);
    NeighborGraph graph(usual.num_rows(), further.stride());
    for (Index i = 0; i < usual.num_rows(); ++i) graph.set_row(i, usual.row(i));
    for (std::size_t g = 0; g < rows.size(); ++g) graph.set_row(rows[g], further.row(static_cast<Index>(g)));
    return {std::move(graph), std::move(in_gap)};
}

/// to_inducing by targets, to_appended by positions; order: position -> target.
NeighborGraph joined(const Context& context, const NeighborGraph& to_inducing, const NeighborGraph& to_appended,
                     std::span<const Index> order, Index num_inducing) {
    NeighborGraph both(to_appended.num_rows(), to_inducing.stride() + to_appended.stride());
    parallel_chunks(context, both.num_rows(), kRowsPerChunk, [&](const Chunk& chunk) {
        std::vector<Index> row;
        for (auto p = static_cast<Index>(chunk.begin); p < chunk.end; ++p) {
            row.assign(to_inducing.row(order[p]).begin(), to_inducing.row(order[p]).end());
            for (const Index q : to_appended.row(p)) row.push_back(num_inducing + q);
            both.set_row(p, row);
        }
    });
    return both;
}

// The appended points in their order, and who conditions on whom. Neighbours below num_inducing are inducing points, then come appended
// ones.
class Appended {
public:
    Appended(const Context& context, const JointTargets& targets) : num_inducing(static_cast<Index>(targets.inducing.rows())) {
        RandomStream stream(context.seed, StreamPurpose::joint_order);
        order = random_permutation(static_cast<Index>(targets.targets.rows()), stream);
        const auto near = nearest_inducing(context, targets);
        // Those in gaps first: they look at many inducing points, and would otherwise follow those on the rim, which look at few.
        std::stable_partition(order.begin(), order.end(), [&](Index target) { return near.in_gap[target]; });
        points = rows_of(targets.targets, order);
        const NeighborGraph to_appended =
            neighbors::predecessor_graph(rows_of(targets.targets_metric, order), std::min(targets.neighbors, kMostAppended), context);
        graph = joined(context, near.graph, to_appended, order, num_inducing);
        all.resize(num_inducing + points.rows(), points.cols());
        all.topRows(num_inducing) = targets.inducing;
        all.bottomRows(points.rows()) = points;
    }

    Index size() const { return static_cast<Index>(order.size()); }

    /// Calls use(position, neighbours, weights, variance) in sequence; the rows are computed in parallel, a slab at a time.
    template <class Use>
    void visit(const Context& context, const conditional::Covariance& covariance, const Use& use) const {
        const std::size_t stride = graph.stride();
        std::vector<double> weights(kSlab * stride), variance(kSlab);
        std::vector<Index> rows(kSlab);
        for (Index begin = 0; begin < size(); begin += kSlab) {
            const Index count = std::min(kSlab, size() - begin);
            std::iota(rows.begin(), rows.begin() + count, begin);
            conditional::visit_rows(context, covariance, {all, points, graph, false, num_inducing}, std::span(rows).first(count),
                                    [&](const conditional::Row& row) {
                                        std::copy(row.weights.begin(), row.weights.end(),
                                                  weights.begin() + static_cast<std::ptrdiff_t>(row.position * stride));
                                        variance[row.position] = row.variance;
                                    });
            for (Index i = 0; i < count; ++i) {
                const auto n = graph.row(begin + i);
                use(begin + i, n, std::span<const double>(weights).subspan(i * stride, n.size()), variance[i]);
            }
        }
    }

    Index num_inducing;
    std::vector<Index> order;  ///< position -> row of the targets
    NeighborGraph graph;
    Points points;  ///< the appended ones
    Points all;
};

/// An entry of a sparse matrix, in a list that stands for its row or column.
struct Entry {
    Index index;
    double weight;
};
using EntryLists = std::vector<std::vector<Entry>>;

// The rows taken apart.
struct SparseRows {
    EntryLists on_appended;  ///< A_g by rows
    EntryLists on_inducing;  ///< A_u by rows
    EntryLists uses;         ///< A_u by columns
    Vector variance;         ///< V

    SparseRows(const Context& context, const conditional::Covariance& covariance, const Appended& appended)
        : on_appended(appended.size()), on_inducing(appended.size()), uses(appended.num_inducing), variance(appended.size()) {
        appended.visit(context, covariance, [&](Index p, std::span<const Index> n, std::span<const double> weights, double v) {
            variance[p] = v;
            for (std::size_t k = 0; k < n.size(); ++k) {
                if (n[k] >= appended.num_inducing) {
                    on_appended[p].push_back({n[k] - appended.num_inducing, weights[k]});
                } else {
                    on_inducing[p].push_back({n[k], weights[k]});
                    uses[n[k]].push_back({p, weights[k]});
                }
            }
        });
    }

    /// (I - A_g)^{-1} x, in place, for every column of x.
    void substitute(const Context& context, Points& x) const {
        parallel_chunks(context, x.cols(), kColumnsPerChunk, [&](const Chunk& chunk) {
            for (std::size_t p = 0; p < on_appended.size(); ++p)
                for (const auto& [q, weight] : on_appended[p])
                    x.row(static_cast<Eigen::Index>(p)).segment(chunk.begin, chunk.end - chunk.begin) +=
                        weight * x.row(q).segment(chunk.begin, chunk.end - chunk.begin);
        });
    }

    /// A_u S A_u' + V
    Points innovations(const Context& context, const Vector& inducing_variance) const {
        Points out = Points::Zero(variance.size(), variance.size());
        parallel_chunks(context, out.rows(), kRowsPerChunk, [&](const Chunk& chunk) {
            for (std::int64_t p = chunk.begin; p < chunk.end; ++p) {
                out(p, p) = variance[p];
                for (const auto& [j, weight] : on_inducing[p])
                    for (const Entry& use : uses[j]) out(p, use.index) += weight * inducing_variance[j] * use.weight;
            }
        });
        return out;
    }
};

}  // namespace

Points sample_joint_latent(const Context& context, const conditional::Covariance& covariance, const MeanField& deviation,
                           const JointTargets& targets, Index count, std::span<const Index> known) {
    const Appended appended(context, targets);
    std::vector<RandomStream> streams;
    for (Index c = 0; c < count; ++c) streams.emplace_back(context.seed, StreamPurpose::joint_sample, static_cast<std::uint32_t>(c));

    // Only the inducing values that some row looks at are drawn, and those asked for.
    std::vector<Index> place(appended.num_inducing, -1);
    Index drawn = 0;
    const auto need = [&](Index j) {
        if (j >= 0 && j < appended.num_inducing && place[j] < 0) place[j] = drawn++;
    };
    for (Index p = 0; p < appended.size(); ++p)
        for (const Index j : appended.graph.row(p)) need(j);
    for (const Index j : known) need(j);
    Points inducing(drawn, count), values(appended.size(), count);
    for (Index j = 0; j < appended.num_inducing; ++j)
        if (place[j] >= 0)
            for (Index c = 0; c < count; ++c)
                inducing(place[j], c) = deviation.mean[j] + std::sqrt(deviation.variance[j]) * streams[c].normal();

    appended.visit(context, covariance, [&](Index p, std::span<const Index> n, std::span<const double> weights, double variance) {
        auto value = values.row(p);
        const double sd = std::sqrt(variance);
        for (Index c = 0; c < count; ++c) value[c] = sd * streams[c].normal();
        for (std::size_t k = 0; k < n.size(); ++k) {
            if (n[k] < appended.num_inducing)
                value += weights[k] * inducing.row(place[n[k]]);
            else
                value += weights[k] * values.row(n[k] - appended.num_inducing);
        }
    });
    Points samples(appended.size(), count);
    for (Index p = 0; p < appended.size(); ++p) samples.row(appended.order[p]) = values.row(p);
    for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i] >= 0) samples.row(static_cast<Eigen::Index>(i)) = inducing.row(place[known[i]]);
    return samples;
}

// Cov = (I - A_g)^{-1} (A_u S A_u' + V) (I - A_g)^{-T}: substitution from the left, then into the transpose.
JointLatent joint_latent(const Context& context, const conditional::Covariance& covariance, const MeanField& deviation,
                         const JointTargets& targets) {
    if (targets.targets.rows() > kMostJointPoints)
        throw InputError(fmt::format("a joint prediction at {} points: a dense covariance is made for at most {}; draw samples instead",
                                     targets.targets.rows(), kMostJointPoints));
    const Appended appended(context, targets);
    const SparseRows rows(context, covariance, appended);
    const Index count = appended.size();

    Points mean = Points::Zero(count, 1);
    for (Index p = 0; p < count; ++p)
        for (const auto& [j, weight] : rows.on_inducing[p]) mean(p, 0) += weight * deviation.mean[j];
    rows.substitute(context, mean);

    Points half = rows.innovations(context, deviation.variance);
    rows.substitute(context, half);
    half.transposeInPlace();
    rows.substitute(context, half);

    JointLatent joint{Vector(count), Eigen::MatrixXd(count, count)};
    for (Index p = 0; p < count; ++p) {
        joint.mean[appended.order[p]] = mean(p, 0);
        for (Index q = 0; q < count; ++q) joint.covariance(appended.order[p], appended.order[q]) = 0.5 * (half(p, q) + half(q, p));
    }
    return joint;
}

}  // namespace vnngp::inference
