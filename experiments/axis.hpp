// Where an axis has its ticks, and what they say.
#pragma once

#include <string>
#include <vector>

namespace vnngp::experiments::chart {

enum class Scale { linear, log };

struct Range {
    double low = 0.0;
    double high = 1.0;
};

struct Tick {
    double value;
    std::string label;  ///< empty: a small tick without a number
};

/// Round numbers within the range, about `wanted` of them with a label. A logarithmic axis has its labels at powers of ten, or at 1, 2, 5
/// times these when it spans little more than one; its range must be positive.
std::vector<Tick> ticks(Scale scale, const Range& range, int wanted = 5);

/// The range a little wider, so that no mark lies on the frame; never empty.
Range padded(Scale scale, const Range& range, double share = 0.05);

/// From 0 at the low end to 1 at the high end.
double position(Scale scale, const Range& range, double value);

}  // namespace vnngp::experiments::chart
