#include "experiments/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/datasets.hpp"
#include "experiments/markdown.hpp"
#include "experiments/methods.hpp"

namespace vnngp::experiments {
namespace {

using Curve = std::map<double, double>;

Finding untested(std::string why) { return {Verdict::not_tested, std::move(why)}; }
Finding decided(bool holds, std::string measured) { return {holds ? Verdict::holds : Verdict::does_not_hold, std::move(measured)}; }

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, "; ")); }

// ------------------------------------------------------------------------------------------------ figure 1
Finding sparse_rows(const Results& results) {
    const Curve most = results.curve("all", "vnngp", "nonzeros in a row");
    if (most.empty()) return untested("no factors");
    bool holds = true;
    std::vector<std::string> parts;
    for (const auto& [k, count] : most) {
        holds = holds && count <= k + 1;
        parts.push_back(fmt::format("K = {:g}: {:g}", k, count));
    }
    return decided(holds, joined(parts));
}

constexpr double kCloseFactor = 0.01;  // of the exact factor's norm

Finding factors_approach(const Results& results) {
    const Curve difference = results.curve("all", "vnngp", "difference");
    if (!difference.contains(10.0)) return untested("no factor for K = 10");
    bool falls = true;
    std::vector<std::string> parts;
    double last = std::numeric_limits<double>::infinity();
    for (const auto& [k, value] : difference) {
        falls = falls && value <= last;
        last = value;
        parts.push_back(fmt::format("K = {:g}: {:.1e}", k, value));
    }
    return decided(falls && difference.at(10.0) < kCloseFactor, "relative difference " + joined(parts));
}

// ------------------------------------------------------------------------------------------------ figure 2
// The high-dimensional set and the spatial one, whichever there is.
constexpr std::string_view kHighDimensional = "elevators";
std::string spatial_panel(const Results& results) {
    for (const std::string_view key : {"ukhousing", "london_housing"})
        if (results.has(key, "vnngp", "nll")) return std::string(key);
    return "";
}

constexpr double kNoRise = 0.005;  // a rise of a score by less is taken for noise

Finding falls_with_neighbors(const Results& results, std::string_view quantity) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const std::string& panel : results.panels()) {
        const Curve curve = results.curve(panel, "vnngp", quantity);
        if (curve.size() < 2) continue;
        double last = std::numeric_limits<double>::infinity();
        for (const auto& [k, value] : curve) {
            holds = holds && value <= last + kNoRise;
            last = value;
        }
        holds = holds && curve.rbegin()->second < curve.begin()->second;
        parts.push_back(fmt::format("{}: {} at K = {:g}, {} at K = {:g}", panel, decimal(curve.begin()->second), curve.begin()->first,
                                    decimal(curve.rbegin()->second), curve.rbegin()->first));
    }
    return parts.empty() ? untested("VNNGP was not run with several K") : decided(holds, joined(parts));
}

Finding exact_not_always_best(const Results& results) {
    std::vector<std::string> parts;
    bool beaten = false;
    for (const std::string& panel : results.panels())
        for (const char* quantity : {"rmse", "nll"}) {
            const auto exact = results.at(panel, "exact", quantity);
            if (!exact) continue;
            double best = results.at(panel, "svgp", quantity).value_or(std::numeric_limits<double>::infinity());
            for (const auto& [k, value] : results.curve(panel, "vnngp", quantity)) best = std::min(best, value);
            beaten = beaten || best < *exact;
            parts.push_back(fmt::format("{} {}: exact {}, best other {}", panel, quantity, decimal(*exact), decimal(best)));
        }
    return parts.empty() ? untested("no exact GP") : decided(beaten, joined(parts));
}

Finding svgp_better_in_many_dimensions(const Results& results) {
    const auto svgp = results.at(kHighDimensional, "svgp", "nll");
    const Curve vnngp = results.curve(kHighDimensional, "vnngp", "nll");
    if (!svgp || vnngp.empty()) return untested("SVGP or VNNGP is missing on elevators");
    const double best = vnngp.at(argmin(vnngp));
    return decided(*svgp < best, fmt::format("NLL: SVGP {}, VNNGP at best {}", decimal(*svgp), decimal(best)));
}

