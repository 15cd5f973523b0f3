#include "vnngp/conditional/rows.hpp"

#include <array>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "conditional/lane_groups.hpp"
#include "conditional/lane_rows.hpp"
#include "conditional/lane_workers.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::conditional {

namespace {

/// With less on the diagonal most rows would have to be computed twice: no pivot is smaller, and many are not much larger.
constexpr double kHopelessNugget = 0.1 * kTrustedPivot;

bool serves_in_single_precision(const Covariance& covariance, const Neighborhoods& neighborhoods) {
    return covariance.single_precision && covariance.kernel->has_single_precision() && covariance.relative_nugget() > kHopelessNugget &&
           neighborhoods.num_with_nugget >= neighborhoods.inducing.rows();
}

/// Hands the rows of a chunk to take(lanes, rows, positions), as many at once as there are lanes, and those that were not trusted in single
/// precision to the same in double precision. take returns the places of the latter.
class RowBatches {
public:
    RowBatches(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint, bool single)
        : single_(single),
          doubles_(context, [&, with_adjoint] { return std::make_unique<LaneRows>(covariance, neighborhoods, with_adjoint); }),
          singles_(context, [&, with_adjoint] { return std::make_unique<SingleRows>(covariance, neighborhoods, with_adjoint); }) {}

    std::int64_t rows_per_chunk() const { return single_ ? SingleRows::kLanes : LaneRows::kLanes; }

    template <class Take>
    void visit(const Chunk& chunk, std::span<const Index> rows, const Take& take) {
        std::array<std::int64_t, SingleRows::kLanes> positions;
        std::iota(positions.begin(), positions.end(), chunk.begin);
        std::size_t left = chunk.end - chunk.begin;
        if (single_) left = compute_and_take(singles_[chunk.worker], rows, std::span(positions).first(left), take);
        for (std::size_t begin = 0; begin < left; begin += LaneRows::kLanes)
            compute_and_take(doubles_[chunk.worker], rows,
                             std::span(positions).subspan(begin, std::min<std::size_t>(LaneRows::kLanes, left - begin)), take);
    }

    JitterReport jitter() const { return doubles_.jitter(); }

private:
    /// The number of rows that were not trusted; their positions come first then.
    template <class Lanes, class Take>
    static std::size_t compute_and_take(Lanes& lanes, std::span<const Index> rows, std::span<std::int64_t> positions, const Take& take) {
        std::array<Index, Lanes::kLanes> ids;
        for (std::size_t lane = 0; lane < positions.size(); ++lane) ids[lane] = rows[positions[lane]];
        lanes.compute(std::span(ids).first(positions.size()));
        take(lanes, std::span<const std::int64_t>(positions));
        std::size_t left = 0;
        for (std::size_t lane = 0; lane < positions.size(); ++lane)
            if (!lanes.trusted(static_cast<int>(lane))) positions[left++] = positions[lane];
        return left;
    }

    bool single_;
    LaneWorkers<LaneRows> doubles_;
    LaneWorkers<SingleRows> singles_;
};

void check_groups(const Neighborhoods& neighborhoods) {
    if (!neighborhoods.nugget_on_target || neighborhoods.num_with_nugget < neighborhoods.inducing.rows())
        throw std::invalid_argument("visit_rows: all points of a group must carry the nugget");
}

/// Calls take(lanes, visit) for every kLanes groups, where visit(body) calls body(lane, member, position) for each of their rows.
template <class Take>
JitterReport visit_groups(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods, const RowList& list,
                          bool with_adjoint, const Take& take) {
    check_groups(neighborhoods);
    LaneWorkers<LaneGroups> workers(context, [&] { return std::make_unique<LaneGroups>(covariance, neighborhoods, with_adjoint); });
    parallel_chunks(context, std::ssize(list.groups) - 1, LaneGroups::kLanes, [&](const Chunk& chunk) {
        LaneGroups& lanes = workers[chunk.worker];
        const auto position = [&](std::int64_t group) { return list.groups[group] - list.groups.front(); };
        std::array<std::span<const Index>, LaneGroups::kLanes> groups;
        for (std::int64_t g = chunk.begin; g < chunk.end; ++g)
            groups[g - chunk.begin] = list.rows.subspan(position(g), position(g + 1) - position(g));
        lanes.compute(std::span(groups).first(chunk.end - chunk.begin));
        take(lanes, chunk, [&](const auto& body) {
            for (int lane = 0; lane < lanes.count(); ++lane)
                for (int member = 0; member < lanes.num_rows(lane); ++member) body(lane, member, position(chunk.begin + lane) + member);
        });
    });
    return workers.jitter();
}

}  // namespace

