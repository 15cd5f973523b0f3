#include "vnngp/conditional/blocks.hpp"

#include "conditional/lane_blocks.hpp"
#include "conditional/lane_workers.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::conditional {

using linalg::kLanes;

namespace {

// Factors the rows of a chunk, which is as many as there are lanes, and hands them to the caller.
void visit_chunk(LaneBlocks& lanes, std::span<const Index> rows, const Chunk& chunk, const BlockFill& fill, const BlockVisitor& visitor) {
    lanes.factor(rows.subspan(chunk.begin, chunk.end - chunk.begin));
    for (int lane = 0; lane < lanes.count(); ++lane) fill(lanes.data(lane, chunk.begin + lane));
    lanes.evaluate();
    for (int lane = 0; lane < lanes.count(); ++lane) visitor(lanes.block(lane, chunk.begin + lane));
}

}  // namespace

JitterReport visit_blocks(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                          std::span<const Index> rows, const BlockForm& form, const BlockFill& fill, const BlockVisitor& visitor) {
    LaneWorkers<LaneBlocks> workers(context, [&] { return std::make_unique<LaneBlocks>(covariance, neighborhoods, form, false); });
    parallel_chunks(context, static_cast<std::int64_t>(rows.size()), kRowsPerChunk,
                    [&](const Chunk& chunk) { visit_chunk(workers[chunk.worker], rows, chunk, fill, visitor); });
    return workers.jitter();
}

AdjointResult visit_blocks_with_adjoint(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                                        std::span<const Index> rows, const BlockForm& form, const BlockFill& fill,
                                        const BlockVisitor& visitor, std::span<double> location_gradient) {
    const auto num_rows = static_cast<std::int64_t>(rows.size());
    const std::size_t parameters = covariance.shape.size() + 2;
    const std::size_t location_size = static_cast<std::size_t>(neighborhoods.graph.stride()) * neighborhoods.inducing.cols();
    std::vector<double> partial(num_chunks(num_rows, kRowsPerChunk) * parameters, 0.0);

    LaneWorkers<LaneBlocks> workers(context, [&] { return std::make_unique<LaneBlocks>(covariance, neighborhoods, form, true); });
    parallel_chunks(context, num_rows, kRowsPerChunk, [&](const Chunk& chunk) {
        LaneBlocks& lanes = workers[chunk.worker];
        visit_chunk(lanes, rows, chunk, fill, visitor);
        std::array<std::span<double>, kLanes> locations;
        if (!location_gradient.empty())
            for (int lane = 0; lane < lanes.count(); ++lane)
                locations[lane] = location_gradient.subspan((chunk.begin + lane) * location_size, location_size);
        lanes.pull_back(std::span(partial).subspan(chunk.number * parameters, parameters), locations);
    });
    return {sum_of_chunks(partial, covariance.shape.size()), workers.jitter()};
}

}  // namespace vnngp::conditional
