#include "vnngp/conditional/rows.hpp"

#include <stdexcept>

#include "conditional/lane_rows.hpp"
#include "conditional/lane_workers.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::conditional {

using linalg::kLanes;

JitterReport visit_rows(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                        std::span<const Index> rows, const RowVisitor& visitor) {
    LaneWorkers<LaneRows> workers(context, [&] { return std::make_unique<LaneRows>(covariance, neighborhoods, false); });
    parallel_chunks(context, static_cast<std::int64_t>(rows.size()), kRowsPerChunk, [&](const Chunk& chunk) {
        LaneRows& lanes = workers[chunk.worker];
        for (std::int64_t begin = chunk.begin; begin < chunk.end; begin += kLanes) {
            lanes.compute(rows.subspan(begin, std::min<std::int64_t>(kLanes, chunk.end - begin)));
            for (int lane = 0; lane < lanes.count(); ++lane) visitor(lanes.row(lane, begin + lane));
        }
    });
    return workers.jitter();
}

AdjointResult visit_rows_with_adjoint(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                                      std::span<const Index> rows, const RowAdjointVisitor& visitor, std::span<double> location_gradient) {
    if (neighborhoods.num_with_nugget < neighborhoods.inducing.rows())
        throw std::invalid_argument("visit_rows_with_adjoint: neighbours without a nugget have no adjoint");
    const auto num_rows = static_cast<std::int64_t>(rows.size());
    const std::size_t parameters = covariance.shape.size() + 2;
    const std::size_t location_size = (neighborhoods.graph.stride() + 1) * neighborhoods.inducing.cols();
    std::vector<double> partial(num_chunks(num_rows, kRowsPerChunk) * parameters, 0.0);

    LaneWorkers<LaneRows> workers(context, [&] { return std::make_unique<LaneRows>(covariance, neighborhoods, true); });
    parallel_chunks(context, num_rows, kRowsPerChunk, [&](const Chunk& chunk) {
        LaneRows& lanes = workers[chunk.worker];
        const std::span gradient = std::span(partial).subspan(chunk.number * parameters, parameters);
        for (std::int64_t begin = chunk.begin; begin < chunk.end; begin += kLanes) {
            lanes.compute(rows.subspan(begin, std::min<std::int64_t>(kLanes, chunk.end - begin)));
            std::array<std::span<double>, kLanes> locations;
            for (int lane = 0; lane < lanes.count(); ++lane) {
                visitor(lanes.row(lane, begin + lane), lanes.adjoint(lane));
                if (!location_gradient.empty()) locations[lane] = location_gradient.subspan((begin + lane) * location_size, location_size);
            }
            lanes.pull_back(gradient, locations);
        }
    });

    return {sum_of_chunks(partial, covariance.shape.size()), workers.jitter()};
}

}  // namespace vnngp::conditional
