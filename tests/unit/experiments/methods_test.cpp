#include "experiments/methods.hpp"

#include <gmock/gmock.h>

#include "vnngp/base/error.hpp"

namespace vnngp::experiments {
namespace {

TEST(Methods, OptionsOfEveryMethodAreValid) {
    for (const MethodInfo& method : all_methods())
        for (const bool quick : {false, true})
            for (const Setting& setting : settings_of(method, 10000, Grid::published, quick))
                EXPECT_NO_THROW(validate(fit_options(method, setting, "gaussian"))) << method.key;
}

TEST(Methods, PublishedGridHasThePapersSettings) {
    EXPECT_EQ(settings_of(method_info("vnngp"), 10000, Grid::published, false).size(), 8u);     // 2 K x 2 epochs x 2 rates
    EXPECT_EQ(settings_of(method_info("swsgp-m"), 10000, Grid::published, false).size(), 32u);  // x 4 M
    EXPECT_EQ(settings_of(method_info("svgp"), 10000, Grid::published, false).size(), 4u);
    EXPECT_EQ(settings_of(method_info("swsgp-m"), 5000, Grid::published, false).size(), 24u);  // M < N
    EXPECT_EQ(settings_of(method_info("vnngp"), 10000, Grid::wide, false).size(), 2u);
    EXPECT_EQ(settings_of(method_info("exact-ml"), 10000, Grid::published, false).size(), 1u);
}

TEST(Methods, SingleGridIsPartOfThePublishedOne) {
    for (const MethodInfo& method : all_methods())
        for (const Index rows : {10000, 100000}) {
            const auto single = settings_of(method, rows, Grid::single, false), all = settings_of(method, rows, Grid::published, false);
            ASSERT_EQ(single.size(), 1u);
            EXPECT_THAT(all, testing::Contains(single.front())) << method.key;
        }
}

TEST(Methods, LargeSetsTrainForFewerEpochsWithSmallerSteps) {
    EXPECT_EQ(settings_of(method_info("vnngp"), 49999, Grid::single, false).front(), (Setting{32, 0, 300, 0.01}));
    EXPECT_EQ(settings_of(method_info("vnngp"), 50000, Grid::single, false).front(), (Setting{32, 0, 100, 0.005}));
}

TEST(Methods, OurOwnColumnIsTheDefault) {
    const FitOptions ours = fit_options(method_info("vnngp-closed"), {}, "student-t"), defaults;
    EXPECT_EQ(ours.neighbors, 0);
    EXPECT_EQ(ours.kernel, defaults.kernel);
    EXPECT_EQ(ours.inference, defaults.inference);
    EXPECT_EQ(ours.likelihood, "student-t");
}

TEST(Methods, TheExactProcessHasTwoReadingsOfThePapersTraining) {
    const Setting setting{.epochs = 500, .learning_rate = 0.01};
    const FitOptions exact = fit_options(method_info("exact"), setting, "gaussian"),
                     quick = fit_options(method_info("exact-quick"), setting, "gaussian"),
                     converged = fit_options(method_info("exact-ml"), {}, "gaussian");
    EXPECT_EQ(exact.inference, Inference::stochastic);
    EXPECT_EQ(quick.inference, Inference::stochastic);
    EXPECT_NE(converged.inference, Inference::stochastic);
    EXPECT_EQ(exact.input_scale, data::Scale::deviation);
    EXPECT_EQ(quick.input_scale, data::Scale::range);
    EXPECT_EQ(exact.mean.kind, MeanOption::Kind::constant);
    EXPECT_EQ(quick.mean.kind, MeanOption::Kind::zero);
    EXPECT_EQ(quick.epochs, 500);
}

TEST(Methods, AMisspeltNameIsSuggested) { EXPECT_THROW(method_info("vngp"), InputError); }

}  // namespace
}  // namespace vnngp::experiments
