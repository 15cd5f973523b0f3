#include "experiments/chart.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <numbers>
#include <span>

#include "vnngp/data/atomic_file.hpp"

namespace vnngp::experiments::chart {
namespace {

constexpr double kMargin = 16.0;
constexpr double kFontSize = 12.0, kSmallFontSize = 11.0, kTitleFontSize = 15.0;
constexpr double kLine = 17.0;  // of text
constexpr double kMarkRadius = 3.6;
constexpr Color kInk{0.15, 0.15, 0.15}, kFaint{0.9, 0.9, 0.9};
constexpr const char* kFont = "DejaVu Sans";

// ------------------------------------------------------------------------------------------------ the surface and what it can draw
struct Box {
    double left, top, width, height;
    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

enum class Align { left, center, right };

class Canvas {
public:
    Canvas(int width, int height)
        : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)), context_(cairo_create(surface_.get())) {
        if (cairo_status(context_.get()) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
        color({1.0, 1.0, 1.0});
        cairo_paint(draw());
        cairo_select_font_face(draw(), kFont, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        const std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)> options(cairo_font_options_create(),
                                                                                                   cairo_font_options_destroy);
        cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
        cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
        cairo_set_font_options(draw(), options.get());
        cairo_set_line_join(draw(), CAIRO_LINE_JOIN_ROUND);
    }

    cairo_t* draw() const { return context_.get(); }

    void color(const Color& c, double opacity = 1.0) { cairo_set_source_rgba(draw(), c.red, c.green, c.blue, opacity); }

    double text_width(const std::string& text, double size) const {
        cairo_set_font_size(draw(), size);
        cairo_text_extents_t extents;
        cairo_text_extents(draw(), text.c_str(), &extents);
        return extents.x_advance;
    }

    /// y is the line the letters stand on.
    void text(double x, double y, const std::string& text, double size, Align align = Align::left, const Color& c = kInk) {
        const double width = text_width(text, size);
        cairo_move_to(draw(), align == Align::left ? x : align == Align::center ? x - width / 2 : x - width, y);
        color(c);
        cairo_show_text(draw(), text.c_str());
    }

    void text_upwards(double x, double y_center, const std::string& text, double size) {
        cairo_save(draw());
        cairo_translate(draw(), x, y_center);
        cairo_rotate(draw(), -std::numbers::pi / 2);
        this->text(0.0, 0.0, text, size, Align::center);
        cairo_restore(draw());
    }

    void segment(double x0, double y0, double x1, double y1, const Color& c, double width = 1.0) {
        color(c);
        cairo_set_line_width(draw(), width);
        cairo_move_to(draw(), x0, y0);
        cairo_line_to(draw(), x1, y1);
        cairo_stroke(draw());
    }

    void pen(const Style& style) {
        color(style.color);
        cairo_set_line_width(draw(), style.width);
        const double dashed[] = {6.0, 4.0}, dotted[] = {1.5, 3.0};
        if (style.dash == Dash::dashed)
            cairo_set_dash(draw(), dashed, 2, 0.0);
        else if (style.dash == Dash::dotted)
            cairo_set_dash(draw(), dotted, 2, 0.0);
        else
            cairo_set_dash(draw(), nullptr, 0, 0.0);
    }
    void no_dash() { cairo_set_dash(draw(), nullptr, 0, 0.0); }

    void marker(double x, double y, const Style& style) {
        no_dash();
        color(style.color);
        cairo_set_line_width(draw(), 1.4);
        cairo_new_path(draw());
        switch (style.marker) {
            case Marker::none:
                return;
            case Marker::disk:
                cairo_arc(draw(), x, y, kMarkRadius, 0.0, 2 * std::numbers::pi);
                cairo_fill(draw());
                return;
            case Marker::ring:
                cairo_arc(draw(), x, y, kMarkRadius + 0.6, 0.0, 2 * std::numbers::pi);
                color({1.0, 1.0, 1.0});
                cairo_fill_preserve(draw());
                color(style.color);
                cairo_stroke(draw());
                return;
            case Marker::square:
                cairo_rectangle(draw(), x - 3.0, y - 3.0, 6.0, 6.0);
                cairo_fill(draw());
                return;
            case Marker::cross:
                for (const double slope : {1.0, -1.0}) {
                    cairo_move_to(draw(), x - 3.0, y - slope * 3.0);
                    cairo_line_to(draw(), x + 3.0, y + slope * 3.0);
                }
                cairo_stroke(draw());
                return;
        }
    }

    std::string png() const {
        std::string bytes;
        const auto append = [](void* out, const unsigned char* data, unsigned int length) {
            static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
            return CAIRO_STATUS_SUCCESS;
        };
        if (cairo_surface_write_to_png_stream(surface_.get(), append, &bytes) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
        return bytes;
    }

private:
    struct Destroy {
        void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
        void operator()(cairo_t* context) const { cairo_destroy(context); }
    };
    std::unique_ptr<cairo_surface_t, Destroy> surface_;
    std::unique_ptr<cairo_t, Destroy> context_;
};

// ------------------------------------------------------------------------------------------------ what a panel's axes must hold
struct Extent {
    Scale scale;
    double low = INFINITY, high = -INFINITY;
    void add(double value) {
        if (!std::isfinite(value) || (scale == Scale::log && value <= 0.0)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void add(std::span<const double> values) {
        for (const double value : values) add(value);
    }
    Range range() const { return low <= high ? padded(scale, {low, high}) : Range{1.0, 2.0}; }
};

struct ExtentOf {
    Extent& x;
    Extent& y;
    void operator()(const Line& line) const { x.add(line.x), y.add(line.y); }
    void operator()(const Band& band) const { x.add(band.x), y.add(band.low), y.add(band.high); }
    void operator()(const Mark& mark) const {
        for (const double side : {-1.0, 1.0}) {
            x.add(mark.x + (mark.error_along_x ? side * mark.error : 0.0));
            y.add(mark.y + (mark.error_along_x ? 0.0 : side * mark.error));
        }
    }
    void operator()(const VerticalLine& line) const { x.add(line.x); }
    void operator()(const HorizontalLine& line) const { y.add(line.y); }
    void operator()(const HeatMap&) const {}
};

// ------------------------------------------------------------------------------------------------ one panel
bool is_heat_map(const Panel& panel) {
    return std::any_of(panel.elements.begin(), panel.elements.end(),
                       [](const Element& element) { return std::holds_alternative<HeatMap>(element); });
}

class PanelDrawing {
public:
    PanelDrawing(Canvas& canvas, const Panel& panel, const Box& box) : canvas_(canvas), panel_(panel), box_(box) {
        Extent x{panel.x_scale}, y{panel.y_scale};
        for (const Element& element : panel.elements) std::visit(ExtentOf{x, y}, element);
        x_range_ = panel.x_range.value_or(x.range());
        y_range_ = panel.y_range.value_or(y.range());
        if (!panel.y_names.empty()) y_range_ = {static_cast<double>(panel.y_names.size()) - 0.4, -0.6};
    }

    void draw() {
        canvas_.text(box_.left, box_.top - 7.0, panel_.title, kFontSize);
        if (!is_heat_map(panel_) && panel_.note.empty()) axes();
        cairo_save(canvas_.draw());
        cairo_rectangle(canvas_.draw(), box_.left, box_.top, box_.width, box_.height);
        cairo_clip(canvas_.draw());
        for (const Element& element : panel_.elements)
            if (!std::holds_alternative<Mark>(element)) std::visit(*this, element);
        cairo_restore(canvas_.draw());
        frame();
        for (const Element& element : panel_.elements)
            if (std::holds_alternative<Mark>(element)) std::visit(*this, element);
        if (!panel_.note.empty())
            canvas_.text(box_.left + box_.width / 2, box_.top + box_.height / 2, panel_.note, kFontSize, Align::center, kGray);
    }

    void operator()(const Line& line) {
        cairo_t* pen = canvas_.draw();
        if (line.style.dash != Dash::none) {
            canvas_.pen(line.style);
            cairo_new_path(pen);
            bool down = false;
            for (std::size_t i = 0; i < line.x.size(); ++i) {
                const bool shown = drawable(line.x[i], line.y[i]);
                if (shown && down)
                    cairo_line_to(pen, px(line.x[i]), py(line.y[i]));
                else if (shown)
                    cairo_move_to(pen, px(line.x[i]), py(line.y[i]));
                down = shown;
            }
            cairo_stroke(pen);
            canvas_.no_dash();
        }
        for (std::size_t i = 0; i < line.x.size(); ++i)
            if (drawable(line.x[i], line.y[i])) canvas_.marker(px(line.x[i]), py(line.y[i]), line.style);
    }
    void operator()(const Band& band) {
        cairo_t* pen = canvas_.draw();
        cairo_new_path(pen);
        for (std::size_t i = 0; i < band.x.size(); ++i) cairo_line_to(pen, px(band.x[i]), py(band.high[i]));
        for (std::size_t i = band.x.size(); i-- > 0;) cairo_line_to(pen, px(band.x[i]), py(band.low[i]));
        canvas_.color(band.color, band.opacity);
        cairo_fill(pen);
    }
    void operator()(const Mark& mark) {
        if (!drawable(mark.x, mark.y)) return;
        const double at = position(panel_.x_scale, x_range_, mark.x);
        if (at < 0.0 || at > 1.0) return off_scale(mark, at > 1.0);
        if (mark.error > 0.0) {
            const double x0 = mark.error_along_x ? px(mark.x - mark.error) : px(mark.x);
            const double x1 = mark.error_along_x ? px(mark.x + mark.error) : px(mark.x);
            const double y0 = mark.error_along_x ? py(mark.y) : py(mark.y - mark.error);
            const double y1 = mark.error_along_x ? py(mark.y) : py(mark.y + mark.error);
            canvas_.no_dash();
            canvas_.segment(std::clamp(x0, box_.left, box_.right()), std::clamp(y0, box_.top, box_.bottom()),
                            std::clamp(x1, box_.left, box_.right()), std::clamp(y1, box_.top, box_.bottom()), mark.style.color, 1.4);
        }
        canvas_.marker(px(mark.x), py(mark.y), mark.style);
    }
    void operator()(const VerticalLine& line) {
        if (!drawable(line.x, y_range_.low)) return;
        canvas_.pen(line.style);
        cairo_move_to(canvas_.draw(), px(line.x), box_.top);
        cairo_line_to(canvas_.draw(), px(line.x), box_.bottom());
        cairo_stroke(canvas_.draw());
        canvas_.no_dash();
    }
    void operator()(const HorizontalLine& line) {
        if (!drawable(x_range_.low, line.y)) return;
        canvas_.pen(line.style);
        cairo_move_to(canvas_.draw(), box_.left, py(line.y));
        cairo_line_to(canvas_.draw(), box_.right(), py(line.y));
        cairo_stroke(canvas_.draw());
        canvas_.no_dash();
    }
    void operator()(const HeatMap& map) {
        const double width = box_.width / static_cast<double>(map.values.cols()),
                     height = box_.height / static_cast<double>(map.values.rows());
        for (Eigen::Index i = 0; i < map.values.rows(); ++i)
            for (Eigen::Index j = 0; j < map.values.cols(); ++j) {
                const double share = std::clamp(map.values(i, j) / map.largest, 0.0, 1.0);
                if (share == 0.0) continue;
                // White through a light to a dark blue; the smallest entry that is not zero is still seen.
                const double depth = 0.08 + 0.92 * share;
                canvas_.color({1.0 - 0.97 * depth, 1.0 - 0.81 * depth, 1.0 - 0.58 * depth});
                cairo_rectangle(canvas_.draw(), box_.left + static_cast<double>(j) * width, box_.top + static_cast<double>(i) * height,
                                width, height);
                cairo_fill(canvas_.draw());
            }
    }

private:
    double px(double x) const { return box_.left + box_.width * position(panel_.x_scale, x_range_, x); }
    double py(double y) const { return box_.bottom() - box_.height * position(panel_.y_scale, y_range_, y); }
    bool drawable(double x, double y) const {
        return std::isfinite(x) && std::isfinite(y) && (panel_.x_scale == Scale::linear || x > 0.0) &&
               (panel_.y_scale == Scale::linear || y > 0.0);
    }

    std::vector<Tick> x_ticks() const {
        if (panel_.x_ticks.empty()) return ticks(panel_.x_scale, x_range_, static_cast<int>(std::clamp(box_.width / 60.0, 3.0, 7.0)));
        std::vector<Tick> found;
        for (const double value : panel_.x_ticks) found.push_back({value, fmt::format("{:g}", value)});
        return found;
    }

    void frame() {
        canvas_.no_dash();
        canvas_.color(kInk);
        cairo_set_line_width(canvas_.draw(), 1.0);
        cairo_rectangle(canvas_.draw(), std::floor(box_.left) + 0.5, std::floor(box_.top) + 0.5, std::floor(box_.width),
                        std::floor(box_.height));
        cairo_stroke(canvas_.draw());
    }

    void axes() {
        for (const Tick& tick : x_ticks()) {
            const double x = px(tick.value);
            canvas_.segment(x, box_.bottom(), x, box_.bottom() + (tick.label.empty() ? 3.0 : 5.0), kInk);
            if (tick.label.empty()) continue;
            canvas_.segment(x, box_.top, x, box_.bottom(), kFaint);
            canvas_.text(x, box_.bottom() + 17.0, tick.label, kSmallFontSize, Align::center);
        }
        canvas_.text(box_.left + box_.width / 2, box_.bottom() + 33.0, panel_.x_label, kFontSize, Align::center);
        double widest = 0.0;
        const auto label = [&](double value, const std::string& text) {
            const double y = py(value);
            canvas_.segment(box_.left - (text.empty() ? 3.0 : 5.0), y, box_.left, y, kInk);
            if (!text.empty() || !panel_.y_names.empty()) canvas_.segment(box_.left, y, box_.right(), y, kFaint);
            if (text.empty()) return;
            canvas_.text(box_.left - 8.0, y + 4.0, text, kSmallFontSize, Align::right);
            widest = std::max(widest, canvas_.text_width(text, kSmallFontSize));
        };
        if (panel_.y_names.empty())
            for (const Tick& tick : ticks(panel_.y_scale, y_range_, static_cast<int>(std::clamp(box_.height / 40.0, 3.0, 7.0))))
                label(tick.value, tick.label);
        for (std::size_t i = 0; i < panel_.y_names.size(); ++i) label(static_cast<double>(i), panel_.y_names[i]);
        if (!panel_.y_label.empty()) canvas_.text_upwards(box_.left - widest - 16.0, box_.top + box_.height / 2, panel_.y_label, kFontSize);
    }

    void off_scale(const Mark& mark, bool right) {
        const double y = py(mark.y), x = right ? box_.right() - 2.0 : box_.left + 2.0, back = right ? -7.0 : 7.0;
        cairo_t* pen = canvas_.draw();
        canvas_.color(mark.style.color);
        cairo_new_path(pen);
        cairo_move_to(pen, x, y);
        cairo_line_to(pen, x + back, y - 4.0);
        cairo_line_to(pen, x + back, y + 4.0);
        cairo_close_path(pen);
        if (mark.style.marker == Marker::ring) {
            cairo_set_line_width(pen, 1.2);
            cairo_stroke(pen);
        } else {
            cairo_fill(pen);
        }
        canvas_.text(x + 1.6 * back, y + 4.0, fmt::format("{:.3g}", mark.x), 10.0, right ? Align::right : Align::left, mark.style.color);
    }

    Canvas& canvas_;
    const Panel& panel_;
    Box box_;
    Range x_range_, y_range_;
};

// ------------------------------------------------------------------------------------------------ the whole figure
struct Layout {
    double gap_right = 14.0, gap_top = 26.0, gap_bottom = 24.0;
    double header = 0.0, legend_height = 0.0;
    std::vector<double> left = {};  ///< of the panels in each column
    int width = 0, height = 0;
};

struct LegendPlace {
    double x, y;
};

constexpr double kLegendSample = 26.0, kLegendSpace = 22.0;

// Where each legend entry begins: as many rows as the width asks for.
std::vector<LegendPlace> legend_places(const Canvas& canvas, const Figure& figure, double width) {
    std::vector<LegendPlace> places;
    double x = kMargin, y = 0.0;
    for (const LegendEntry& entry : figure.legend) {
        const double length = kLegendSample + 7.0 + canvas.text_width(entry.label, kFontSize) + kLegendSpace;
        if (x > kMargin && x + length > width - kMargin) {
            x = kMargin;
            y += kLine + 3.0;
        }
        places.push_back({x, y});
        x += length;
    }
    return places;
}

// Room for what stands left of a panel.
double room_left(const Canvas& ruler, const Panel& panel) {
    if (is_heat_map(panel)) return 0.0;
    if (panel.y_names.empty()) return panel.y_label.empty() ? 48.0 : 66.0;
    double names = 0.0;
    for (const std::string& name : panel.y_names) names = std::max(names, ruler.text_width(name, kSmallFontSize));
    return names + 16.0;
}

Layout layout_of(const Canvas& ruler, const Figure& figure) {
    Layout layout;
    bool x_labels = false, all_heat = true;
    std::vector<double> room(figure.columns, 0.0);
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        double& column = room[i % figure.columns];
        column = std::max(column, room_left(ruler, figure.panels[i]));
        x_labels |= !figure.panels[i].x_label.empty();
        all_heat &= is_heat_map(figure.panels[i]);
    }
    layout.gap_bottom = all_heat ? 10.0 : x_labels ? 42.0 : 26.0;
    double x = kMargin;
    for (const double column : room) {
        layout.left.push_back(x + column);
        x += column + figure.panel_width + layout.gap_right;
    }
    x = std::max(
        {x, kMargin + ruler.text_width(figure.title, kTitleFontSize), kMargin + ruler.text_width(figure.subtitle, kSmallFontSize)});
    layout.width = static_cast<int>(x + kMargin);
    const auto rows = static_cast<int>((figure.panels.size() + figure.columns - 1) / figure.columns);
    layout.header = kMargin + (figure.title.empty() ? 0.0 : kTitleFontSize + 6.0) + (figure.subtitle.empty() ? 0.0 : kLine);
    const auto places = legend_places(ruler, figure, layout.width);
    layout.legend_height = places.empty() ? 0.0 : places.back().y + kLine + 10.0;
    layout.height = static_cast<int>(layout.header + rows * (layout.gap_top + figure.panel_height + layout.gap_bottom) +
                                     layout.legend_height + kMargin);
    return layout;
}

void draw_legend(Canvas& canvas, const Figure& figure, const Layout& layout) {
    const double top = layout.height - layout.legend_height - kMargin / 2 + kLine;
    const auto places = legend_places(canvas, figure, layout.width);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Style& style = figure.legend[i].style;
        const double x = places[i].x, y = top + places[i].y;
        if (style.dash != Dash::none) {
            canvas.pen(style);
            cairo_move_to(canvas.draw(), x, y - 4.0);
            cairo_line_to(canvas.draw(), x + kLegendSample, y - 4.0);
            cairo_stroke(canvas.draw());
            canvas.no_dash();
        }
        canvas.marker(x + kLegendSample / 2, y - 4.0, style);
        canvas.text(x + kLegendSample + 7.0, y, figure.legend[i].label, kFontSize);
    }
}

}  // namespace

std::string png(const Figure& figure) {
    const Layout layout = layout_of(Canvas(1, 1), figure);
    Canvas canvas(layout.width, layout.height);
    double y = kMargin + kTitleFontSize - 2.0;
    if (!figure.title.empty()) canvas.text(kMargin, y, figure.title, kTitleFontSize);
    if (!figure.subtitle.empty())
        canvas.text(kMargin, y + (figure.title.empty() ? 0.0 : kLine + 3.0), figure.subtitle, kSmallFontSize, Align::left, kGray);
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const auto row = static_cast<double>(i / figure.columns);
        const Box box{layout.left[i % figure.columns],
                      layout.header + row * (layout.gap_top + figure.panel_height + layout.gap_bottom) + layout.gap_top, figure.panel_width,
                      figure.panel_height};
        PanelDrawing(canvas, figure.panels[i], box).draw();
    }
    draw_legend(canvas, figure, layout);
    return canvas.png();
}

void write_png(const std::filesystem::path& path, const Figure& figure) {
    const std::string bytes = png(figure);
    data::AtomicFile file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
}

}  // namespace vnngp::experiments::chart