Finding few_neighbors_beat_svgp(const Results& results) {
    const std::string panel = spatial_panel(results);
    const Curve nll = results.curve(panel, "vnngp", "nll"), rmse = results.curve(panel, "vnngp", "rmse");
    const auto svgp_nll = results.at(panel, "svgp", "nll"), svgp_rmse = results.at(panel, "svgp", "rmse");
    if (nll.empty() || rmse.empty() || !svgp_nll || !svgp_rmse) return untested("SVGP or VNNGP is missing on the spatial set");
    return decided(nll.begin()->second < *svgp_nll && rmse.begin()->second < *svgp_rmse,
                   fmt::format("{}, K = {:g}: NLL {} against {}, RMSE {} against {}", panel, nll.begin()->first,
                               decimal(nll.begin()->second), decimal(*svgp_nll), decimal(rmse.begin()->second), decimal(*svgp_rmse)));
}

double spread(const Curve& curve) {
    const auto [low, high] =
        std::minmax_element(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return high->second - low->second;
}

Finding less_sensitive_in_space(const Results& results) {
    const Curve flat = results.curve(spatial_panel(results), "vnngp", "nll"), steep = results.curve(kHighDimensional, "vnngp", "nll");
    if (flat.size() < 2 || steep.size() < 2) return untested("VNNGP was not run with several K on both sets");
    return decided(spread(flat) < spread(steep), fmt::format("range of the NLL over K: {} on the spatial set, {} on elevators",
                                                             decimal(spread(flat)), decimal(spread(steep))));
}

// ------------------------------------------------------------------------------------------------ figure 3
constexpr double kEqual = 1e-8;              // relative
constexpr double kIndistinguishable = 0.02;  // relative: a line's width in the figure
constexpr double kMostly = 0.9;
constexpr std::string_view kBase = "figure 3", kOurRow = "no nugget";

struct Divergences {
    double k, exact, vnngp, swsgp;
    bool is_all;  ///< K = M
};

// Of the panels whose name starts with the variation's (all: empty) and ends with the length-scale's.
std::vector<Divergences> divergences(const Results& results, std::string_view variation, std::string_view lengthscale = "") {
    std::vector<Divergences> found;
    for (const std::string& panel : results.panels()) {
        if (!panel.starts_with(variation) || !panel.ends_with(lengthscale)) continue;
        const Curve exact = results.curve(panel, "exact", "kl"), vnngp = results.curve(panel, "vnngp", "kl"),
                    swsgp = results.curve(panel, "swsgp", "kl");
        for (const auto& [k, value] : exact)
            if (vnngp.contains(k) && swsgp.contains(k)) found.push_back({k, value, vnngp.at(k), swsgp.at(k), k == exact.rbegin()->first});
    }
    return found;
}

double relative(double value, double exact) { return std::abs(value - exact) / std::abs(exact); }

Finding equal_at_all(const Results& results) {
    const auto all = divergences(results, "");
    if (all.empty()) return untested("no divergences");
    double largest = 0.0;
    for (const Divergences& d : all)
        if (d.is_all) largest = std::max({largest, relative(d.vnngp, d.exact), relative(d.swsgp, d.exact)});
    return decided(largest <= kEqual, fmt::format("largest relative difference at K = M: {:.1e}", largest));
}

Finding swsgp_never_exceeds(const Results& results) {
    const auto all = divergences(results, "");
    if (all.empty()) return untested("no divergences");
    const auto above = std::count_if(all.begin(), all.end(), [](const Divergences& d) { return d.swsgp > d.exact * (1 + kEqual); });
    return decided(above == 0, fmt::format("above the exact one in {} of {} cases", above, all.size()));
}

Finding vnngp_tends_to_underestimate(const Results& results) {
    const auto all = divergences(results, "");
    if (all.empty()) return untested("no divergences");
    const auto below = std::count_if(all.begin(), all.end(), [](const Divergences& d) { return d.vnngp <= d.exact * (1 + kEqual); });
    return decided(static_cast<double>(below) >= kMostly * static_cast<double>(all.size()),
                   fmt::format("not above the exact one in {} of {} cases", below, all.size()));
}

Finding closer(const std::vector<Divergences>& all) {
    if (all.empty()) return untested("no divergences");
    int cases = 0, closer = 0;
    for (const Divergences& d : all)
        if (!d.is_all) ++cases, closer += std::abs(d.vnngp - d.exact) < std::abs(d.swsgp - d.exact);
    return decided(closer == cases, fmt::format("in {} of {} cases with K < M", closer, cases));
}

Finding vnngp_is_closer(const Results& results) { return closer(divergences(results, kBase)); }

Finding closer_in_variations(const Results& results) {
    std::vector<Divergences> all;
    for (const std::string_view variation : {"other order", "coordinate order", "Matérn 5/2", "real data"}) {
        const auto more = divergences(results, variation);
        all.insert(all.end(), more.begin(), more.end());
    }
    return closer(all);
}

Finding indistinguishable_from_five(const Results& results) {
    const auto largest = [&](std::string_view variation) {
        double found = -1.0;
        for (const Divergences& d : divergences(results, variation, "l = 5"))
            if (d.k >= 5) found = std::max(found, relative(d.vnngp, d.exact));
        return found;
    };
    const double base = largest(kBase), no_nugget = largest(kOurRow);
    if (base < 0) return untested("no panel with length-scale 5");
    std::string text = fmt::format("largest relative difference for K >= 5: {:.1e}", base);
    if (no_nugget >= 0) text += fmt::format("; {:.1e} with 1e-8 on the diagonal", no_nugget);
    return decided(base < kIndistinguishable, text);
}

// ------------------------------------------------------------------------------------------------ figure 4
constexpr double kFarther = 2.0;    // times the others' distance: deviates
constexpr double kCloseMean = 0.5;  // of the exact posterior's standard deviation

Finding swsgp_deviates(const Results& results) {
    const auto kl = [&](const char* method) { return results.at("sparse region", method, "kl"); };
    const auto svgp = kl("svgp"), vnngp = kl("vnngp"), swsgp = kl("swsgp-n");
    if (!swsgp || (!svgp && !vnngp)) return untested("a posterior is missing");
    const double others = std::max(svgp.value_or(0.0), vnngp.value_or(0.0));
    return decided(*swsgp > kFarther * others,
                   fmt::format("mean KL to the exact posterior in the sparse region: SWSGP {:.3g}, the farther of SVGP and VNNGP {:.3g}",
                               *swsgp, others));
}

Finding svgp_and_vnngp_close(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const char* method : {"svgp", "vnngp"}) {
        const auto distance = results.at("everywhere", method, "rmse of the mean"), sd = results.at("everywhere", method, "sd of exact");
        if (!distance || !sd) return untested("a posterior is missing");
        holds = holds && *distance < kCloseMean * *sd;
        parts.push_back(
            fmt::format("{}: means differ by {:.3g}, the exact standard deviation is {:.3g}", method_info(method).label, *distance, *sd));
    }
    return decided(holds, joined(parts));
}

