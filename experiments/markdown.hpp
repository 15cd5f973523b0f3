// Pieces of the Markdown pages.
#pragma once

#include <string>
#include <vector>

#include "experiments/results.hpp"

namespace vnngp::experiments {

class MarkdownTable {
public:
    explicit MarkdownTable(const std::vector<std::string>& header);
    void row(const std::vector<std::string>& cells);
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// As the paper prints numbers: three decimals without a leading zero, .417, -1.160, 53.364.
std::string decimal(double value);
/// "-.417 ± .017", without the error when there is none.
std::string decimal(const Summary& summary);
/// "1,024"
std::string thousands(std::int64_t count);
/// "12 s", "3 min", "1.5 h"
std::string duration(double seconds);

}  // namespace vnngp::experiments
