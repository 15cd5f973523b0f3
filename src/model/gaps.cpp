#include "model/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "vnngp/base/random.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/neighbor_search.hpp"

namespace vnngp::model {
namespace {

constexpr double kGap = 2.0;        ///< times the distance that nearly all inducing points have from their nearest
constexpr double kNearlyAll = 0.9;  ///< of a sample of them
constexpr Index kSample = 1000;
constexpr Index kGapNeighbors = 256;

}  // namespace

void find_gaps(const Context& context, FittedModel& model) {
    const auto count = static_cast<Index>(model.inducing.rows());
    model.gap_neighbors = std::min(kGapNeighbors, count);
    if (model.gap_neighbors <= model.prediction_neighbors) {
        model.gap_neighbors = 0;
        return;
    }
    const auto kernel = kernel::make_kernel(model.kernel, kernel_inputs(model));
    const Context quiet{.threads = context.threads, .stop = context.stop};
    const MetricIndex index({model.metric, *kernel, model.hyper.shape}, model.inducing, quiet);
    RandomStream stream(context.seed, StreamPurpose::subsample, 2);
    std::vector<Index> sample, nearest;
    for (Index i = 0; i < std::min(count, kSample); ++i)
        sample.push_back(count <= kSample ? i : static_cast<Index>(stream.below(static_cast<std::uint64_t>(count))));
    const Points points = data::gather_rows(model.inducing, sample);
    const auto graph = index.search(points, 2, quiet);
    for (Index i = 0; i < graph.num_rows(); ++i) nearest.push_back(graph.row(i)[graph.row(i)[0] == sample[i] ? 1 : 0]);
    Vector distance = index.distances(points, data::gather_rows(model.inducing, nearest));
    const auto place = static_cast<Eigen::Index>(kNearlyAll * static_cast<double>(distance.size() - 1));
    std::nth_element(distance.begin(), distance.begin() + place, distance.end());
    model.gap_distance = kGap * distance[place];
}

std::vector<GapCell> gap_cells(const Points& coordinates, const Vector& distance, double gap_distance) {
    std::map<std::vector<std::int64_t>, std::vector<Index>> places;
    const auto width = [&](std::int64_t level) { return std::ldexp(gap_distance, static_cast<int>(level)); };
    for (Index i = 0; i < static_cast<Index>(coordinates.rows()); ++i) {
        if (!(distance[i] > gap_distance)) continue;
        std::vector<std::int64_t> place{std::ilogb(distance[i] / gap_distance)};
        for (const double x : coordinates.row(i)) place.push_back(static_cast<std::int64_t>(std::floor(x / width(place.front()))));
        places[std::move(place)].push_back(i);
    }
    std::vector<GapCell> cells;
    for (auto& [place, points] : places) {
        GapCell cell{Eigen::RowVectorXd(coordinates.cols()), std::move(points)};
        for (Eigen::Index dim = 0; dim < coordinates.cols(); ++dim)
            cell.center[dim] = (static_cast<double>(place[1 + dim]) + 0.5) * width(place.front());
        cells.push_back(std::move(cell));
    }
    return cells;
}

}  // namespace vnngp::model
