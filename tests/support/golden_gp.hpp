// The golden Gaussian-process case as values of this library's types.
#pragma once

#include <span>

#include "support/oracle.hpp"
#include "vnngp/base/types.hpp"
#include "vnngp/neighbors/neighbor_graph.hpp"

namespace vnngp::testing {

inline Points golden_points(const nlohmann::json& rows) {
    Points points(rows.size(), rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t d = 0; d < rows[i].size(); ++d) points(i, d) = rows[i][d];
    return points;
}

inline Vector golden_vector(const nlohmann::json& values) {
    const auto list = values.get<std::vector<double>>();
    return Eigen::Map<const Vector>(list.data(), list.size());
}

inline neighbors::NeighborGraph golden_graph(const nlohmann::json& rows, Index stride) {
    neighbors::NeighborGraph graph(static_cast<Index>(rows.size()), stride);
    for (std::size_t i = 0; i < rows.size(); ++i) graph.set_row(static_cast<Index>(i), rows[i].get<std::vector<Index>>());
    return graph;
}

}  // namespace vnngp::testing
