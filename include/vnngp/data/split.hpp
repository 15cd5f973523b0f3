// Random division of the rows of a data set into training, validation and test parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vnngp/base/types.hpp"

namespace vnngp::data {

/// Of all rows; not negative, and their sum is 1. The defaults are the paper's.
struct SplitFractions {
    double train = 0.64;
    double validation = 0.16;
    double test = 0.20;
};

/// Every row in exactly one part; each part in increasing order.
struct Split {
    std::vector<Index> train;
    std::vector<Index> validation;
    std::vector<Index> test;
};

/// The sizes are within one of fraction * count. The same seed gives the same split. Throws InputError on unusable fractions.
Split random_split(Index count, const SplitFractions& fractions, std::uint64_t seed);

/// The named rows, in the order named.
Points gather_rows(const Points& points, std::span<const Index> rows);
Vector gather_values(const Vector& values, std::span<const Index> rows);

}  // namespace vnngp::data
