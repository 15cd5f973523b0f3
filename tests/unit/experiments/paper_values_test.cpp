#include "experiments/paper_values.hpp"

#include <gtest/gtest.h>

#include "experiments/datasets.hpp"
#include "experiments/methods.hpp"

namespace vnngp::experiments {
namespace {

TEST(PaperValues, AFewAsPrinted) {
    EXPECT_EQ(paper_value("nll", "bike", "sggp")->mean, 53.364);
    EXPECT_EQ(paper_value("nll", "bike", "sggp")->error, 27.690);
    EXPECT_EQ(paper_value("nll", "3droad", "vnngp")->mean, -.048);
    EXPECT_EQ(paper_value("nll", "covtype", "swsgp-n")->mean, .069);
    EXPECT_EQ(paper_value("rmse", "ukhousing", "svgp")->mean, .582);
    EXPECT_EQ(paper_value("rmse", "keggundirected", "swsgp-n")->mean, .116);
    EXPECT_EQ(paper_value("noise", "protein", "svgp")->mean, .417);
    EXPECT_EQ(paper_value("noise", "ukhousing", "exact")->mean, .280);
    EXPECT_EQ(paper_value("noise", "ukhousing", "exact-quick")->mean, .280) << "two readings of one column";
}

TEST(PaperValues, NothingWhereThePaperHasADash) {
    EXPECT_FALSE(paper_value("nll", "precipitation", "exact"));
    EXPECT_FALSE(paper_value("nll", "covtype", "sggp"));
    EXPECT_FALSE(paper_value("nll", "london_housing", "vnngp"));
    EXPECT_FALSE(paper_value("nll", "pol", "vnngp-closed"));
    EXPECT_FALSE(paper_value("crps", "pol", "vnngp"));
}

// The smallest of a row is bold, and so is what cannot be told from it by three standard errors of both.
TEST(PaperValues, BoldEntriesAreMinimal) {
    int rows = 0;
    for (const char* quantity : {"nll", "rmse"})
        for (const SetInfo& set : all_sets()) {
            std::optional<PaperValue> smallest;
            for (const MethodInfo& method : all_methods())
                if (const auto value = paper_value(quantity, set.key, method.key); value && (!smallest || value->mean < smallest->mean))
                    smallest = value;
            if (!smallest) continue;
            ++rows;
            EXPECT_TRUE(smallest->bold) << quantity << ' ' << set.key;
            for (const MethodInfo& method : all_methods()) {
                const auto value = paper_value(quantity, set.key, method.key);
                if (!value || !value->bold) continue;
                EXPECT_LE(value->mean, smallest->mean + 3 * (value->error + smallest->error) + 1e-3)
                    << quantity << ' ' << set.key << ' ' << method.key;
            }
        }
    EXPECT_EQ(rows, 22);
}

}  // namespace
}  // namespace vnngp::experiments
