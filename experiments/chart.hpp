// Pictures of results: panels in a grid, drawn into a PNG. The same figure gives the same bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/axis.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::experiments::chart {

/// 0 to 1 each.
struct Color {
    double red = 0.0, green = 0.0, blue = 0.0;
};
inline constexpr Color kBlack{0.1, 0.1, 0.1};
inline constexpr Color kGray{0.55, 0.55, 0.55};

enum class Dash { none, solid, dashed, dotted };
enum class Marker { none, disk, ring, square, cross };

struct Style {
    Color color = kBlack;
    Dash dash = Dash::solid;  ///< none: marks alone
    Marker marker = Marker::none;
    double width = 1.6;
};

/// Points that are not finite (or not positive on a logarithmic axis) interrupt the line.
struct Line {
    std::vector<double> x = {}, y = {};
    Style style = {};
};

/// Between two curves.
struct Band {
    std::vector<double> x = {}, low = {}, high = {};
    Color color = kGray;
    double opacity = 0.2;
};

/// A mark with a horizontal or vertical bar of one error to each side; no bar where the error is 0.
struct Mark {
    double x = 0.0, y = 0.0;
    double error = 0.0;
    bool error_along_x = true;
    Style style = {.dash = Dash::none, .marker = Marker::disk};
};

struct VerticalLine {
    double x = 0.0;
    Style style = {};
};

struct HorizontalLine {
    double y = 0.0;
    Style style = {};
};

/// Entry (row, column) as a square, row 0 on top, white at 0 to dark at `largest`. The panel has no axes then.
struct HeatMap {
    Eigen::MatrixXd values;
    double largest = 1.0;
};

using Element = std::variant<Line, Band, Mark, VerticalLine, HorizontalLine, HeatMap>;

struct Panel {
    std::string title = {};
    std::string x_label = {}, y_label = {};
    Scale x_scale = Scale::linear, y_scale = Scale::linear;
    /// Without a range, the one that holds all elements. A mark outside is drawn as a triangle on the frame with its value beside it.
    std::optional<Range> x_range = {}, y_range = {};
    std::vector<double> x_ticks = {};  ///< instead of round numbers
    /// Names on the y axis instead of numbers: name i at y = i, the first on top.
    std::vector<std::string> y_names = {};
    std::vector<Element> elements = {};
    std::string note = {};  ///< inside, for a panel that has nothing to show
};

struct LegendEntry {
    std::string label;
    Style style;
};

struct Figure {
    std::string title = {};
    std::string subtitle = {};
    int columns = 1;
    double panel_width = 300.0, panel_height = 220.0;  ///< of the area within the axes, in pixels
    std::vector<Panel> panels = {};                    ///< row by row
    std::vector<LegendEntry> legend = {};
};

/// The bytes of a PNG file.
std::string png(const Figure& figure);

/// Whole or not at all.
void write_png(const std::filesystem::path& path, const Figure& figure);

}  // namespace vnngp::experiments::chart
