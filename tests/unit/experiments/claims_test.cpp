// Every verdict on results made up so that the answer is known.
#include "experiments/claims.hpp"

#include <gmock/gmock.h>

#include <set>

#include "experiments/pages.hpp"

namespace vnngp::experiments {
namespace {

struct Series {
    std::string panel, series, quantity;
    std::vector<std::pair<double, double>> points;
};

Results results_of(const std::vector<Series>& all) {
    Results results;
    for (const Series& s : all)
        for (const auto& [x, value] : s.points) results.add({s.panel, s.series, s.quantity, x, value});
    return results;
}

Verdict verdict(std::string_view id, const std::vector<Series>& all) {
    for (const Claim& claim : all_claims())
        if (claim.id == id) return claim.judge(results_of(all)).verdict;
    throw std::invalid_argument("no such claim");
}

constexpr Verdict kHolds = Verdict::holds, kNot = Verdict::does_not_hold, kUntested = Verdict::not_tested;

Series one(std::string panel, std::string series, std::string quantity, double value) {
    return {std::move(panel), std::move(series), std::move(quantity), {{0.0, value}}};
}

TEST(Claims, WithoutResultsNothingIsTested) {
    for (const Claim& claim : all_claims()) EXPECT_EQ(claim.judge({}).verdict, kUntested) << claim.id;
}

TEST(Claims, IdentifiersAreDistinctAndPagesExist) {
    std::set<std::string_view> ids, pages;
    for (const PageInfo& page : all_pages()) pages.insert(page.name);
    for (const Claim& claim : all_claims()) {
        EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
        EXPECT_TRUE(pages.contains(claim.page)) << claim.id;
    }
    for (const PageInfo& page : all_pages()) EXPECT_FALSE(judged(page.name, {}).empty()) << page.name;
}

TEST(Claims, FigureOne) {
    EXPECT_EQ(verdict("F1-a", {{"all", "vnngp", "nonzeros in a row", {{1, 2}, {5, 6}}}}), kHolds);
    EXPECT_EQ(verdict("F1-a", {{"all", "vnngp", "nonzeros in a row", {{1, 3}, {5, 6}}}}), kNot);
    EXPECT_EQ(verdict("F1-b", {{"all", "vnngp", "difference", {{1, .5}, {10, 1e-4}}}}), kHolds);
    EXPECT_EQ(verdict("F1-b", {{"all", "vnngp", "difference", {{1, .5}, {10, .2}}}}), kNot);
    EXPECT_EQ(verdict("F1-b", {{"all", "vnngp", "difference", {{1, .005}, {10, .006}}}}), kNot);
}

TEST(Claims, FigureTwo) {
    const Series falling{"elevators", "vnngp", "nll", {{32, .5}, {64, .4}, {128, .3}}},
        rising{"elevators", "vnngp", "nll", {{32, .4}, {64, .5}}};
    const Series flat{"london_housing", "vnngp", "nll", {{32, .30}, {64, .29}}},
        flat_rmse{"london_housing", "vnngp", "rmse", {{32, .3}, {64, .3}}};
    EXPECT_EQ(verdict("F2-b", {falling, flat}), kHolds);
    EXPECT_EQ(verdict("F2-b", {rising}), kNot);
    EXPECT_EQ(verdict("F2-a", {falling}), kUntested);
    EXPECT_EQ(verdict("F2-c", {falling, one("elevators", "exact", "nll", .35)}), kHolds);
    EXPECT_EQ(verdict("F2-c", {falling, one("elevators", "exact", "nll", .25)}), kNot);
    EXPECT_EQ(verdict("F2-d", {falling, one("elevators", "svgp", "nll", .29)}), kHolds);
    EXPECT_EQ(verdict("F2-d", {falling, one("elevators", "svgp", "nll", .31)}), kNot);
    EXPECT_EQ(verdict("F2-e", {flat, flat_rmse, one("london_housing", "svgp", "nll", .4), one("london_housing", "svgp", "rmse", .4)}),
              kHolds);
    EXPECT_EQ(verdict("F2-e", {flat, flat_rmse, one("london_housing", "svgp", "nll", .4), one("london_housing", "svgp", "rmse", .2)}),
              kNot);
    EXPECT_EQ(verdict("F2-f", {falling, flat}), kHolds);
    EXPECT_EQ(verdict("F2-f", {falling}), kUntested);
}

std::vector<Series> kl(const std::string& panel, double vnngp5, double swsgp5, double end = 100.0) {
    return {{panel, "exact", "kl", {{5, 100}, {10, 100}}},
            {panel, "vnngp", "kl", {{5, vnngp5}, {10, end}}},
            {panel, "swsgp", "kl", {{5, swsgp5}, {10, 100}}}};
}

TEST(Claims, FigureThree) {
    const std::string base = "figure 3, l = 5";
    EXPECT_EQ(verdict("F3-a", kl(base, 90, 50)), kHolds);
    EXPECT_EQ(verdict("F3-a", kl(base, 90, 50, 100.0001)), kNot);
    EXPECT_EQ(verdict("F3-b", kl(base, 90, 50)), kHolds);
    EXPECT_EQ(verdict("F3-b", kl(base, 90, 101)), kNot);
    EXPECT_EQ(verdict("F3-c", kl(base, 90, 50)), kHolds);
    EXPECT_EQ(verdict("F3-c", kl(base, 120, 50)), kNot);
    EXPECT_EQ(verdict("F3-d", kl(base, 90, 50)), kHolds);
    EXPECT_EQ(verdict("F3-d", kl(base, 160, 50)), kNot);
    EXPECT_EQ(verdict("F3-d", kl("other order, l = 5", 90, 50)), kUntested);
    EXPECT_EQ(verdict("F3-f", kl("other order, l = 5", 90, 50)), kHolds);
    EXPECT_EQ(verdict("F3-f", kl("real data, l = 2", 40, 50)), kNot);
    EXPECT_EQ(verdict("F3-e", kl(base, 99.5, 50)), kHolds);
    EXPECT_EQ(verdict("F3-e", kl(base, 90, 50)), kNot);
    EXPECT_EQ(verdict("F3-e", kl("figure 3, l = 2", 90, 50)), kUntested);
}

TEST(Claims, FigureFour) {
    const auto distances = [](double svgp, double vnngp, double swsgp) {
        return std::vector<Series>{one("sparse region", "svgp", "kl", svgp), one("sparse region", "vnngp", "kl", vnngp),
                                   one("sparse region", "swsgp-n", "kl", swsgp), one("everywhere", "swsgp-n", "kl", swsgp / 2)};
    };
    EXPECT_EQ(verdict("F4-b", distances(.1, .1, .5)), kHolds);
    EXPECT_EQ(verdict("F4-b", distances(.1, .4, .5)), kNot);
    EXPECT_EQ(verdict("F4-c", distances(.1, .4, .5)), kHolds);
    const auto means = [](double vnngp) {
        return std::vector<Series>{one("everywhere", "svgp", "rmse of the mean", .1), one("everywhere", "svgp", "sd of exact", 1),
                                   one("everywhere", "vnngp", "rmse of the mean", vnngp), one("everywhere", "vnngp", "sd of exact", 1)};
    };
    EXPECT_EQ(verdict("F4-a", means(.2)), kHolds);
    EXPECT_EQ(verdict("F4-a", means(.8)), kNot);
}

TEST(Claims, FigureFive) {
    const auto bound = [](std::string panel, std::string series, double a, double b, double c) {
        return Series{std::move(panel), std::move(series), "negative elbo", {{.001, a}, {.1, b}, {1, c}}};
    };
    const Series exact = one("exact fit", "exact", "noise", .3);
    EXPECT_EQ(verdict("F5-a", {exact, bound("M = N", "svgp", 3, 2, 1)}), kHolds);
    EXPECT_EQ(verdict("F5-a", {exact, bound("M = N", "svgp", 3, 1, 2)}), kNot);
    EXPECT_EQ(verdict("F5-b", {exact, bound("M = N", "vnngp", 3, 1, 2), bound("M = N", "swsgp", 1, 2, 3)}), kHolds);
    EXPECT_EQ(verdict("F5-b", {exact, bound("M = N", "vnngp", 3, 2, 1), bound("M = N", "swsgp", 1, 2, 3)}), kNot);
    EXPECT_EQ(verdict("F5-c", {bound("M = N", "swsgp", 1, 2, 3)}), kHolds);
    EXPECT_EQ(verdict("F5-c", {bound("M = N", "swsgp", 2, 1, 3)}), kNot);
    EXPECT_EQ(verdict("F5-d", {bound("M = N", "vnngp", 2, 1, 3)}), kHolds);
    EXPECT_EQ(verdict("F5-d", {bound("M = N", "vnngp", 1, 2, 3)}), kNot);
    EXPECT_EQ(verdict("F5-e", {bound("M = N", "vnngp", 2, 1, 3), {"M = N", "vnngp", "nll", {{.001, 2}, {.1, 1}, {1, 3}}}}), kHolds);
    EXPECT_EQ(verdict("F5-e", {bound("M = N", "vnngp", 2, 1, 3), {"M = N", "vnngp", "nll", {{.001, 3}, {.1, 2}, {1, 1}}}}), kNot);
    EXPECT_EQ(verdict("F5-f", {bound("M = N", "swsgp", 1, 2, 3), {"M = N", "swsgp", "nll", {{.001, 9}, {.1, 1}, {1, 3}}}}), kHolds);
    EXPECT_EQ(verdict("F5-f", {bound("M = N", "swsgp", 2, 1, 3), {"M = N", "swsgp", "nll", {{.001, 9}, {.1, 1}, {1, 3}}}}), kNot);
    EXPECT_EQ(verdict("F5-g", {bound("M = 1,024", "swsgp", 2, 1, 3)}), kHolds);
    EXPECT_EQ(verdict("F5-g", {bound("M = 1,024", "swsgp", 2, 1, 3), bound("M = 8,192", "swsgp", 1, 2, 3)}), kNot);
    EXPECT_EQ(verdict("F5-g", {bound("M = N", "swsgp", 2, 1, 3)}), kUntested);
    EXPECT_EQ(verdict("F5-h", {bound("M = N", "vnngp", 2, 1, 3), bound("M = 1,024", "vnngp", 2, 1, 3)}), kHolds);
    EXPECT_EQ(verdict("F5-h", {bound("M = N", "vnngp", 2, 1, 3), bound("M = 1,024", "vnngp", 1, 2, 3)}), kNot);
}

Series decaying(const std::string& method, double rate) {
    Series found{"bike", method, "loss", {}};
    for (int i = 1; i <= 100; ++i) found.points.emplace_back(i, std::exp(-rate * i));
    return found;
}

TEST(Claims, FigureSix) {
    EXPECT_EQ(verdict("F6-a", {decaying("svgp", .1), decaying("vnngp", .2)}), kHolds);
    EXPECT_EQ(verdict("F6-a", {decaying("svgp", .1), decaying("vnngp", .001)}), kNot);
    EXPECT_EQ(verdict("F6-b", {decaying("svgp", .1), decaying("vnngp", .08)}), kHolds);
    EXPECT_EQ(verdict("F6-b", {decaying("svgp", .2), decaying("vnngp", .02)}), kNot);
    EXPECT_EQ(verdict("F6-b", {decaying("svgp", .2)}), kUntested);
}

TEST(Claims, Tables) {
    const auto nll = [](std::string set, std::string method, double value) { return one(std::move(set), std::move(method), "nll", value); };
    const Series refused_exact = one("covtype", "exact", "refused", 1), vnngp = nll("covtype", "vnngp", .1);
    EXPECT_EQ(verdict("T1-a", {refused_exact, vnngp}), kHolds);
    EXPECT_EQ(verdict("T1-a", {nll("covtype", "exact", .2), vnngp}), kNot);
    EXPECT_EQ(verdict("T1-a", {vnngp}), kUntested);
    const std::vector<Series> two{nll("pol", "vnngp", -1), nll("pol", "swsgp-n", 5), nll("bike", "vnngp", 0), nll("bike", "swsgp-n", .1),
                                  nll("bike", "svgp", -1)};
    EXPECT_EQ(verdict("T1-b", two), kHolds);
    EXPECT_EQ(verdict("T1-c", two), kHolds);
    EXPECT_EQ(verdict("T1-c", {nll("pol", "vnngp", -1), nll("pol", "swsgp-n", -.9)}), kNot);
    EXPECT_EQ(verdict("T1-d", two), kUntested);
    EXPECT_EQ(verdict("T1-d", {nll("pol", "vnngp", -1), nll("pol", "swsgp-m", -.5)}), kHolds);
    EXPECT_EQ(verdict("T1-d", {nll("pol", "vnngp", -1), nll("pol", "swsgp-m", 3)}), kNot);
    EXPECT_EQ(verdict("T1-e", two), kHolds);
    EXPECT_EQ(verdict("T1-f", two), kUntested);
    EXPECT_EQ(verdict("T1-f", {nll("etopo5_1m", "vnngp", 0), nll("etopo5_1m", "svgp", 1)}), kHolds);
    EXPECT_EQ(verdict("T1-f", {nll("etopo5_1m", "vnngp", 1), nll("etopo5_1m", "svgp", 0)}), kNot);
    EXPECT_EQ(verdict("T1-g", two), kNot);  // one of two is not most
    EXPECT_EQ(verdict("T1-h", {nll("pol", "exact", 0), nll("pol", "vnngp", -1)}), kHolds);
    EXPECT_EQ(verdict("T1-h", {nll("pol", "exact", -2), nll("pol", "vnngp", -1)}), kNot);
    EXPECT_EQ(verdict("T1-x", {nll("pol", "vnngp-closed", -2), nll("pol", "vnngp", -1)}), kHolds);
    EXPECT_EQ(verdict("T2-a", {one("pol", "vnngp", "rmse", .105), one("pol", "exact", "rmse", .1)}), kHolds);
    EXPECT_EQ(verdict("T2-a", {one("pol", "vnngp", "rmse", .15), one("pol", "exact", "rmse", .1)}), kNot);
    EXPECT_EQ(verdict("T2-b", {one("pol", "vnngp", "rmse", .15), one("pol", "exact", "rmse", .1)}), kNot);
    EXPECT_EQ(verdict("T3-a", {two[0], two[1], one("pol", "swsgp-n", "noise", 1e-4)}), kHolds);
    EXPECT_EQ(verdict("T3-a", {two[0], two[1], one("pol", "swsgp-n", "noise", .1)}), kNot);
    EXPECT_EQ(verdict("T3-b", {one("pol", "swsgp-n", "noise", .01), one("pol", "vnngp", "noise", .1)}), kHolds);
    EXPECT_EQ(verdict("T3-c", {one("pol", "svgp", "noise", .01), one("pol", "vnngp", "noise", .1)}), kNot);
    EXPECT_EQ(verdict("T3-c", {one("pol", "svgp", "noise", .2), one("pol", "vnngp", "noise", .1)}), kHolds);
}

}  // namespace
}  // namespace vnngp::experiments
