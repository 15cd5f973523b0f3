// Counter-based random streams: Philox4x32-10 (Salmon et al., SC 2011). A stream is a pure function of (seed, stream id, position), so
// results depend neither on the thread count nor on the standard library's distributions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp {

/// What a stream is for: independent uses of one seed must not share numbers.
enum class StreamPurpose : std::uint32_t {
    ordering = 1,
    minibatch,
    inducing_minibatch,
    split,
    kmeans,
    simulation,
    subsample,
    test,
    joint_order,
    joint_sample,
    joint_observation,
    probe
};

class RandomStream {
public:
    /// `substream` separates e.g. the epochs of one run.
    RandomStream(std::uint64_t seed, StreamPurpose purpose, std::uint32_t substream = 0);

    std::uint32_t bits32();
    std::uint64_t bits64();
    /// Uniform in [0, 1), 53 bits.
    double uniform();
    /// Standard normal (Box-Muller).
    double normal();
    /// Uniform in {0, ..., bound - 1}, without modulo bias; bound >= 1.
    std::uint64_t below(std::uint64_t bound);

private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    int used_ = 4;
    double spare_normal_ = 0.0;
    bool has_spare_normal_ = false;
};

/// A uniformly random permutation of 0..count-1 (Fisher-Yates).
std::vector<Index> random_permutation(Index count, RandomStream& stream);

}  // namespace vnngp
