// What was measured, in one tidy table: a row per value. Claims are judged by it, pictures drawn from it, and it is the CSV file.
#pragma once

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vnngp::experiments {

struct Value {
    std::string panel;     ///< part of the figure; data set
    std::string series;    ///< method
    std::string quantity;  ///< nll, rmse, kl, ...
    double x = 0.0;        ///< what is varied: K, noise, place, iteration; the seed in tables
    double value = 0.0;
    std::string note = {};  ///< the setting that was chosen, why there is no value
};

/// Mean over the seeds; error: standard error of the mean, none for a single value.
struct Summary {
    double mean = 0.0;
    std::optional<double> error;
    int count = 0;
};

/// NaN values are left out; empty when nothing is left.
std::optional<Summary> summary(const std::vector<double>& values);

class Results {
public:
    void add(Value value) { values_.push_back(std::move(value)); }
    const std::vector<Value>& values() const { return values_; }

    /// By x; empty when there is nothing.
    std::map<double, double> curve(std::string_view panel, std::string_view series, std::string_view quantity) const;
    std::optional<double> at(std::string_view panel, std::string_view series, std::string_view quantity, double x = 0.0) const;
    std::optional<Summary> mean(std::string_view panel, std::string_view series, std::string_view quantity) const;
    bool has(std::string_view panel, std::string_view series, std::string_view quantity) const;

    /// Distinct, in the order in which they came.
    std::vector<std::string> panels() const;
    std::vector<std::string> series(std::string_view panel) const;

private:
    std::vector<Value> values_;
};

/// `x_name` heads the column of x.
void write_results(const std::filesystem::path& path, const Results& results, const std::string& x_name);

/// x where the curve is smallest; the curve is not empty.
double argmin(const std::map<double, double>& curve);

}  // namespace vnngp::experiments
