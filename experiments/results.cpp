#include "experiments/results.hpp"

#include <algorithm>

#include "vnngp/data/csv_writer.hpp"

namespace vnngp::experiments {
namespace {

bool is(const Value& value, std::string_view panel, std::string_view series, std::string_view quantity) {
    return value.panel == panel && value.series == series && value.quantity == quantity;
}

void add_distinct(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::optional<Summary> summary(const std::vector<double>& values) {
    Summary found;
    double sum = 0.0, squares = 0.0;
    for (const double value : values)
        if (!std::isnan(value)) sum += value, ++found.count;
    if (found.count == 0) return std::nullopt;
    found.mean = sum / found.count;
    for (const double value : values)
        if (!std::isnan(value)) squares += (value - found.mean) * (value - found.mean);
    if (found.count > 1) found.error = std::sqrt(squares / (found.count - 1) / found.count);
    return found;
}

std::map<double, double> Results::curve(std::string_view panel, std::string_view series, std::string_view quantity) const {
    std::map<double, double> found;
    for (const Value& value : values_)
        if (is(value, panel, series, quantity) && !std::isnan(value.value)) found[value.x] = value.value;
    return found;
}

std::optional<double> Results::at(std::string_view panel, std::string_view series, std::string_view quantity, double x) const {
    for (const Value& value : values_)
        if (is(value, panel, series, quantity) && value.x == x && !std::isnan(value.value)) return value.value;
    return std::nullopt;
}

std::optional<Summary> Results::mean(std::string_view panel, std::string_view series, std::string_view quantity) const {
    std::vector<double> found;
    for (const auto& [x, value] : curve(panel, series, quantity)) found.push_back(value);
    return summary(found);
}

bool Results::has(std::string_view panel, std::string_view series, std::string_view quantity) const {
    return std::any_of(values_.begin(), values_.end(), [&](const Value& value) { return is(value, panel, series, quantity); });
}

std::vector<std::string> Results::panels() const {
    std::vector<std::string> names;
    for (const Value& value : values_) add_distinct(names, value.panel);
    return names;
}

std::vector<std::string> Results::series(std::string_view panel) const {
    std::vector<std::string> names;
    for (const Value& value : values_)
        if (value.panel == panel) add_distinct(names, value.series);
    return names;
}

void write_results(const std::filesystem::path& path, const Results& results, const std::string& x_name) {
    data::CsvWriter writer(path);
    writer.header({"panel", "series", "quantity", x_name, "value", "note"});
    for (const Value& value : results.values()) {
        writer.text(value.panel);
        writer.text(value.series);
        writer.text(value.quantity);
        writer.number(value.x);
        writer.number(value.value);
        writer.text(value.note);
        writer.end_row();
    }
    writer.commit();
}

double argmin(const std::map<double, double>& curve) {
    return std::min_element(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
}

}  // namespace vnngp::experiments
