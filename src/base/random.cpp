#include "vnngp/base/random.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace vnngp {
namespace {

std::pair<std::uint32_t, std::uint32_t> multiply_high_low(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t product = static_cast<std::uint64_t>(a) * b;
    return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

// Ten rounds of the Philox4x32 bijection; multipliers and Weyl increments are those of the paper.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const auto [high0, low0] = multiply_high_low(0xD2511F53u, counter[0]);
        const auto [high1, low1] = multiply_high_low(0xCD9E8D57u, counter[2]);
        counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, StreamPurpose purpose, std::uint32_t substream)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, 0, substream, static_cast<std::uint32_t>(purpose)} {}

std::uint32_t RandomStream::bits32() {
    if (used_ == 4) {
        block_ = philox(counter_, key_);
        if (++counter_[0] == 0) ++counter_[1];
        used_ = 0;
    }
    return block_[used_++];
}

std::uint64_t RandomStream::bits64() {
    const std::uint64_t high = bits32();
    return high << 32 | bits32();
}

double RandomStream::uniform() { return static_cast<double>(bits64() >> 11) * 0x1.0p-53; }

double RandomStream::normal() {
    if (has_spare_normal_) {
        has_spare_normal_ = false;
        return spare_normal_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    const double angle = 2.0 * std::numbers::pi * uniform();
    spare_normal_ = radius * std::sin(angle);
    has_spare_normal_ = true;
    return radius * std::cos(angle);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
    const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound: the draws that would favour small values
    std::uint64_t draw = bits64();
    while (draw < rejected) draw = bits64();
    return draw % bound;
}

std::vector<Index> random_permutation(Index count, RandomStream& stream) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (Index i = count - 1; i > 0; --i) std::swap(order[i], order[stream.below(static_cast<std::uint64_t>(i) + 1)]);
    return order;
}

}  // namespace vnngp
