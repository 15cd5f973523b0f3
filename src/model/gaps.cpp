#include "model/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "vnngp/base/random.hpp"
#include "vnngp/data/merge.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/neighbor_search.hpp"

namespace vnngp::model {
namespace {

constexpr double kGap = 2.0;        ///< times the distance that nearly all places have from their nearest
constexpr double kNearlyAll = 0.9;  ///< of a sample of them
constexpr Index kSample = 1000;
constexpr Index kCellNeighbors = 1024;  ///< of a cell's centre
constexpr Index kFewPoints = 3000;      ///< up to so many inducing points a gap looks at all of them

constexpr int kMostLevels = 1000;  ///< doublings of a cell's width, which stays finite

// Between places that differ in the metric: several inducing points may be at one of them, as with a kernel that ignores a column.
double usual_distance(const Context& context, const Points& places) {
    const auto count = static_cast<Index>(places.rows());
    if (count < 2) return 0.0;
    RandomStream stream(context.seed, StreamPurpose::subsample, 2);
    std::vector<Index> sample, nearest;
    for (Index i = 0; i < std::min(count, kSample); ++i)
        sample.push_back(count <= kSample ? i : static_cast<Index>(stream.below(static_cast<std::uint64_t>(count))));
    const Points points = data::gather_rows(places, sample);
    const auto graph = neighbors::nearest_graph(places, points, 2, context);
    for (Index i = 0; i < graph.num_rows(); ++i) nearest.push_back(graph.row(i)[graph.row(i)[0] == sample[i] ? 1 : 0]);
    Vector distance = (points - data::gather_rows(places, nearest)).rowwise().norm();
    const auto place = static_cast<Eigen::Index>(kNearlyAll * static_cast<double>(distance.size() - 1));
    std::nth_element(distance.begin(), distance.begin() + place, distance.end());
    return distance[place];
}

}  // namespace

void find_gaps(const Context& context, FittedModel& model) {
    const auto kernel = kernel::make_kernel(model.kernel, kernel_inputs(model));
    Points coordinates = metric_coordinates({model.metric, *kernel, model.hyper.shape}, model.inducing);
    const auto count = static_cast<Index>(model.inducing.rows());
    const Index most = coordinates.cols() > kMostCellDims ? kSparseNeighbors : count <= kFewPoints ? count : kCellNeighbors;
    const Index neighbors = std::min(most, count);
    if (neighbors <= model.prediction_neighbors) return;
    const Context quiet{.threads = context.threads, .seed = context.seed, .stop = context.stop};
    model.gap_distance = kGap * usual_distance(quiet, data::merge_duplicates(std::move(coordinates)).distinct);
    if (std::isnormal(model.gap_distance)) model.gap_neighbors = neighbors;
}

std::vector<GapCell> gap_cells(const Points& coordinates, const Vector& distance, double gap_distance) {
    std::map<std::vector<double>, std::vector<Index>> places;  // by level, then the cell's number in every dimension
    const auto width = [&](double level) { return std::ldexp(gap_distance, static_cast<int>(level)); };
    for (Index i = 0; i < static_cast<Index>(coordinates.rows()); ++i) {
        if (!(distance[i] > gap_distance)) continue;
        std::vector<double> place{static_cast<double>(std::min(std::ilogb(distance[i] / gap_distance), kMostLevels))};
        for (const double x : coordinates.row(i)) place.push_back(std::floor(x / width(place.front())));
        places[std::move(place)].push_back(i);
    }
    std::vector<GapCell> cells;
    for (auto& [place, points] : places) {
        GapCell cell{Eigen::RowVectorXd(coordinates.cols()), std::move(points)};
        for (Eigen::Index dim = 0; dim < coordinates.cols(); ++dim) cell.center[dim] = (place[1 + dim] + 0.5) * width(place.front());
        cells.push_back(std::move(cell));
    }
    return cells;
}

void merge_cells(std::vector<GapCell>& cells) {
    if (cells.empty()) return;
    std::vector<Index>& points = cells.front().points;
    for (std::size_t c = 1; c < cells.size(); ++c) points.insert(points.end(), cells[c].points.begin(), cells[c].points.end());
    cells.resize(1);
}

}  // namespace vnngp::model