Finding deviates_where_sparse(const Results& results) {
    const auto sparse = results.at("sparse region", "swsgp-n", "kl"), everywhere = results.at("everywhere", "swsgp-n", "kl");
    if (!sparse || !everywhere) return untested("a posterior is missing");
    return decided(*sparse > *everywhere,
                   fmt::format("SWSGP's mean KL: {:.3g} in the sparse region, {:.3g} everywhere", *sparse, *everywhere));
}

// ------------------------------------------------------------------------------------------------ figure 5
constexpr double kSameNoise = 3.2;  // half a decade
constexpr double kPoor = 0.1;       // nats

Curve bound(const Results& results, std::string_view panel, std::string_view series) {
    return results.curve(panel, series, "negative elbo");
}

std::vector<std::string> small_panels(const Results& results) {
    std::vector<std::string> found;
    for (const std::string& panel : results.panels())
        if (panel.starts_with("M = ") && panel != "M = N") found.push_back(panel);
    return found;
}

bool same_noise(double a, double b) { return std::abs(std::log(a / b)) <= std::log(kSameNoise); }
bool interior(const Curve& curve) { return argmin(curve) != curve.begin()->first && argmin(curve) != curve.rbegin()->first; }

Finding svgp_overestimates(const Results& results) {
    const auto exact = results.at("exact fit", "exact", "noise");
    const Curve curve = bound(results, "M = N", "svgp");
    if (!exact || curve.empty()) return untested("SVGP or the exact fit is missing");
    return decided(argmin(curve) > *exact, fmt::format("SVGP {:.3g}, exact {:.3g}", argmin(curve), *exact));
}

