#include "box_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "spatial_order.hpp"
#include "vnngp/base/parallel.hpp"

namespace vnngp::neighbors {
namespace {

constexpr float kNoHit = -1.0f;                           // threshold that no squared distance meets
constexpr Index kNodeCandidates = kBoxWidth * kBoxWidth;  // of the lowest level
constexpr std::int64_t kChunkNodes = 16;

static_assert(kBoxWidth == kSpatialRun);

Index parts(Index count, Index size) { return (count + size - 1) / size; }

}  // namespace

// The boxes of the children of a node.
struct BoxIndex::Boxes {
    Index count = 0;
    std::vector<float> low, high;  // child, coordinate
};

// One tile on its way through the tree.
struct BoxIndex::Search {
    QueryTile& tile;
    std::vector<float> coordinates;                       // coordinate, query
    alignas(64) std::array<float, kTileRows> thresholds;  // of single-precision distances
    TileHits hits;
    std::int64_t panels = 0;  // looked at

    bool reaches(const BoxDistances& distances, Index child) const {
        bool near = false;
        for (Index row = 0; row < kTileRows; ++row) near |= distances.boxes[row * kBoxWidth + child] <= thresholds[row];
        return near;
    }
    void sort_out_hits() {
        for (Index row = 0; row < tile.size; ++row) {
            if (hits.counts[row] < hits.enough[row]) continue;
            Shortlist& shortlist = tile.shortlists[row];
            hits.counts[row] = shortlist.sort_out(hits.counts[row]);
            hits.enough[row] = shortlist.enough();
            thresholds[row] = shortlist.threshold();
        }
    }
};

NodeCoordinates BoxIndex::Node::kernel_coordinates() const {
    return {coordinates.data(), num_varying, coordinates.data() + num_varying, static_cast<Index>(constants.size()), constants.data()};
}

BoxIndex::BoxIndex(const Points& points, const Scaling& scaling, std::vector<Index> numbers, const Context& context)
    : points_(points), scaling_(scaling), count_(static_cast<Index>(numbers.size())), numbers_(std::move(numbers)) {
    numbers_.reserve(static_cast<std::size_t>(parts(count_, kBoxWidth)) * kBoxWidth);  // resize alone would take twice the memory
    numbers_.resize(static_cast<std::size_t>(parts(count_, kBoxWidth)) * kBoxWidth, std::numeric_limits<Index>::max());
    const auto make_level = [&](Index count, const auto& make_node) {
        std::vector<Node> nodes(count);
        parallel_chunks(context, count, kChunkNodes, [&](const Chunk& chunk) {
            for (auto node = static_cast<Index>(chunk.begin); node < chunk.end; ++node) nodes[node] = make_node(node);
        });
        levels_.push_back(std::move(nodes));
    };
    make_level(parts(count_, kNodeCandidates), [&](Index number) {
        std::vector<float> coordinates;
        Node node = node_over(panel_boxes(number, coordinates));
        add_panels(node, coordinates);
        return node;
    });
    while (levels_.back().size() > 1) {
        const std::size_t below = levels_.size() - 1;
        make_level(parts(static_cast<Index>(levels_.back().size()), kBoxWidth),
                   [&](Index number) { return node_over(node_boxes(below, number)); });
    }
}

BoxIndex::Node BoxIndex::node_over(const Boxes& children) const {
    const auto dim = static_cast<Index>(points_.cols());
    Node node;
    node.num_children = children.count;
    std::vector<Index> constant;
    for (Index k = 0; k < dim; ++k) {
        bool varies = false;
        for (Index child = 0; child < children.count; ++child)
            varies |= children.low[child * dim + k] != children.low[k] || children.high[child * dim + k] != children.low[k];
        if (!varies) {
            constant.push_back(k);
            node.constants.push_back(children.low[k]);
            continue;
        }
        node.coordinates.push_back(k);
        for (const auto& ends : {std::cref(children.low), std::cref(children.high)})
            for (Index child = 0; child < kBoxWidth; ++child)
                node.boxes_and_panels.push_back(ends.get()[std::min(child, children.count - 1) * dim + k]);
    }
    node.num_varying = static_cast<Index>(node.coordinates.size());
    node.coordinates.insert(node.coordinates.end(), constant.begin(), constant.end());
    return node;
}

// Also writes the single-precision coordinates of the candidates of the node: candidate, coordinate.
BoxIndex::Boxes BoxIndex::panel_boxes(Index node, std::vector<float>& coordinates) const {
    const auto dim = static_cast<Index>(points_.cols());
    const Index first = node * kNodeCandidates, count = std::min(kNodeCandidates, count_ - first);
    coordinates.resize(static_cast<std::size_t>(count) * dim);
    Boxes boxes;
    boxes.count = parts(count, kBoxWidth);
    for (Index i = 0; i < count; ++i) {
        const double* const point = points_.row(numbers_[first + i]).data();
        float* const rounded = coordinates.data() + static_cast<std::ptrdiff_t>(i) * dim;
        for (Index k = 0; k < dim; ++k) rounded[k] = static_cast<float>(scaling_(point[k], k));
        if (i % kBoxWidth == 0) {
            boxes.low.insert(boxes.low.end(), rounded, rounded + dim);
            boxes.high.insert(boxes.high.end(), rounded, rounded + dim);
        } else {
            float *const low = boxes.low.data() + (i / kBoxWidth) * dim, *const high = boxes.high.data() + (i / kBoxWidth) * dim;
            for (Index k = 0; k < dim; ++k) {
                low[k] = std::min(low[k], rounded[k]);
                high[k] = std::max(high[k], rounded[k]);
            }
        }
    }
    return boxes;
}

BoxIndex::Boxes BoxIndex::node_boxes(std::size_t level, Index node) const {
    const std::vector<Node>& nodes = levels_[level];
    const auto dim = static_cast<Index>(points_.cols());
    const Index first = node * kBoxWidth;
    Boxes boxes;
    boxes.count = std::min(kBoxWidth, static_cast<Index>(nodes.size()) - first);
    boxes.low.resize(static_cast<std::size_t>(boxes.count) * dim);
    boxes.high.resize(boxes.low.size());
    for (Index child = 0; child < boxes.count; ++child) {
        const Node& part = nodes[first + child];
        float *const low = boxes.low.data() + child * dim, *const high = boxes.high.data() + child * dim;
        for (Index k = 0; k < part.num_varying; ++k) {
            const float* const ends = part.boxes() + static_cast<std::ptrdiff_t>(k) * 2 * kBoxWidth;
            low[part.coordinates[k]] = *std::min_element(ends, ends + kBoxWidth);
            high[part.coordinates[k]] = *std::max_element(ends + kBoxWidth, ends + 2 * kBoxWidth);
        }
        for (std::size_t k = 0; k < part.constants.size(); ++k)
            low[part.coordinates[part.num_varying + k]] = high[part.coordinates[part.num_varying + k]] = part.constants[k];
    }
    return boxes;
}

// The last panel is filled up with copies of the last candidate.
void BoxIndex::add_panels(Node& node, const std::vector<float>& coordinates) const {
    const auto dim = static_cast<Index>(points_.cols());
    const auto count = static_cast<Index>(coordinates.size()) / dim;
    node.boxes_and_panels.reserve(node.boxes_and_panels.size() +
                                  static_cast<std::size_t>(node.num_children) * node.num_varying * kBoxWidth);
    for (Index panel = 0; panel < node.num_children; ++panel)
        for (Index k = 0; k < node.num_varying; ++k)
            for (Index i = panel * kBoxWidth; i < (panel + 1) * kBoxWidth; ++i)
                node.boxes_and_panels.push_back(coordinates[std::min(i, count - 1) * dim + node.coordinates[k]]);
}

void BoxIndex::search(QueryTile& tile) const {
    const Eigen::Index dim = points_.cols();
    Search search{tile, std::vector<float>(static_cast<std::size_t>(dim) * kTileRows), {}, {}};
    search.thresholds.fill(kNoHit);
    Index active = 0, last_active = 0;
    for (Index row = 0; row < tile.size; ++row) {
        double square = 0.0;
        for (Eigen::Index k = 0; k < dim; ++k) {
            const double value = scaling_(tile.queries[row][k], k);
            square += value * value;
        }
        const double norm = std::sqrt(square);
        Shortlist& shortlist = tile.shortlists[row];
        shortlist.start(points_, tile.queries[row], RoundingBound(scaling_, norm));
        search.hits.distances[row] = shortlist.distances();
        search.hits.numbers[row] = shortlist.numbers();
        search.hits.counts[row] = 0;
        search.hits.enough[row] = shortlist.enough();
        if (!(norm <= kFarthestQuery)) {
            tile.nearest[row] = shortlist.ranked_directly(order(), tile.limits[row]);
            tile.pairs += count_;
            continue;
        }
        for (Eigen::Index k = 0; k < dim; ++k)
            search.coordinates[static_cast<std::size_t>(k) * kTileRows + row] = static_cast<float>(scaling_(tile.queries[row][k], k));
        search.thresholds[row] = shortlist.threshold();
        last_active = row;
        ++active;
    }
    if (active == 0) return;
    // Rows not in use are put beside one that is: which box is nearest depends on all of them.
    for (float* row = search.coordinates.data(); row < search.coordinates.data() + search.coordinates.size(); row += kTileRows)
        for (Index i = 0; i < kTileRows; ++i)
            if (search.thresholds[i] == kNoHit) row[i] = row[last_active];
    visit(search, levels_.size() - 1, 0);
    tile.pairs += search.panels * kBoxWidth * active;
    for (Index row = 0; row < tile.size; ++row)
        if (search.thresholds[row] != kNoHit) tile.nearest[row] = tile.shortlists[row].ranked(search.hits.counts[row]);
}

// The children in reach, nearest first: the thresholds shrink early, and those that are then out of reach are left out.
void BoxIndex::visit(Search& search, std::size_t level, Index number) const {
    const Node& node = levels_[level][number];
    BoxDistances distances;
    std::uint32_t near =
        box_distances(node.kernel_coordinates(), node.boxes(), search.coordinates.data(), search.thresholds.data(), distances);
    near &= (1u << node.num_children) - 1;
    std::array<Index, kBoxWidth> order;
    Index count = 0;
    for (; near != 0; near &= near - 1) {
        const auto child = static_cast<Index>(std::countr_zero(near));
        Index place = count++;
        for (; place > 0 && distances.sums[order[place - 1]] > distances.sums[child]; --place) order[place] = order[place - 1];
        order[place] = child;
    }
    if (level == 0) {
        scan(search, node, number * kNodeCandidates, {order.data(), static_cast<std::size_t>(count)}, distances);
        return;
    }
    for (Index place = 0; place < count; ++place)
        if (search.reaches(distances, order[place])) visit(search, level - 1, number * kBoxWidth + order[place]);
}

void BoxIndex::scan(Search& search, const Node& node, Index first_position, std::span<const Index> panels,
                    const BoxDistances& distances) const {
    const NodeCoordinates coordinates = node.kernel_coordinates();
    const PanelList list{node.panels(), numbers_.data() + first_position, panels.data(), static_cast<Index>(panels.size())};
    for (Index place = 0; place < list.size;) {
        const Index begin = place;
        place = collect_hits(coordinates, list, begin, search.coordinates.data(), distances.constant, search.thresholds.data(),
                             search.tile.limits, search.hits);
        search.panels += place - begin;
        search.sort_out_hits();
        while (place < list.size && !search.reaches(distances, panels[place])) ++place;
    }
}

}  // namespace vnngp::neighbors
