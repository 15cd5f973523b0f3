// Points for benches: the inputs of a CSV file (a header, numbers only), standardised, in random order.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "vnngp/neighbors/ordering.hpp"

namespace vnngp::bench {

/// Without the last `drop` columns; no more than `limit` rows (0: all).
inline Points standardized_csv(const std::string& path, Eigen::Index drop, Eigen::Index limit) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const Eigen::Index columns = std::count(line.begin(), line.end(), ',') + 1;
    std::vector<double> values;
    while (std::getline(file, line)) {
        const char* cursor = line.c_str();
        for (Eigen::Index k = 0; k < columns; ++k) {
            char* end = nullptr;
            values.push_back(std::strtod(cursor, &end));
            cursor = *end == ',' ? end + 1 : end;
        }
    }
    Points points =
        Eigen::Map<const Points>(values.data(), static_cast<Eigen::Index>(values.size()) / columns, columns).leftCols(columns - drop);
    points.rowwise() -= points.colwise().mean().eval();
    const Eigen::RowVectorXd deviation = (points.colwise().squaredNorm() / static_cast<double>(points.rows())).cwiseSqrt();
    for (Eigen::Index k = 0; k < points.cols(); ++k)
        if (deviation(k) > 0.0) points.col(k) /= deviation(k);
    auto order = neighbors::ordering_permutation(neighbors::Ordering::random, points, {});
    if (limit > 0 && limit < points.rows()) order.resize(static_cast<std::size_t>(limit));
    return points(order, Eigen::all);
}

}  // namespace vnngp::bench