Finding neighbors_underestimate(const Results& results) {
    const auto exact = results.at("exact fit", "exact", "noise");
    const Curve vnngp = bound(results, "M = N", "vnngp"), swsgp = bound(results, "M = N", "swsgp");
    if (!exact || vnngp.empty() || swsgp.empty()) return untested("VNNGP, SWSGP or the exact fit is missing");
    return decided(argmin(vnngp) < *exact && argmin(swsgp) < *exact,
                   fmt::format("VNNGP {:.3g}, SWSGP {:.3g}, exact {:.3g}", argmin(vnngp), argmin(swsgp), *exact));
}

Finding swsgp_monotone(const Results& results) {
    const Curve curve = bound(results, "M = N", "swsgp");
    if (curve.size() < 3) return untested("SWSGP-N is missing");
    double last = -std::numeric_limits<double>::infinity();
    int falls = 0;
    for (const auto& [noise, value] : curve) {
        falls += value < last;
        last = value;
    }
    return decided(falls == 0, fmt::format("negative ELBO from {} at noise {:g} to {} at {:g}; {} of {} steps go the other way",
                                           decimal(curve.begin()->second), curve.begin()->first, decimal(curve.rbegin()->second),
                                           curve.rbegin()->first, falls, curve.size() - 1));
}

Finding vnngp_has_optimum(const Results& results) {
    const Curve curve = bound(results, "M = N", "vnngp");
    if (curve.size() < 3) return untested("VNNGP is missing");
    return decided(interior(curve), fmt::format("best at noise {:.3g} (paper: .1)", argmin(curve)));
}

Finding vnngp_predicts_nll(const Results& results) {
    const Curve curve = bound(results, "M = N", "vnngp"), nll = results.curve("M = N", "vnngp", "nll");
    if (curve.empty() || nll.empty()) return untested("VNNGP is missing");
    return decided(same_noise(argmin(curve), argmin(nll)),
                   fmt::format("ELBO best at {:.3g}, test NLL at {:.3g}", argmin(curve), argmin(nll)));
}

Finding swsgp_selects_poorly(const Results& results) {
    const Curve curve = bound(results, "M = N", "swsgp"), nll = results.curve("M = N", "swsgp", "nll");
    if (curve.empty() || nll.empty()) return untested("SWSGP-N is missing");
    const double chosen = nll.at(argmin(curve)), best = nll.at(argmin(nll));
    return decided(chosen > best + kPoor, fmt::format("test NLL {} at the best ELBO, {} at best", decimal(chosen), decimal(best)));
}

Finding swsgp_m_has_optimum(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const std::string& panel : small_panels(results)) {
        const Curve curve = bound(results, panel, "swsgp");
        if (curve.size() < 3) continue;
        holds = holds && argmin(curve) != curve.begin()->first;
        parts.push_back(fmt::format("{}: best at {:.3g}", panel, argmin(curve)));
    }
    return parts.empty() ? untested("SWSGP-M is missing") : decided(holds, joined(parts));
}

Finding vnngp_m_as_n(const Results& results) {
    const Curve whole = bound(results, "M = N", "vnngp");
    if (whole.empty()) return untested("VNNGP is missing");
    std::vector<std::string> parts{fmt::format("M = N: best at {:.3g}", argmin(whole))};
    bool holds = true;
    for (const std::string& panel : small_panels(results)) {
        const Curve curve = bound(results, panel, "vnngp");
        if (curve.empty()) continue;
        holds = holds && same_noise(argmin(curve), argmin(whole));
        parts.push_back(fmt::format("{}: {:.3g}", panel, argmin(curve)));
    }
    return parts.size() == 1 ? untested("VNNGP-M is missing") : decided(holds, joined(parts));
}

// ------------------------------------------------------------------------------------------------ figure 6
constexpr double kSettled = 0.02;  // of the whole decrease, over the last tenth of the run
constexpr double kReached = 0.95;  // of the whole decrease
constexpr double kComparable = 2.0;

// The first share of the run after which the loss stays within what is left of its decrease.
double share_until_settled(const Curve& loss) {
    const double first = loss.begin()->second, last = loss.rbegin()->second, limit = first + kReached * (last - first);
    double at = 0.0;
    for (const auto& [x, value] : loss)
        if (value > limit) at = x;
    return at / loss.rbegin()->first;
}

