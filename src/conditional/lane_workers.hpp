// Working memory of the threads that visit rows or blocks, and the one order in which what they leave is added up.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/conditional/rows.hpp"

namespace vnngp::conditional {

/// The smallest piece of work, so that small minibatches too keep all threads busy.
inline constexpr std::int64_t kRowsPerChunk = linalg::kLanes;

/// One Lanes (LaneRows, LaneBlocks) per worker, made on first use.
template <class Lanes>
class LaneWorkers {
public:
    LaneWorkers(const Context& context, std::function<std::unique_ptr<Lanes>()> make)
        : make_(std::move(make)), workers_(context.num_threads()) {}

    Lanes& operator[](int worker) {
        auto& slot = workers_[worker];
        if (!slot) slot = make_();
        return *slot;
    }

    JitterReport jitter() const {
        JitterReport total;
        for (const auto& worker : workers_)
            if (worker) total.merge(worker->jitter());
        return total;
    }

private:
    std::function<std::unique_ptr<Lanes>()> make_;
    std::vector<std::unique_ptr<Lanes>> workers_;
};

/// partial: [chunk][kernel parameters, log output scale, log nugget].
inline CovarianceGradient sum_of_chunks(std::span<const double> partial, std::size_t shape_size) {
    CovarianceGradient total{std::vector<double>(shape_size, 0.0), 0.0, 0.0};
    for (std::size_t at = 0; at < partial.size(); at += shape_size + 2) {
        for (std::size_t p = 0; p < shape_size; ++p) total.log_shape[p] += partial[at + p];
        total.log_outputscale += partial[at + shape_size];
        total.log_nugget += partial[at + shape_size + 1];
    }
    return total;
}

}  // namespace vnngp::conditional
