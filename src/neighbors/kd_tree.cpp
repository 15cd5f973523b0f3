#include "kd_tree.hpp"

#include <cstdint>
#include <limits>
#include <nanoflann.hpp>
#include <numeric>

namespace vnngp::neighbors {
namespace {

constexpr std::size_t kLeafSize = 16;

// nanoflann bounds the distance of a box by a sum of rounded increments; widening the search by more than their rounding error (depth x
// machine epsilon) keeps ties and near-ties from being cut off.
double widened(double distance) { return distance * (1.0 + 1e-10) + std::numeric_limits<double>::min(); }

// The points in the order of the leaves, once the tree is built; before that in their own.
struct Cloud {
    Points points;

    std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(points.rows()); }
    double kdtree_get_pt(std::uint32_t point, std::size_t k) const { return points(point, static_cast<Eigen::Index>(k)); }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
        return false;
    }
};

template <int Dim>
struct Metric {
    using ElementType = double;
    using DistanceType = double;

    explicit Metric(const Cloud& source) : cloud(source) {}
    double evalMetric(const double* a, std::uint32_t b, std::size_t dim) const {
        return squared_distance<Dim>(a, cloud.points.data() + static_cast<Eigen::Index>(b) * cloud.points.cols(),
                                     static_cast<Eigen::Index>(dim));
    }
    double accum_dist(double a, double b, std::size_t) const { return (a - b) * (a - b); }

    const Cloud& cloud;
};

struct RadiusResult {
    using DistanceType = double;

    std::span<const Index> numbers;
    double radius;
    std::vector<Candidate>& found;

    bool full() const { return true; }
    double worstDist() const { return widened(radius); }
    bool addPoint(double distance, std::uint32_t position) {
        if (distance <= radius) found.push_back({distance, numbers[position]});
        return true;
    }
};

}  // namespace

struct KdTree::Tree {
    virtual ~Tree() = default;
    virtual void search_radius(const double* query, RadiusResult& result) const = 0;

    Cloud cloud;
    std::vector<Index> numbers;  // position in the order of the leaves -> point
};

namespace {

template <int Dim>
struct DimTree final : KdTree::Tree {
    using NanoTree = nanoflann::KDTreeSingleIndexAdaptor<Metric<Dim>, Cloud, Dim>;

    explicit DimTree(const Points& points) {
        cloud.points = points;
        nano = std::make_unique<NanoTree>(static_cast<int>(points.cols()), cloud, nanoflann::KDTreeSingleIndexAdaptorParams(kLeafSize));
        numbers.assign(nano->vAcc.begin(), nano->vAcc.end());
        for (Index position = 0; position < points.rows(); ++position) cloud.points.row(position) = points.row(numbers[position]);
        std::iota(nano->vAcc.begin(), nano->vAcc.end(), 0u);
    }
    void search_radius(const double* query, RadiusResult& result) const override { nano->findNeighbors(result, query, {}); }

    std::unique_ptr<NanoTree> nano;
};

std::unique_ptr<KdTree::Tree> tree_over(const Points& points) {
    switch (points.cols()) {
        case 1:
            return std::make_unique<DimTree<1>>(points);
        case 2:
            return std::make_unique<DimTree<2>>(points);
        case 3:
            return std::make_unique<DimTree<3>>(points);
        default:
            return std::make_unique<DimTree<-1>>(points);
    }
}

}  // namespace

KdTree::KdTree(const Points& points) : tree_(tree_over(points)) {}
KdTree::KdTree(KdTree&&) noexcept = default;
KdTree& KdTree::operator=(KdTree&&) noexcept = default;
KdTree::~KdTree() = default;

void KdTree::search_radius(const double* query, double radius, std::vector<Candidate>& found) const {
    found.clear();
    RadiusResult result{tree_->numbers, radius, found};
    tree_->search_radius(query, result);
}

}  // namespace vnngp::neighbors