Finding all_converge(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const std::string& panel : results.panels())
        for (const std::string& series : results.series(panel)) {
            const Curve loss = results.curve(panel, series, "loss");
            if (loss.size() < 10) continue;
            const double whole = loss.begin()->second - loss.rbegin()->second;
            const double late = loss.lower_bound(0.9 * loss.rbegin()->first)->second - loss.rbegin()->second;
            holds = holds && std::abs(late) <= kSettled * std::abs(whole);
            parts.push_back(fmt::format("{} {}: {:.1f} %", panel, series, 100 * late / whole));
        }
    return parts.empty() ? untested("no training curves")
                         : decided(holds, "share of the decrease that falls in the last tenth: " + joined(parts));
}

Finding comparable_speed(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const std::string& panel : results.panels()) {
        const Curve svgp = results.curve(panel, "svgp", "loss"), vnngp = results.curve(panel, "vnngp", "loss");
        if (svgp.size() < 10 || vnngp.size() < 10) continue;
        const double a = share_until_settled(svgp), b = share_until_settled(vnngp);
        holds = holds && b <= kComparable * std::max(a, 1.0 / static_cast<double>(svgp.size()));
        parts.push_back(
            fmt::format("{}: 95 % of the decrease after {:.0f} % of the run (SVGP), {:.0f} % (VNNGP)", panel, 100 * a, 100 * b));
    }
    return parts.empty() ? untested("SVGP or VNNGP is missing") : decided(holds, joined(parts));
}

// ------------------------------------------------------------------------------------------------ tables
constexpr std::string_view kPublished[] = {"exact", "sggp", "svgp", "swsgp-m", "swsgp-n", "vnngp"};
constexpr std::string_view kOurs = "vnngp-closed";
constexpr double kVeryHigh = 1.0;  // nats above the best method
constexpr double kTinyNoise = 0.005;
constexpr double kComparableRmse = 1.1;

struct Best {
    std::string_view method;
    double value = std::numeric_limits<double>::infinity();
    int count = 0;  ///< methods that have a value
};

template <class Methods>
Best best_of(const Results& results, std::string_view set, std::string_view quantity, const Methods& methods) {
    Best best;
    for (const std::string_view method : methods)
        if (const auto found = results.mean(set, method, quantity)) {
            ++best.count;
            if (found->mean < best.value) best.method = method, best.value = found->mean;
        }
    return best;
}

std::optional<double> score(const Results& results, std::string_view set, std::string_view method, std::string_view quantity) {
    const auto found = results.mean(set, method, quantity);
    return found ? std::optional(found->mean) : std::nullopt;
}

Finding no_other_likelihoods(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true, any = false;
    for (const std::string& set : results.panels()) {
        if (set_info(set).likelihood == "gaussian") continue;
        for (const std::string_view method : {"exact", "sggp"})
            if (results.has(set, method, "refused") || results.has(set, method, "nll"))
                any = true, holds = holds && results.has(set, method, "refused");
        for (const std::string_view method : {"svgp", "swsgp-m", "swsgp-n", "vnngp"})
            if (const auto nll = score(results, set, method, "nll")) parts.push_back(fmt::format("{} {}: {}", set, method, decimal(*nll)));
    }
    if (!any || parts.empty()) return untested("no set with another likelihood was run with both kinds of methods");
    return decided(holds, "exact and sgGP refuse; NLL of the others: " + joined(parts));
}

// Counts the sets on which `method` is best among `methods`, at least two of which must have run.
template <class Methods>
Finding best_on_most(const Results& results, std::string_view method, std::string_view quantity, const Methods& methods) {
    std::vector<std::string> won, lost;
    for (const std::string& set : results.panels()) {
        const Best best = best_of(results, set, quantity, methods);
        if (best.count < 2 || !score(results, set, method, quantity)) continue;
        (best.method == method ? won : lost)
            .push_back(
                fmt::format("{} {} ({} {})", set, decimal(*score(results, set, method, quantity)), best.method, decimal(best.value)));
    }
    if (won.empty() && lost.empty()) return untested("there is nothing to compare with");
    return decided(won.size() > lost.size(), fmt::format("best on {} of {} sets; not on: {}", won.size(), won.size() + lost.size(),
                                                         lost.empty() ? "-" : joined(lost)));
}