JitterReport visit_rows(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods, const RowList& list,
                        const RowVisitor& visitor) {
    if (!list.groups.empty())
        return visit_groups(context, covariance, neighborhoods, list, false, [&](LaneGroups& lanes, const Chunk&, const auto& visit) {
            visit([&](int lane, int member, std::int64_t position) { visitor(lanes.row(lane, member, position)); });
        });
    RowBatches batches(context, covariance, neighborhoods, false, serves_in_single_precision(covariance, neighborhoods));
    parallel_chunks(context, std::ssize(list.rows), batches.rows_per_chunk(), [&](const Chunk& chunk) {
        batches.visit(chunk, list.rows, [&](auto& lanes, std::span<const std::int64_t> positions) {
            for (int lane = 0; lane < lanes.count(); ++lane)
                if (lanes.trusted(lane)) visitor(lanes.row(lane, positions[lane]));
        });
    });
    return batches.jitter();
}

AdjointResult visit_rows_with_adjoint(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                                      const RowList& list, const RowAdjointVisitor& visitor, std::span<double> location_gradient) {
    const std::size_t parameters = covariance.shape.size() + 2;
    if (!list.groups.empty()) {
        if (!location_gradient.empty()) throw std::invalid_argument("visit_rows_with_adjoint: groups have no derivatives in locations");
        std::vector<double> partial(num_chunks(std::ssize(list.groups) - 1, LaneGroups::kLanes) * parameters, 0.0);
        const auto jitter =
            visit_groups(context, covariance, neighborhoods, list, true, [&](LaneGroups& lanes, const Chunk& chunk, const auto& visit) {
                visit([&](int lane, int member, std::int64_t position) {
                    visitor(lanes.row(lane, member, position), lanes.adjoint(lane, member));
                });
                lanes.pull_back(std::span(partial).subspan(chunk.number * parameters, parameters));
            });
        return {sum_of_chunks(partial, covariance.shape.size()), jitter};
    }
    if (neighborhoods.num_with_nugget < neighborhoods.inducing.rows())
        throw std::invalid_argument("visit_rows_with_adjoint: neighbours without a nugget have no adjoint");
    const std::span<const Index> rows = list.rows;
    const std::int64_t num_rows = std::ssize(rows);
    const std::size_t location_size = (neighborhoods.graph.stride() + 1) * neighborhoods.inducing.cols();

    RowBatches batches(context, covariance, neighborhoods, true,
                       location_gradient.empty() && serves_in_single_precision(covariance, neighborhoods));
    std::vector<double> partial(num_chunks(num_rows, batches.rows_per_chunk()) * parameters, 0.0);
    parallel_chunks(context, num_rows, batches.rows_per_chunk(), [&](const Chunk& chunk) {
        const std::span gradient = std::span(partial).subspan(chunk.number * parameters, parameters);
        batches.visit(chunk, rows, [&](auto& lanes, std::span<const std::int64_t> positions) {
            std::array<std::span<double>, std::decay_t<decltype(lanes)>::kLanes> locations;
            for (int lane = 0; lane < lanes.count(); ++lane) {
                if (!lanes.trusted(lane)) continue;
                visitor(lanes.row(lane, positions[lane]), lanes.adjoint(lane));
                if (!location_gradient.empty()) locations[lane] = location_gradient.subspan(positions[lane] * location_size, location_size);
            }
            lanes.pull_back(gradient, locations);
        });
    });

    return {sum_of_chunks(partial, covariance.shape.size()), batches.jitter()};
}

}  // namespace vnngp::conditional
