#include "data/csv_pieces.hpp"

#include <gtest/gtest.h>

#include "vnngp/base/random.hpp"

namespace vnngp::data {
namespace {

TEST(CsvPieces, CoverEverythingUpToTheLastLineEndAndAreCutBehindLineEnds) {
    RandomStream stream(1, StreamPurpose::test);
    for (int round = 0; round < 500; ++round) {
        std::string text;
        for (std::uint64_t n = stream.below(60); n > 0; --n) text += "ab,\n\r"[stream.below(5)];
        const std::size_t size = 1 + stream.below(20);
        std::string joined;
        for (const std::string_view piece : cut_at_line_ends(text, size)) {
            ASSERT_EQ(piece.back(), '\n');
            ASSERT_TRUE(piece.size() < size || piece.find('\n', size - 1) + 1 == piece.size());
            joined += piece;
        }
        ASSERT_EQ(joined, text.substr(0, text.rfind('\n') + 1));
    }
}

TEST(CsvPieces, RowsEndWhereTheFirstOneIsNotPlain) {
    const std::string text = "1,2\n3,\n4,\"5\"\n6,7\n";
    const PlainRows rows = plain_rows(text, CsvDialect(','), {.selected = {1, 0}, .wanted = {1, 1}, .keep_raw_rows = true});
    EXPECT_EQ(rows.count, 2);
    EXPECT_EQ(rows.bytes, text.find('4'));
    EXPECT_EQ(rows.columns[1], (std::vector<double>{1.0, 3.0}));
    EXPECT_EQ(rows.raw_rows, (std::vector<std::string>{"1,2", "3,"}));
}

}  // namespace
}  // namespace vnngp::data