Finding beats_neighbor_methods(const Results& results) {
    return best_on_most(results, "vnngp", "nll", std::vector<std::string_view>{"sggp", "swsgp-m", "swsgp-n", "vnngp"});
}
Finding lowest_nll_on_most(const Results& results) { return best_on_most(results, "vnngp", "nll", kPublished); }

Finding ours_on_most(const Results& results) {
    std::vector<std::string_view> methods(std::begin(kPublished), std::end(kPublished));
    methods.push_back(kOurs);
    return best_on_most(results, kOurs, "nll", methods);
}

struct Astray {
    std::string set;
    std::string_view method;
    double nll, best;
};

std::vector<Astray> astray(const Results& results, const std::vector<std::string_view>& methods) {
    std::vector<Astray> found;
    for (const std::string& set : results.panels()) {
        const Best best = best_of(results, set, "nll", kPublished);
        for (const std::string_view method : methods)
            if (const auto nll = score(results, set, method, "nll"); nll && best.count > 1 && *nll > best.value + kVeryHigh)
                found.push_back({set, method, *nll, best.value});
    }
    return found;
}

bool ran(const Results& results, std::string_view method) {
    const auto sets = results.panels();
    return std::any_of(sets.begin(), sets.end(), [&](const std::string& set) { return results.has(set, method, "nll"); });
}

std::string astray_text(const std::vector<Astray>& found) {
    std::vector<std::string> parts;
    for (const Astray& a : found) parts.push_back(fmt::format("{} on {}: {} (best {})", a.method, a.set, decimal(a.nll), decimal(a.best)));
    return parts.empty() ? "never more than 1 nat above the best method" : joined(parts);
}

Finding some_go_astray(const Results& results) {
    if (!ran(results, "sggp") && !ran(results, "swsgp-n")) return untested("neither sgGP nor SWSGP-N was run");
    const auto found = astray(results, {"sggp", "swsgp-n"});
    return decided(!found.empty(), astray_text(found));
}

Finding swsgp_m_does_not(const Results& results) {
    if (!ran(results, "swsgp-m")) return untested("SWSGP-M was not run");
    const auto found = astray(results, {"swsgp-m"});
    return decided(found.empty(), astray_text(found));
}

Finding svgp_excels(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const char* set : {"elevators", "bike"}) {
        const auto svgp = score(results, set, "svgp", "nll"), vnngp = score(results, set, "vnngp", "nll");
        if (!svgp || !vnngp) continue;
        holds = holds && *svgp < *vnngp;
        parts.push_back(fmt::format("{}: SVGP {}, VNNGP {}", set, decimal(*svgp), decimal(*vnngp)));
    }
    return parts.empty() ? untested("SVGP or VNNGP is missing on elevators and bike") : decided(holds, joined(parts));
}

Finding vnngp_beats_svgp_in_space(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const std::string& set : results.panels()) {
        const auto svgp = score(results, set, "svgp", "nll"), vnngp = score(results, set, "vnngp", "nll");
        if (!set_info(set).spatial || !svgp || !vnngp) continue;
        holds = holds && *vnngp < *svgp;
        parts.push_back(fmt::format("{}: VNNGP {}, SVGP {}", set, decimal(*vnngp), decimal(*svgp)));
    }
    return parts.empty() ? untested("SVGP or VNNGP is missing on the spatial sets") : decided(holds, joined(parts));
}

Finding exact_beaten(const Results& results) {
    std::vector<std::string> parts;
    for (const std::string& set : results.panels()) {
        const Best best = best_of(results, set, "nll", kPublished);
        if (const auto exact = score(results, set, "exact", "nll"); exact && best.count > 1 && best.value < *exact)
            parts.push_back(fmt::format("{}: {} {}, exact {}", set, best.method, decimal(best.value), decimal(*exact)));
    }
    if (!ran(results, "exact")) return untested("the exact GP was not run");
    return decided(!parts.empty(), parts.empty() ? "the exact GP is best wherever it ran" : joined(parts));
}

