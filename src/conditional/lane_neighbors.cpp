#include "conditional/lane_neighbors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "vnngp/base/error.hpp"

namespace vnngp::conditional {

using linalg::packed_row;

namespace {
constexpr double kLargestRaisedNugget = 1e-2;  ///< beyond this the neighbourhood no longer resembles the model

// Numbers are positions in the order of the points; coordinates are those that the kernel sees.
std::string describe_failure(const Neighborhoods& neighborhoods, Index id, double jitter) {
    constexpr std::size_t shown = 8;
    const auto neighbors = neighborhoods.graph.row(id);
    const std::span coordinates(neighborhoods.targets.row(id).data(), static_cast<std::size_t>(neighborhoods.targets.cols()));
    return fmt::format("the covariance of the neighbours {}{} of point {} at ({:.6g}{}) cannot be factored, even with a jitter of {:g}",
                       fmt::join(neighbors.first(std::min(shown, neighbors.size())), ", "), neighbors.size() > shown ? ", ..." : "", id,
                       fmt::join(coordinates.first(std::min(shown, coordinates.size())), ", "), coordinates.size() > shown ? ", ..." : "",
                       jitter);
}
}  // namespace

template <class T>
void LaneNeighborsOf<T>::gather(const Neighborhoods& neighborhoods, std::span<const Index> rows, bool with_target) {
    count = static_cast<int>(rows.size());
    std::size_t most = 0;
    for (const Index id : rows) most = std::max(most, neighborhoods.graph.row(id).size());
    order = linalg::padded_order(static_cast<int>(most));

    const int dims = static_cast<int>(neighborhoods.inducing.cols());
    block.num_dims = dims;
    block.num_points = order + (with_target ? 1 : 0);
    block.coordinates.resize(static_cast<std::size_t>(block.num_points) * dims * kLanes);
    std::array<std::span<const Index>, kLanes> neighbors;
    std::array<const double*, kLanes> target, from;
    for (int lane = 0; lane < kLanes; ++lane) {
        const Index id = rows[lane < count ? lane : 0];
        neighbors[lane] = neighborhoods.graph.row(id);
        target[lane] = neighborhoods.targets.data() + static_cast<std::size_t>(id) * dims;
        ids[lane] = id;
        size[lane] = static_cast<int>(neighbors[lane].size());
    }
    for (int p = 0; p < block.num_points; ++p) {
        for (int lane = 0; lane < kLanes; ++lane)
            from[lane] =
                p < size[lane] ? neighborhoods.inducing.data() + static_cast<std::size_t>(neighbors[lane][p]) * dims : target[lane];
        T* to = block.point(p);
        for (int dim = 0; dim < dims; ++dim, to += kLanes)
            for (int lane = 0; lane < kLanes; ++lane)
                if constexpr (std::is_same_v<T, float>)
                    to[lane] = static_cast<float>(from[lane][dim] - target[lane][dim]);
                else
                    to[lane] = from[lane][dim];
    }
}

template <class T>
void LaneNeighborsOf<T>::complete(const std::array<double, kLanes>& diagonal, T* matrix) const {
    for (int p = 0; p < order; ++p) {
        T* at = matrix + (packed_row(p) + p) * kLanes;
        for (int lane = 0; lane < kLanes; ++lane) at[lane] = static_cast<T>(1.0 + diagonal[lane]);
    }
    for (int lane = 0; lane < kLanes; ++lane)
        for (int p = size[lane]; p < order; ++p)
            for (int q = 0; q < p; ++q) matrix[(packed_row(p) + q) * kLanes + lane] = T(0);
}

template struct LaneNeighborsOf<double>;
template struct LaneNeighborsOf<float>;

double raised_nugget(double nugget, double asked_for, bool hopeless, const Neighborhoods& neighborhoods, Index id) {
    const double raised = std::max(10.0 * nugget, kSmallestRaisedNugget);
    if (hopeless || raised > std::max(kLargestRaisedNugget, 1e3 * asked_for))
        throw NumericalError(describe_failure(neighborhoods, id, raised / 10.0));
    return raised;
}

}  // namespace vnngp::conditional
