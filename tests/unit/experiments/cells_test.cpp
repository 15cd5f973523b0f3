#include "experiments/cells.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "experiments/cell_store.hpp"
#include "experiments/runner.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::experiments {
namespace {

class Cells : public testing::Test {
protected:
    void SetUp() override { std::filesystem::remove_all(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cells")) found.push_back(entry.path());
        return found;
    }
    Runner runner() {
        return Runner({.source = {.simulate = true}, .out = folder_, .quick = true, .seeds = 1}, {.threads = 1},
                      [this](const Cell&, const Outcome&, std::size_t, std::size_t) { ++runs_; });
    }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("vnngp-cells-test-" + std::to_string(::getpid()));  // tests run side by side
    Cell cell_{.set = "pol", .simulated = true, .method = "vnngp", .setting = {8, 0, 3, 0.05}};
    int runs_ = 0;
};

Outcome outcome_with_everything() {
    return {
        .nll = 0.1 + 0.2,
        .rmse = 0.5,
        .coverage = NAN,
        .validation_nll = -1.25,
        .noise = 1e-17,
        .elbo = -123.456,
        .seconds = 2.5,
        .training_rows = 100,
        .iterations = 300,
        .trace = {-3.0, NAN, -1.0},
        .hyper =
            inference::Hyperparameters{.shape = {0.1, 1.0 / 3.0}, .outputscale = 2.0, .nugget = 0.01, .mean = -0.5, .likelihood = {0.07}},
        .chosen = "rbf, K = 32"};
}

TEST_F(Cells, WhatIsSavedIsFoundToTheLastBit) {
    const CellStore store(folder_ / "cells");
    EXPECT_FALSE(store.find(cell_));
    const Outcome outcome = outcome_with_everything();
    store.save(cell_, outcome);
    const auto found = store.find(cell_);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->nll, outcome.nll);
    EXPECT_TRUE(std::isnan(found->coverage));
    EXPECT_EQ(found->noise, outcome.noise);
    EXPECT_EQ(found->trace.size(), 3u);
    EXPECT_TRUE(std::isnan(found->trace[1]));
    EXPECT_EQ(found->hyper->shape, outcome.hyper->shape);
    EXPECT_EQ(found->chosen, outcome.chosen);
    EXPECT_EQ(files().size(), 1u);  // nothing temporary is left
}

TEST_F(Cells, ARowLimitThatTheSetDoesNotReachIsNone) {
    const auto rows = [&](Index limit) {
        Runner run({.source = {.simulate = true, .rows_at_most = limit}, .out = folder_, .quick = true}, {.threads = 1}, {});
        const Index training = run.training_rows(set_info("pol"));
        EXPECT_EQ(training, training_rows(std::min<Index>(limit > 0 ? limit : 600, 600))) << limit;
        return run.cell(set_info("pol"), method_info("vnngp"), 0, {}).rows;
    };
    EXPECT_EQ(rows(0), 0);
    EXPECT_EQ(rows(599), 599);
    EXPECT_EQ(rows(600), 0);
    EXPECT_EQ(rows(100000), 0);
}

TEST_F(Cells, SettingsOfFinishedCellsAreFoundWhateverTheyAre) {
    const CellStore store(folder_ / "cells");
    EXPECT_TRUE(store.settings_like(cell_).empty());  // no folder yet
    const auto saved = [&](auto change, Outcome::Status status = Outcome::Status::done) {
        Cell other = cell_;
        change(other);
        Outcome outcome = outcome_with_everything();
        outcome.status = status;
        store.save(other, outcome);
        return other.setting;
    };
    const std::vector<Setting> expected{saved([](Cell& c) { c.setting.epochs = 7; }), saved([](Cell& c) { c.setting = {8, 0, 7, 0.001}; })};
    saved([](Cell& c) { c.seed = 1; });
    saved([](Cell& c) { c.seed = 10; });
    saved([](Cell& c) { c.method = "vnngp-m"; });
    saved([](Cell& c) { c.rows = 500; });
    saved([](Cell& c) {
        c.setting.epochs = 8;
        c.input_scale = data::Scale::range;
    });
    saved([](Cell& c) { c.setting.epochs = 9; }, Outcome::Status::failed);
    saved([](Cell& c) {
        c.setting.epochs = 11;
        c.fixed = inference::Hyperparameters{.shape = {1.0}, .likelihood = {0.1}};
    });
    std::ofstream(folder_ / "cells" / (cell_name(cell_) + "-damaged.json")) << "{";
    const auto found = store.settings_like(cell_);
    for (const Setting& setting : expected) EXPECT_EQ(std::count(found.begin(), found.end(), setting), 1) << setting_text(setting);
    EXPECT_EQ(found.size(), expected.size());
}

TEST_F(Cells, EpochsOfTheUserReplaceTheGrids) {
    Runner runner({.out = folder_, .grid = Grid::published, .epochs = 5}, {.threads = 1}, {});
    const auto settings = runner.settings(method_info("vnngp"), 10000, Grid::published);
    EXPECT_EQ(settings.size(), 4u);  // two K, two rates
    for (const Setting& setting : settings) EXPECT_EQ(setting.epochs, 5);
    EXPECT_EQ(runner.settings(method_info("vnngp-closed"), 10000, Grid::single).front().epochs, 0);
}

TEST_F(Cells, TheNameTellsCellsApart) {
    std::vector<std::string> names{cell_name(cell_)};
    const auto changed = [&](auto change) {
        Cell other = cell_;
        change(other);
        names.push_back(cell_name(other));
    };
    changed([](Cell& c) { c.set = "bike"; });
    changed([](Cell& c) { c.simulated = false; });
    changed([](Cell& c) { c.rows = 10; });
    changed([](Cell& c) { c.method = "svgp"; });
    changed([](Cell& c) { c.seed = 1; });
    changed([](Cell& c) { c.input_scale = data::Scale::range; });
    changed([](Cell& c) { c.setting.neighbors = 9; });
    changed([](Cell& c) { c.setting.inducing = 9; });
    changed([](Cell& c) { c.setting.learning_rate = 0.1; });
    changed([](Cell& c) { c.fixed = inference::Hyperparameters{.shape = {}, .likelihood = {0.1}}; });
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST_F(Cells, AFileOfAnotherCellDoesNotCount) {
    const CellStore store(folder_ / "cells");
    Cell fixed = cell_;
    fixed.fixed = inference::Hyperparameters{.shape = {1.0}, .likelihood = {0.1}};
    store.save(fixed, outcome_with_everything());
    EXPECT_TRUE(store.find(fixed));
    fixed.fixed->shape = {2.0};  // the same name
    EXPECT_FALSE(store.find(fixed));
}

TEST_F(Cells, DamagedFilesAreAsGoodAsNone) {
    const CellStore store(folder_ / "cells");
    store.save(cell_, outcome_with_everything());
    for (const char* text : {"", "{", "{}", "[1, 2]", R"({"cell": 3, "outcome": {}})"}) {
        std::ofstream(store.path_of(cell_)) << text;
        EXPECT_FALSE(store.find(cell_)) << text;
    }
}

TEST_F(Cells, FinishedCellsAreSkippedAndDamagedOnesRunAgain) {
    const Outcome first = runner().run({cell_}).front();
    ASSERT_TRUE(first.done()) << first.message;
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(runner().run({cell_, cell_}).back().nll, first.nll);
    EXPECT_EQ(runs_, 1);
    std::ofstream(files().front()) << "{";
    EXPECT_EQ(runner().run({cell_}).front().nll, first.nll);
    EXPECT_EQ(runs_, 2);
}

TEST_F(Cells, OneThatFailsIsRecordedTriedAgainAndDoesNotStopTheOthers) {
    Cell bad = cell_;
    bad.setting.learning_rate = 5.0;  // refused by fit
    for (int round = 1; round <= 2; ++round) {
        Runner run = runner();
        const auto outcomes = run.run({bad, cell_});
        EXPECT_EQ(outcomes[0].status, Outcome::Status::failed);
        EXPECT_THAT(outcomes[0].message, testing::HasSubstr("learning-rate"));
        EXPECT_TRUE(outcomes[1].done());
        EXPECT_EQ(run.failed(), 1u);
        EXPECT_EQ(run.finished(), 1u);
        EXPECT_EQ(CellStore(folder_ / "cells").find(bad)->status, Outcome::Status::failed);
    }
    EXPECT_EQ(runs_, 3);  // the bad one twice
}

TEST_F(Cells, WhatAMethodCannotDoIsRefusedWithoutARun) {
    Cell refused = cell_;
    refused.set = "covtype";
    refused.method = "exact";
    refused.setting = {};
    const Outcome outcome = runner().run({refused}).front();
    EXPECT_EQ(outcome.status, Outcome::Status::refused);
    EXPECT_THAT(outcome.message, testing::HasSubstr("bernoulli"));
    EXPECT_THAT(refusal(method_info("exact"), set_info("kin40k"), 40000), testing::HasSubstr("40000 training rows"));
    EXPECT_EQ(refusal(method_info("exact"), set_info("kin40k"), 25600), "");
    EXPECT_EQ(refusal(method_info("svgp"), set_info("covtype"), 400000), "");
}

TEST_F(Cells, QuickVariancesAreTooLargeAndLeaveTheMeanAlone) {
    Cell exact = cell_, quick = cell_;
    exact.method = "exact";
    exact.input_scale = data::Scale::range;
    quick.method = "exact-quick";
    exact.setting = quick.setting = {.epochs = 30, .learning_rate = 0.05};
    const auto outcomes = runner().run({exact, quick});
    ASSERT_TRUE(outcomes[0].done() && outcomes[1].done()) << outcomes[0].message << outcomes[1].message;
    EXPECT_EQ(outcomes[1].hyper->mean, 0.0);
    EXPECT_GE(outcomes[1].coverage, outcomes[0].coverage);
    EXPECT_NE(outcomes[1].nll, outcomes[0].nll);
    EXPECT_NEAR(outcomes[1].rmse, outcomes[0].rmse, 0.02) << "but for the prior mean the same fit";
    EXPECT_NE(outcomes[0].chosen.find("Lanczos steps"), std::string::npos) << outcomes[0].chosen;
    EXPECT_NE(outcomes[1].chosen.find("exact variances"), std::string::npos) << "each says what the other variances have";
}

TEST_F(Cells, AnInterruptedRunLeavesNoCellBehind) {
    const std::atomic<bool> stop{true};
    Runner run({.source = {.simulate = true}, .out = folder_, .quick = true}, {.stop = &stop}, {});
    EXPECT_THROW(run.run({cell_}), Interrupted);
    EXPECT_FALSE(CellStore(folder_ / "cells").find(cell_));
}

TEST(BestByValidation, IgnoresTheTestScoreAndWhatFailed) {
    std::vector<Outcome> outcomes(4);
    outcomes[0].validation_nll = 1.0;
    outcomes[1].validation_nll = 0.5;
    outcomes[1].nll = 9.0;
    outcomes[2].validation_nll = -7.0;
    outcomes[2].status = Outcome::Status::failed;
    outcomes[3].validation_nll = NAN;
    EXPECT_EQ(best_by_validation(outcomes), &outcomes[1]);
    EXPECT_EQ(best_by_validation({}), nullptr);
}

}  // namespace
}  // namespace vnngp::experiments
