#include "experiments/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace vnngp::experiments {
namespace {

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}

}  // namespace

MarkdownTable::MarkdownTable(const std::vector<std::string>& header) {
    row(header);
    for (std::size_t i = 0; i < header.size(); ++i) text_ += "|---";
    text_ += "|\n";
}

void MarkdownTable::row(const std::vector<std::string>& cells) {
    for (const std::string& text : cells) text_ += fmt::format("| {} ", cell(text));
    text_ += "|\n";
}

std::string decimal(double value) {
    if (!std::isfinite(value)) return std::isnan(value) ? "—" : value > 0 ? "∞" : "-∞";
    std::string text = fmt::format("{:.3f}", value);
    if (text == "-0.000") text = "0.000";
    if (text.starts_with("0.")) text.erase(0, 1);
    if (text.starts_with("-0.")) text.erase(1, 1);
    return text;
}

std::string decimal(const Summary& summary) {
    return summary.error ? fmt::format("{} ± {}", decimal(summary.mean), decimal(*summary.error)) : decimal(summary.mean);
}

std::string thousands(std::int64_t count) {
    std::string text = fmt::format("{}", count);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::string duration(double seconds) {
    if (seconds < 99.5) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
    if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace vnngp::experiments
