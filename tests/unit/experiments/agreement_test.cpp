#include "experiments/agreement.hpp"

#include <gmock/gmock.h>

namespace vnngp::experiments {
namespace {

using testing::HasSubstr;

Results of(std::initializer_list<Value> values) {
    Results results;
    for (const Value& value : values) results.add(value);
    return results;
}

TEST(Agreement, SetsAreNearOrOnOneSide) {
    const Results results = of({{"pol", "svgp", "nll", 0, -0.933},
                                {"elevators", "svgp", "nll", 0, 0.398},
                                {"kin40k", "svgp", "nll", 0, -0.360},
                                {"kin40k", "svgp", "nll", 1, -0.380},
                                {"covtype", "svgp", "nll", 0, 0.334}});
    EXPECT_THAT(agreement_text(results, "nll"),
                HasSubstr("| SVGP | 2: Elevators -.019, Kin40K +.029 | 1: PoleTele -.225 | 1: Covtype +.100 |"));
}

TEST(Agreement, WhatIsNearDependsOnTheQuantity) {
    const auto text = [](const char* quantity, double value) {
        return agreement_text(of({{"protein", "svgp", quantity, 0, value}}), quantity);
    };
    EXPECT_THAT(text("rmse", 0.633 * 1.09), HasSubstr("| SVGP | 1: Protein"));
    EXPECT_THAT(text("rmse", 0.633 * 1.11), HasSubstr("| SVGP | — | — | 1: Protein"));
    EXPECT_THAT(text("noise", 0.417 * 1.2), HasSubstr("| SVGP | 1: Protein"));
    EXPECT_THAT(text("noise", 0.417 * 0.7), HasSubstr("| SVGP | — | 1: Protein"));
    EXPECT_THAT(agreement_text(of({{"bike", "vnngp", "noise", 0, 0.005}}), "noise"), HasSubstr("| VNNGP | 1: Bike +.004"));
}

TEST(Agreement, OursIsComparedWithTheBestColumn) {
    const Results results = of({{"pol", "vnngp-closed", "nll", 0, -1.25}, {"keggdirected", "vnngp-closed", "nll", 0, -1.039}});
    EXPECT_THAT(agreement_text(results, "nll"), HasSubstr("the best of the paper's columns | 1: KEGG +.000 | 1: PoleTele -.090 | — |"));
    EXPECT_EQ(agreement_text(of({{"pol", "vnngp-closed", "noise", 0, 0.1}}), "noise"), "");
}

TEST(Agreement, NothingWhereThePaperHasNothing) {
    EXPECT_EQ(agreement_text({}, "nll"), "");
    EXPECT_EQ(agreement_text(of({{"london_housing", "svgp", "nll", 0, 1.2}}), "nll"), "");
    EXPECT_EQ(agreement_text(of({{"pol", "exact-ml", "nll", 0, 1.2}}), "nll"), "");
}

}  // namespace
}  // namespace vnngp::experiments
