#include "vnngp/data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"

namespace vnngp::data {
namespace {

constexpr double kSumTolerance = 1e-9;  // rounding of decimals such as 0.64 + 0.16 + 0.2

void check_fractions(const SplitFractions& fractions) {
    const auto [train, validation, test] = fractions;
    // Written so that a NaN fails.
    if (!(train >= 0 && validation >= 0 && test >= 0 && std::abs(train + validation + test - 1.0) <= kSumTolerance))
        throw InputError(
            fmt::format("the fractions for training, validation and test must not be negative and must add up to 1: {}, {}, {}", train,
                        validation, test));
}

}  // namespace

Split random_split(Index count, const SplitFractions& fractions, std::uint64_t seed) {
    check_fractions(fractions);
    RandomStream stream(seed, StreamPurpose::split);
    const std::vector<Index> order = random_permutation(count, stream);
    // Rounding the boundaries, not the sizes, leaves no row over.
    const auto boundary = [&](double fraction) { return order.begin() + std::min<std::int64_t>(std::llround(fraction * count), count); };
    const auto train_end = boundary(fractions.train);
    const auto validation_end = boundary(fractions.train + fractions.validation);
    Split split{.train = {order.begin(), train_end}, .validation = {train_end, validation_end}, .test = {validation_end, order.end()}};
    for (auto* part : {&split.train, &split.validation, &split.test}) std::sort(part->begin(), part->end());
    return split;
}

Points gather_rows(const Points& points, std::span<const Index> rows) {
    Points gathered(static_cast<Eigen::Index>(rows.size()), points.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) gathered.row(static_cast<Eigen::Index>(i)) = points.row(rows[i]);
    return gathered;
}

Vector gather_values(const Vector& values, std::span<const Index> rows) {
    Vector gathered(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) gathered[static_cast<Eigen::Index>(i)] = values[rows[i]];
    return gathered;
}

}  // namespace vnngp::data
