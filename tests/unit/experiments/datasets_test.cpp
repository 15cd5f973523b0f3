#include "experiments/datasets.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "experiments/python_shuffle.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::experiments {
namespace {

// random.Random(seed).shuffle(list(range(12))) of Python 3.
TEST(PythonShuffle, IsPythons) {
    EXPECT_THAT(python_shuffle(12, 0), testing::ElementsAre(1, 9, 8, 5, 10, 2, 3, 7, 4, 0, 11, 6));
    EXPECT_THAT(python_shuffle(12, 1), testing::ElementsAre(7, 11, 0, 8, 5, 6, 3, 10, 4, 1, 9, 2));
    EXPECT_THAT(python_shuffle(12, (std::uint64_t{1} << 40) + 3), testing::ElementsAre(10, 7, 2, 6, 9, 11, 5, 4, 1, 8, 0, 3));
    const auto order = python_shuffle(2000, 3);  // more numbers than the generator's state holds
    EXPECT_THAT(std::vector(order.begin(), order.begin() + 6), testing::ElementsAre(1006, 619, 20, 1132, 1584, 741));
    EXPECT_THAT(std::vector(order.end() - 6, order.end()), testing::ElementsAre(1875, 757, 267, 1114, 1213, 487));
}

DataSet counted(Index rows) {
    DataSet data{Points(rows, 1), Vector(rows)};
    for (Index i = 0; i < rows; ++i) data.inputs(i, 0) = data.targets[i] = i;
    return data;
}

TEST(Split, HasEveryRowOnceIn64And16And20Percent) {
    const Parts parts = split(counted(1000), 5);
    EXPECT_EQ(parts.train.targets.size(), 640);
    EXPECT_EQ(parts.validation.targets.size(), 160);
    EXPECT_EQ(parts.test.targets.size(), 200);
    std::vector<int> seen(1000, 0);
    for (const DataSet* part : {&parts.train, &parts.validation, &parts.test})
        for (Eigen::Index i = 0; i < part->targets.size(); ++i) {
            ++seen[static_cast<std::size_t>(part->targets[i])];
            EXPECT_EQ(part->inputs(i, 0), part->targets[i]);
        }
    EXPECT_THAT(seen, testing::Each(1));
    EXPECT_EQ(parts.train.targets[0], python_shuffle(1000, 5)[0]);
}

TEST(Split, OfFewerRowsTakesTheFirstOfTheSameOrder) {
    const Parts few = split(counted(1000), 5, 100);
    EXPECT_EQ(few.train.targets.size(), 64);
    EXPECT_EQ(few.test.targets.size(), 20);
    EXPECT_EQ(few.test.targets[19], python_shuffle(1000, 5)[99]);
}

TEST(DataSets, SimulatedOnesAreThereButForThoseOnlyTheUserHas) {
    const DataSource source{.simulate = true};
    EXPECT_TRUE(available(source, set_info("pol")));
    EXPECT_TRUE(available(source, set_info("london_housing")));
    EXPECT_FALSE(available(source, set_info("ukhousing")));
    const DataSet classes = load(source, set_info("covtype"), {});
    for (const double y : classes.targets) EXPECT_TRUE(y == 0.0 || y == 1.0);
}

TEST(DataSets, TheUsersOwnFileHasItsTargetInTheLastColumn) {
    const auto folder = std::filesystem::temp_directory_path() / "vnngp-datasets-test";
    std::filesystem::create_directories(folder);
    {
        std::ofstream stream(folder / "ukhousing.csv");
        stream << "a,b,price\n";
        for (int i = 0; i < 20; ++i) stream << i << ',' << 2 * i << ',' << 3 * i << '\n';
    }
    const DataSource source{.folder = folder};
    EXPECT_TRUE(available(source, set_info("ukhousing")));
    EXPECT_FALSE(available(source, set_info("3droad")));
    const DataSet data = load(source, set_info("ukhousing"), {});
    EXPECT_EQ(data.inputs.cols(), 2);
    EXPECT_EQ(data.targets[5], 15.0);
    EXPECT_THROW(load(source, set_info("pol"), {}), InputError);
    std::filesystem::remove_all(folder);
    EXPECT_THROW(check_source(source), InputError);
}

TEST(DataSets, AMisspeltNameIsSuggested) {
    try {
        set_info("elevator");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'elevators'"));
    }
}

TEST(DataSets, TheSmallerRowLimitHolds) {
    EXPECT_EQ(row_limit({}, set_info("pol")), 0);
    EXPECT_EQ(row_limit({.rows_at_most = 1000}, set_info("pol")), 1000);
    EXPECT_EQ(row_limit({.rows_at_most = 1000}, set_info("london_housing")), 1000);
    EXPECT_EQ(training_rows(row_limit({}, set_info("london_housing"))), 116000);
}

}  // namespace
}  // namespace vnngp::experiments
