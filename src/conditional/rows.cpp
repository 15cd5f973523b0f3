#include "vnngp/conditional/rows.hpp"

#include <memory>
#include <mutex>
#include <stdexcept>

#include "conditional/lane_rows.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::conditional {

using linalg::kLanes;

namespace {

constexpr std::int64_t kRowsPerChunk = kLanes;  ///< the smallest piece, so that small minibatches too keep all threads busy

// One LaneRows per worker, made on first use.
class Workers {
public:
    Workers(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods, bool with_adjoint)
        : covariance_(covariance), neighborhoods_(neighborhoods), with_adjoint_(with_adjoint), workers_(context.num_threads()) {}

    LaneRows& operator[](int worker) {
        auto& slot = workers_[worker];
        if (!slot) slot = std::make_unique<LaneRows>(covariance_, neighborhoods_, with_adjoint_);
        return *slot;
    }

    JitterReport jitter() const {
        JitterReport total;
        for (const auto& worker : workers_)
            if (worker) total.merge(worker->jitter());
        return total;
    }

private:
    const Covariance& covariance_;
    const Neighborhoods& neighborhoods_;
    bool with_adjoint_;
    std::vector<std::unique_ptr<LaneRows>> workers_;
};

}  // namespace

JitterReport visit_rows(const Context& context, const Covariance& covariance, const Neighborhoods& neighborhoods,
                        std::span<const Index> rows, const RowVisitor& visitor) {
    Workers workers(context, covariance, neighborhoods, false);
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

    Workers workers(context, covariance, neighborhoods, true);
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

    AdjointResult result;
    result.gradient.log_shape.assign(covariance.shape.size(), 0.0);
    for (std::size_t at = 0; at < partial.size(); at += parameters) {
        for (std::size_t p = 0; p < covariance.shape.size(); ++p) result.gradient.log_shape[p] += partial[at + p];
        result.gradient.log_outputscale += partial[at + parameters - 2];
        result.gradient.log_nugget += partial[at + parameters - 1];
    }
    result.jitter = workers.jitter();
    return result;
}

}  // namespace vnngp::conditional
