// What the paper says of its figures and tables, sentence by sentence, and how measured results decide each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/results.hpp"

namespace vnngp::experiments {

enum class Verdict { holds, does_not_hold, not_tested };
std::string_view verdict_name(Verdict verdict);

struct Finding {
    Verdict verdict = Verdict::not_tested;
    std::string measured = {};  ///< the figures that decided it, or what was missing
};

struct Claim {
    std::string_view id;    ///< F3-a: the first of figure 3
    std::string_view page;  ///< figure-3
    std::string_view text;
    /// Of the page's results; all three tables share theirs.
    Finding (*judge)(const Results& results);
};

/// In the order of the paper.
const std::vector<Claim>& all_claims();

struct Judged {
    const Claim* claim;
    Finding finding;
};
std::vector<Judged> judged(std::string_view page, const Results& results);

}  // namespace vnngp::experiments
