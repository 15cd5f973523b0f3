#include "experiments/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace vnngp::experiments::chart {
namespace {

Figure figure_with_everything() {
    Panel panel{.title = "panel", .x_label = "x", .y_label = "y", .x_scale = Scale::log};
    panel.elements = {Band{.x = {1, 10}, .low = {0, 1}, .high = {2, 3}},
                      Line{.x = {1, NAN, 10}, .y = {1, 2, 2}, .style = {.marker = Marker::disk}}, Mark{.x = 3, .y = 1, .error = 0.5},
                      VerticalLine{5.0}, HorizontalLine{1.5}};
    Panel names{.title = "names", .x_range = Range{0, 1}, .y_names = {"one", "two"}, .elements = {Mark{.x = 7, .y = 1}}};
    Panel heat{.title = "heat", .elements = {HeatMap{Eigen::MatrixXd::Identity(3, 3), 1.0}}};
    return {.title = "title",
            .subtitle = "more",
            .columns = 2,
            .panels = {panel, names, heat, Panel{.note = "not run"}},
            .legend = {{"entry", {}}}};
}

std::size_t big_endian(const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

TEST(Chart, IsAPngThatGrowsWithItsPanels) {
    Figure figure = figure_with_everything();
    const std::string bytes = png(figure);
    ASSERT_EQ(bytes.substr(1, 3), "PNG");
    EXPECT_GT(big_endian(bytes, 16), 2 * static_cast<std::size_t>(figure.panel_width));   // width
    EXPECT_GT(big_endian(bytes, 20), 2 * static_cast<std::size_t>(figure.panel_height));  // height: two rows
    figure.panels.resize(2);
    EXPECT_LT(big_endian(png(figure), 20), big_endian(bytes, 20));
}

TEST(Chart, SameFigureSameBytesOtherFigureOtherBytes) {
    Figure figure = figure_with_everything();
    const std::string bytes = png(figure);
    EXPECT_EQ(png(figure), bytes);
    std::get<Mark>(figure.panels[0].elements[2]).y += 0.5;
    EXPECT_NE(png(figure), bytes);
}

TEST(Chart, EmptyPanelsAndCurvesWithoutPointsAreDrawn) {
    EXPECT_GT(png({.panels = {Panel{}, Panel{.elements = {Line{}}}}}).size(), 100u);
    EXPECT_GT(png({}).size(), 50u);
}

TEST(Chart, WrittenFileHoldsTheBytes) {
    const auto path = std::filesystem::temp_directory_path() / "vnngp-chart-test.png";
    write_png(path, figure_with_everything());
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(bytes, png(figure_with_everything()));
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace vnngp::experiments::chart
