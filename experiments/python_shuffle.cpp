#include "experiments/python_shuffle.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

namespace vnngp::experiments {
namespace {

// MT19937 as Matsumoto and Nishimura published it in 2002, with the seeding by an array that Python uses; the standard library has the
// generator but not this seeding.
class MersenneTwister {
public:
    explicit MersenneTwister(std::uint64_t seed) {
        std::vector<std::uint32_t> key{static_cast<std::uint32_t>(seed)};
        if (const auto high = static_cast<std::uint32_t>(seed >> 32); high != 0) key.push_back(high);
        start(19650218u);
        std::size_t i = 1, j = 0;
        const auto advance = [&] {
            if (++i >= kSize) {
                state_[0] = state_[kSize - 1];
                i = 1;
            }
        };
        for (std::size_t k = 0; k < kSize; ++k) {
            state_[i] = (state_[i] ^ (mixed(i) * 1664525u)) + key[j] + static_cast<std::uint32_t>(j);
            advance();
            j = (j + 1) % key.size();
        }
        for (std::size_t k = 0; k + 1 < kSize; ++k) {
            state_[i] = (state_[i] ^ (mixed(i) * 1566083941u)) - static_cast<std::uint32_t>(i);
            advance();
        }
        state_[0] = 0x80000000u;
    }

    std::uint32_t next() {
        if (used_ == kSize) refill();
        std::uint32_t y = state_[used_++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }

    /// In {0, ..., bound - 1}; bound fits in 32 bits.
    std::uint32_t below(std::uint32_t bound) {
        const int bits = std::bit_width(bound);
        for (;;)
            if (const std::uint32_t drawn = next() >> (32 - bits); drawn < bound) return drawn;
    }

private:
    static constexpr std::size_t kSize = 624, kShift = 397;

    void start(std::uint32_t seed) {
        state_[0] = seed;
        for (std::size_t i = 1; i < kSize; ++i)
            state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
    }
    std::uint32_t mixed(std::size_t i) const { return state_[i - 1] ^ (state_[i - 1] >> 30); }
    void refill() {
        for (std::size_t i = 0; i < kSize; ++i) {
            const std::uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kSize] & 0x7fffffffu);
            state_[i] = state_[(i + kShift) % kSize] ^ (y >> 1) ^ (y & 1u ? 0x9908b0dfu : 0u);
        }
        used_ = 0;
    }

    std::array<std::uint32_t, kSize> state_{};
    std::size_t used_ = kSize;
};

}  // namespace

std::vector<Index> python_shuffle(Index count, std::uint64_t seed) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    MersenneTwister random(seed);
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i) + 1)]);
    return order;
}

}  // namespace vnngp::experiments
