#include "vnngp/data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/data/scratch.hpp"
#include "vnngp/base/error.hpp"

namespace vnngp::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Table small_table() {
    return {.source = "field.csv",
            .names = {"lon", "lat", "y"},
            .columns = {{1, 2, kMissing, 4}, {10, 20, 30, 40}, {kMissing, 0.2, 0.3, 0.4}},
            .line_numbers = {2, 3, 5, 6},
            .raw_rows = {"a", "b", "c", "d"}};
}

std::string complaint(const std::vector<std::string>& names, const std::string& wanted) {
    return message_of<InputError>([&] { column_index("field.csv", names, wanted); });
}

TEST(Table, FindsColumnsByTheirExactName) {
    const Table table = small_table();
    for (std::size_t i = 0; i < table.names.size(); ++i) EXPECT_EQ(column_index(table, table.names[i]), i);
}

TEST(Table, SuggestsTheNearestNameAndListsTheOthers) {
    const std::vector<std::string> names{"lon", "lat", "temperature", "y"};
    EXPECT_THAT(complaint(names, "latt"), AllOf(HasSubstr("field.csv"), HasSubstr("'latt'"), HasSubstr("did you mean 'lat'?"),
                                                HasSubstr("lon, lat, temperature, y")));
    EXPECT_THAT(complaint(names, "LAT"), HasSubstr("did you mean 'lat'?"));
    EXPECT_THAT(complaint(names, "tempreature"), HasSubstr("did you mean 'temperature'?"));
    EXPECT_THAT(complaint(names, "temp"), HasSubstr("did you mean 'temperature'?"));
    EXPECT_THAT(complaint(names, "latitude"), HasSubstr("did you mean 'lat'?"));
    EXPECT_THAT(complaint(names, "pressure"), Not(HasSubstr("did you mean")));
}

TEST(Table, ListsOnlyTheFirstOfManyNames) {
    std::vector<std::string> names;
    for (int i = 0; i < 500; ++i) names.push_back("column" + std::to_string(i));
    EXPECT_THAT(complaint(names, "q"), AllOf(HasSubstr("column11, ... (500 in all)"), Not(HasSubstr("column12"))));
}

TEST(Table, RequireRowsCounts) {
    const Table table = small_table();
    EXPECT_NO_THROW(require_rows(table, 4));
    EXPECT_THAT(message_of<InputError>([&] { require_rows(table, 5); }), AllOf(HasSubstr("field.csv"), HasSubstr("4"), HasSubstr("5")));
    EXPECT_THAT(message_of<InputError>([&] { require_rows(Table{.source = "empty.csv"}); }),
                AllOf(HasSubstr("empty.csv"), HasSubstr("no data rows")));
}

TEST(Table, RequireCompleteNamesTheFirstGap) {
    const Table table = small_table();
    EXPECT_NO_THROW(require_complete(table, {"lat"}));
    EXPECT_THAT(message_of<InputError>([&] {
                    require_complete(table, {"lat", "lon"});
                }),
                AllOf(HasSubstr("field.csv, line 5"), HasSubstr("'lon'"), HasSubstr("--drop-missing")));
    EXPECT_THAT(message_of<InputError>([&] { require_complete(table, {"lon", "y"}); }), AllOf(HasSubstr("line 2"), HasSubstr("'y'")));
}

TEST(Table, DropsExactlyTheIncompleteRows) {
    Table table = small_table();
    EXPECT_EQ(drop_rows_with_missing(table, {"lat"}), 0);
    EXPECT_EQ(table.rows(), 4);
    EXPECT_EQ(drop_rows_with_missing(table, {"lat", "lon"}), 1);
    EXPECT_THAT(table.columns[0], ElementsAre(1, 2, 4));
    EXPECT_THAT(table.columns[1], ElementsAre(10, 20, 40));
    EXPECT_THAT(table.line_numbers, ElementsAre(2, 3, 6));
    EXPECT_THAT(table.raw_rows, ElementsAre("a", "b", "d"));
    EXPECT_EQ(drop_rows_with_missing(table, {"y"}), 1);
    EXPECT_NO_THROW(require_complete(table, table.names));
    EXPECT_THAT(table.raw_rows, ElementsAre("b", "d"));
}

TEST(Table, PointsHoldTheColumnsInTheOrderNamed) {
    const Table table = small_table();
    const Points points = points_of(table, {"y", "lat"});
    ASSERT_EQ(points.rows(), 4);
    ASSERT_EQ(points.cols(), 2);
    EXPECT_EQ(points(3, 0), 0.4);
    EXPECT_EQ(points(0, 1), 10);
    EXPECT_EQ(values_of(table, "lat"), Vector(points.col(1)));
    EXPECT_THROW(values_of(table, "z"), InputError);
}

}  // namespace
}  // namespace vnngp::data