Finding comparable_rmse(const Results& results) {
    int within = 0, sets = 0;
    std::vector<std::string> beyond;
    for (const std::string& set : results.panels()) {
        const Best best = best_of(results, set, "rmse", kPublished);
        const auto vnngp = score(results, set, "vnngp", "rmse");
        if (!vnngp || best.count < 2) continue;
        ++sets;
        if (*vnngp <= kComparableRmse * best.value)
            ++within;
        else
            beyond.push_back(fmt::format("{} {} ({} {})", set, decimal(*vnngp), best.method, decimal(best.value)));
    }
    if (sets == 0) return untested("there is nothing to compare with");
    return decided(2 * within > sets, fmt::format("within 10 % of the best on {} of {} sets; not on: {}", within, sets,
                                                  beyond.empty() ? "-" : joined(beyond)));
}

Finding best_rmse_somewhere(const Results& results) {
    std::vector<std::string> won;
    int sets = 0;
    for (const std::string& set : results.panels()) {
        const Best best = best_of(results, set, "rmse", kPublished);
        if (best.count < 2) continue;
        ++sets;
        if (best.method == "vnngp") won.push_back(fmt::format("{} {}", set, decimal(best.value)));
    }
    return sets == 0 ? untested("there is nothing to compare with") : decided(!won.empty(), won.empty() ? "nowhere" : joined(won));
}

Finding astray_with_tiny_noise(const Results& results) {
    std::vector<std::string> parts;
    bool holds = true;
    for (const Astray& a : astray(results, {"sggp", "swsgp-n"}))
        if (const auto noise = score(results, a.set, a.method, "noise")) {
            holds = holds && *noise <= kTinyNoise;
            parts.push_back(fmt::format("{} on {}: NLL {}, noise {:.2g}", a.method, a.set, decimal(a.nll), *noise));
        }
    return parts.empty() ? untested("no NLL was very high") : decided(holds, joined(parts));
}

Finding swsgp_n_least_noise(const Results& results) {
    std::vector<std::string_view> methods{"svgp", "swsgp-m", "swsgp-n", "vnngp"};
    return best_on_most(results, "swsgp-n", "noise", methods);
}

Finding svgp_more_noise(const Results& results) {
    std::vector<std::string> parts;
    int more = 0, sets = 0;
    for (const std::string& set : results.panels()) {
        const auto svgp = score(results, set, "svgp", "noise"), vnngp = score(results, set, "vnngp", "noise");
        if (!svgp || !vnngp) continue;
        ++sets;
        more += *svgp > *vnngp;
        parts.push_back(fmt::format("{}: {} / {}", set, decimal(*svgp), decimal(*vnngp)));
    }
    return sets == 0 ? untested("SVGP or VNNGP is missing") : decided(more == sets, "SVGP / VNNGP: " + joined(parts));
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    return verdict == Verdict::holds ? "holds" : verdict == Verdict::does_not_hold ? "does not hold" : "not tested here";
}

