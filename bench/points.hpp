// Points for benches: the inputs of a table (CSV, also .gz), standardised, in random order.
#pragma once

#include <string>
#include <vector>

#include "vnngp/data/csv_reader.hpp"
#include "vnngp/data/standardizer.hpp"
#include "vnngp/neighbors/ordering.hpp"

namespace vnngp::bench {

/// Without the last `drop` columns; no more than `limit` rows (0: all).
inline Points standardized_csv(const std::string& path, Eigen::Index drop, Eigen::Index limit) {
    const data::Table table = data::read_csv(path);
    const Points inputs = data::points_of(table, {table.names.begin(), table.names.end() - drop});
    const Points points = data::apply(data::fit_standardizer(inputs), inputs);
    auto order = neighbors::ordering_permutation(neighbors::Ordering::random, points, {});
    if (limit > 0 && limit < points.rows()) order.resize(static_cast<std::size_t>(limit));
    return points(order, Eigen::all);
}

}  // namespace vnngp::bench