const std::vector<Claim>& all_claims() {
    static const std::vector<Claim> claims{
        {"F1-a", "figure-1", "A row of the factor has at most K + 1 entries that are not zero.", sparse_rows},
        {"F1-b", "figure-1", "The factor approaches the exact one as K grows; at K = 10 it is close (here: within 1 % of its norm).",
         factors_approach},
        {"F2-a", "figure-2", "VNNGP's test RMSE falls as K grows.", [](const Results& r) { return falls_with_neighbors(r, "rmse"); }},
        {"F2-b", "figure-2", "VNNGP's test NLL falls as K grows.", [](const Results& r) { return falls_with_neighbors(r, "nll"); }},
        {"F2-c", "figure-2", "The exact GP does not always have the best RMSE or NLL.", exact_not_always_best},
        {"F2-d", "figure-2", "SVGP does better than VNNGP on Elevators, which has many dimensions.", svgp_better_in_many_dimensions},
        {"F2-e", "figure-2", "On the spatial set, VNNGP with the fewest neighbours already beats SVGP.", few_neighbors_beat_svgp},
        {"F2-f", "figure-2", "On the spatial set VNNGP is less sensitive to K than on Elevators.", less_sensitive_in_space},
        {"F3-a", "figure-3", "With K = M both divergences equal the exact one (here: to 1e-8 of it).", equal_at_all},
        {"F3-b", "figure-3", "SWSGP's divergence never exceeds the exact one.", swsgp_never_exceeds},
        {"F3-c", "figure-3", "VNNGP's divergence tends to be too small too (here: in nine cases of ten).", vnngp_tends_to_underestimate},
        {"F3-d", "figure-3", "VNNGP's divergence is closer to the exact one than SWSGP's at every K.", vnngp_is_closer},
        {"F3-e", "figure-3",
         "With length-scale 5, VNNGP's divergence cannot be told from the exact one for K >= 5 (here: differs by less than 2 %).",
         indistinguishable_from_five},
        {"F3-f", "figure-3", "The same holds in the appendix's four variations: VNNGP is closer at every K.", closer_in_variations},
        {"F4-a", "figure-4", "SVGP's and VNNGP's posteriors are close to the exact one (here: means within half its standard deviation).",
         svgp_and_vnngp_close},
        {"F4-b", "figure-4",
         "SWSGP's posterior deviates where data are sparse (here: twice as far from the exact one as SVGP's and VNNGP's).", swsgp_deviates},
        {"F4-c", "figure-4", "SWSGP deviates more where data are sparse than elsewhere.", deviates_where_sparse},
        {"F5-a", "figure-5", "SVGP's bound overestimates the noise.", svgp_overestimates},
        {"F5-b", "figure-5", "Both nearest-neighbour bounds underestimate it.", neighbors_underestimate},
        {"F5-c", "figure-5", "With M = N, SWSGP's bound improves monotonically as the noise decreases.", swsgp_monotone},
        {"F5-d", "figure-5", "VNNGP's bound has an optimum in between.", vnngp_has_optimum},
        {"F5-e", "figure-5", "VNNGP's bound is best roughly where its test NLL is (here: within half a decade).", vnngp_predicts_nll},
        {"F5-f", "figure-5", "Choosing the noise by SWSGP-N's bound gives a poor test NLL (here: .1 above its best).",
         swsgp_selects_poorly},
        {"F5-g", "figure-5", "SWSGP-M's bound does get worse when the noise becomes very small.", swsgp_m_has_optimum},
        {"F5-h", "figure-5", "VNNGP-M chooses the noise as VNNGP-N does (here: within half a decade).", vnngp_m_as_n},
        {"F6-a", "figure-6", "SVGP, VNNGP and SWSGP-N have converged by the end of training (here: 2 % of the decrease in the last tenth).",
         all_converge},
        {"F6-b", "figure-6", "VNNGP converges about as fast as SVGP (here: at most twice the iterations to 95 % of the decrease).",
         comparable_speed},
        {"T1-a", "table-1", "The exact GP and sgGP cannot do other than Gaussian likelihoods; the variational methods can.",
         no_other_likelihoods},
        {"T1-b", "table-1", "VNNGP has a lower NLL than the other nearest-neighbour methods (here: on most sets).", beats_neighbor_methods},
        {"T1-c", "table-1", "sgGP and SWSGP-N sometimes have a very high NLL (here: 1 nat above the best method).", some_go_astray},
        {"T1-d", "table-1", "SWSGP-M does not.", swsgp_m_does_not},
        {"T1-e", "table-1", "SVGP excels on Elevators and Bike: lower NLL than VNNGP.", svgp_excels},
        {"T1-f", "table-1", "VNNGP beats SVGP on the large spatial sets.", vnngp_beats_svgp_in_space},
        {"T1-g", "table-1", "VNNGP has the lowest NLL of all methods on most sets.", lowest_nll_on_most},
        {"T1-h", "table-1", "The exact GP is not always best.", exact_beaten},
        {"T1-x", "table-1", "Not the paper's claim but ours: the default training has the lowest NLL of all columns on most sets.",
         ours_on_most},
        {"T2-a", "table-2", "VNNGP's RMSE is comparable with the best (here: within 10 % on most sets).", comparable_rmse},
        {"T2-b", "table-2", "VNNGP has the best RMSE on some sets.", best_rmse_somewhere},
        {"T3-a", "table-3", "Where sgGP's or SWSGP-N's NLL is very high, their noise is nearly 0 (here: at most .005).",
         astray_with_tiny_noise},
        {"T3-b", "table-3", "SWSGP-N learns the least noise of the variational methods (here: on most sets).", swsgp_n_least_noise},
        {"T3-c", "table-3", "SVGP learns more noise than VNNGP.", svgp_more_noise},
    };
    return claims;
}

std::vector<Judged> judged(std::string_view page, const Results& results) {
    std::vector<Judged> found;
    for (const Claim& claim : all_claims())
        if (claim.page == page) found.push_back({&claim, claim.judge(results)});
    return found;
}

}  // namespace vnngp::experiments
