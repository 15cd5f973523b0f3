#include "vnngp/data/csv_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/data/scratch.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/data/csv_writer.hpp"

namespace vnngp::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Table read_text(const std::string& content, const CsvReadOptions& options = {}) {
    const Scratch scratch;
    return read_csv(scratch.file("t.csv", content), options);
}

std::string complaint_about(const std::string& content, const CsvReadOptions& options = {}) {
    return message_of<InputError>([&] { read_text(content, options); });
}

TEST(CsvReader, ReadsNamesNumbersAndLineNumbers) {
    const Table table = read_text("x,y\n1,2\n\n3,4\n   \n-5e-1,+6\n");
    EXPECT_THAT(table.names, ElementsAre("x", "y"));
    EXPECT_THAT(table.columns[0], ElementsAre(1, 3, -0.5));
    EXPECT_THAT(table.columns[1], ElementsAre(2, 4, 6));
    EXPECT_THAT(table.line_numbers, ElementsAre(2, 4, 6));
    EXPECT_THAT(table.source, HasSubstr("t.csv"));
}

TEST(CsvReader, GivesTheSameTableForEveryLineEndAndSeparator) {
    for (const std::string line_end : {"\n", "\r\n", "\r"})
        for (const std::string separator : {",", ";", "\t"})
            for (const std::string start : {"", "\xEF\xBB\xBF", "\n\n", "\xEF\xBB\xBF\r\n  \r\n"})
                for (const bool closed : {true, false}) {
                    const Table table = read_text(start + "x" + separator + " \"the y\"" + line_end + "1" + separator + "\" 2 \"" +
                                                  line_end + " 3 " + separator + (closed ? line_end : ""));
                    EXPECT_THAT(table.names, ElementsAre("x", "the y"));
                    EXPECT_THAT(table.columns[0], ElementsAre(1, 3));
                    ASSERT_EQ(table.columns[1].size(), 2u);
                    EXPECT_EQ(table.columns[1][0], 2);
                    EXPECT_TRUE(is_missing(table.columns[1][1]));
                }
}

TEST(CsvReader, CountsLinesInsideQuotes) {
    const Table table = read_text("name,\"y\nunit\"\n\"a\nb\n\nc\",1\nd,2\n", {.columns = {"y\nunit"}});
    EXPECT_THAT(table.line_numbers, ElementsAre(3, 7));
}

TEST(CsvReader, ReadsOnlyTheWantedColumnsInTheOrderWanted) {
    const std::string content = "station,lon,lat,y\n\"Bern, main\",7.4,46.9,1\nZermatt,7.7,46.0,NA\n";
    const Table table = read_text(content, {.columns = {"y", "lon"}});
    EXPECT_THAT(table.names, ElementsAre("y", "lon"));
    EXPECT_THAT(table.columns[1], ElementsAre(7.4, 7.7));
    EXPECT_TRUE(is_missing(table.columns[0][1]));
    EXPECT_THAT(complaint_about(content), AllOf(HasSubstr("t.csv, line 2, column 'station'"), HasSubstr("'Bern, main' is not a number")));
    EXPECT_THAT(complaint_about(content, {.columns = {"lot"}}), AllOf(HasSubstr("'lot'"), HasSubstr("did you mean 'lon'?")));
}

TEST(CsvReader, NamesFileLineColumnAndTextOfABadNumber) {
    EXPECT_THAT(complaint_about("x,y\n1,2\n3,oops\n"), AllOf(HasSubstr("t.csv, line 3, column 'y'"), HasSubstr("'oops'")));
    EXPECT_THAT(complaint_about("x;y\n1,5;2\n"), AllOf(HasSubstr("'1,5'"), HasSubstr("point")));
    EXPECT_THAT(complaint_about("x\n" + std::string(5000, 'z') + "\n"), AllOf(HasSubstr("zzz..."), Not(HasSubstr(std::string(50, 'z')))));
    for (const std::string text : {"inf", "-Inf", "1e400"})
        EXPECT_THAT(complaint_about("x,y\n1," + text + "\n"),
                    AllOf(HasSubstr("line 2, column 'y'"), HasSubstr(text), HasSubstr("not a finite number")));
    EXPECT_EQ(read_text("x\n1e300\n").columns[0][0], 1e300);
}

TEST(CsvReader, RefusesRaggedRows) {
    EXPECT_THAT(complaint_about("x,y\n1,2\n1,2,3\n"), AllOf(HasSubstr("line 3"), HasSubstr("3 fields"), HasSubstr("header has 2")));
    EXPECT_THAT(complaint_about("x,y\n1\n"), AllOf(HasSubstr("line 2"), HasSubstr("1 field "), HasSubstr("header has 2")));
}

TEST(CsvReader, RefusesBrokenQuotes) {
    EXPECT_THAT(complaint_about("x,y\n1,2\n3,\"4\n5,6\n"), AllOf(HasSubstr("line 3"), HasSubstr("never closed")));
    EXPECT_THAT(complaint_about("x,y\n1,\"2\"3\n"), AllOf(HasSubstr("line 2"), HasSubstr("field 2"), HasSubstr("closing quote")));
}

TEST(CsvReader, HeaderOnlyIsATableWithoutRows) {
    for (const std::string content : {"x,y", "x,y\n", "x,y\r\n\r\n"}) {
        const Table table = read_text(content);
        EXPECT_THAT(table.names, ElementsAre("x", "y"));
        EXPECT_EQ(table.columns.size(), 2u);
        EXPECT_EQ(table.rows(), 0);
    }
}

TEST(CsvReader, RefusesUnusableHeaders) {
    for (const std::string content : {"", "\n\n", "\xEF\xBB\xBF", "  \r\n"}) EXPECT_THAT(complaint_about(content), HasSubstr("empty"));
    EXPECT_THAT(complaint_about("x,y,x,z,y\n"), AllOf(HasSubstr("'x' (columns 1 and 3)"), HasSubstr("'y' (columns 2 and 5)")));
    EXPECT_THAT(complaint_about("x,,z\n"), AllOf(HasSubstr("column 2 of 3"), HasSubstr("no name")));
    EXPECT_THAT(complaint_about(",x\n0,1\n"), HasSubstr("index=False"));
    EXPECT_THAT(complaint_about("1.5,2,3\n4,5,6\n"), HasSubstr("header"));
    EXPECT_THAT(read_text("0,1,2\n4,5,6\n").names, ElementsAre("0", "1", "2"));
}

TEST(CsvReader, RefusesBinaryAndForeignText) {
    using namespace std::string_literals;
    EXPECT_THAT(complaint_about("x,y\n1,\0\n"s), AllOf(HasSubstr("t.csv"), HasSubstr("NUL"), HasSubstr("position 6")));
    EXPECT_THAT(complaint_about("\x7f\x45LF\x01\n"), HasSubstr("not a text file"));
    EXPECT_THAT(complaint_about("\xFF\xFEx\0,\0"s), HasSubstr("UTF-16"));
}

TEST(CsvReader, RefusesWhatCannotBeOpened) {
    const Scratch scratch;
    EXPECT_THAT(message_of<InputError>([&] { read_csv(scratch.path("absent.csv")); }),
                AllOf(HasSubstr("absent.csv"), HasSubstr("No such file")));
    EXPECT_THAT(message_of<InputError>([&] { read_csv(scratch.path("")); }), HasSubstr("Is a directory"));
}

TEST(CsvReader, ReadsConcatenatedAndPaddedGzip) {
    const Scratch scratch;
    const auto compressed = [&](const std::string& name, const std::vector<std::string>& fields) {
        CsvWriter writer(scratch.path(name));
        writer.header(fields);
        writer.commit();
        return content_of(scratch.path(name));
    };
    const std::string first = compressed("a.gz", {"x", "y"}), second = compressed("b.gz", {"1", "2"});
    const auto path = scratch.file("both.csv", first + second + std::string(100, '\0'));
    EXPECT_THAT(read_csv(path).columns[1], ElementsAre(2));
    scratch.file("both.csv", first + second + "garbage");
    EXPECT_THAT(message_of<InputError>([&] { read_csv(path); }), HasSubstr("corrupt"));
}

TEST(CsvReader, RefusesTruncatedGzipAtEveryLength) {
    const Scratch scratch;
    CsvWriter writer(scratch.path("whole.gz"));
    writer.header({"x", "y"});
    for (int i = 0; i < 200; ++i) {
        writer.number(std::sin(i));
        writer.number(i);
        writer.end_row();
    }
    writer.commit();
    const std::string whole = content_of(scratch.path("whole.gz"));
    ASSERT_EQ(read_csv(scratch.path("whole.gz")).rows(), 200);
    for (std::size_t length = 2; length < whole.size(); length += length < whole.size() - 20 ? 37 : 1) {
        const auto path = scratch.file("cut.gz", whole.substr(0, length));
        ASSERT_THAT(message_of<InputError>([&] { read_csv(path); }), AllOf(HasSubstr("cut.gz"), HasSubstr("gzip data stop"))) << length;
    }
}

TEST(CsvReader, RefusesCorruptGzip) {
    const Scratch scratch;
    write_csv(scratch.path("whole.gz"), read_text("x,y\n1,2\n3,4\n5,6\n7,8\n"));
    const std::string whole = content_of(scratch.path("whole.gz"));
    for (std::size_t i = whole.size() - 8; i < whole.size(); ++i) {  // checksum and length
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        const auto path = scratch.file("bad.gz", damaged);
        EXPECT_THAT(message_of<InputError>([&] { read_csv(path); }), AllOf(HasSubstr("bad.gz"), HasSubstr("corrupt"))) << i;
    }
}

std::string numbered_rows(int count) {
    std::string content = "id,\"name, long\",value\n";
    for (int i = 0; i < count; ++i) content += fmt::format("{},\"row \"\"{}\"\"\", {:f}\n", i, i, i * 0.25);
    return content;
}

// Larger than the reader's buffer, so that records straddle its end.
TEST(CsvReader, BlocksConcatenateToTheWholeFile) {
    const int count = 40000;
    const Scratch scratch;
    const auto path = scratch.file("long.csv", numbered_rows(count));
    const CsvReadOptions options{.columns = {"value", "id"}};
    const Table whole = read_csv(path, options);
    ASSERT_EQ(whole.rows(), count);
    for (const std::int64_t block_rows : {1, 999, 40000, 1000000}) {
        CsvReader reader(path, options);
        std::int64_t done = 0;
        for (Table block = reader.next_block(block_rows); block.rows() > 0; block = reader.next_block(block_rows)) {
            ASSERT_LE(block.rows(), block_rows);
            for (std::size_t i = 0; i < static_cast<std::size_t>(block.rows()); ++i, ++done) {
                ASSERT_EQ(block.columns[0][i], 0.25 * static_cast<double>(done));
                ASSERT_EQ(block.columns[1][i], static_cast<double>(done));
                ASSERT_EQ(block.line_numbers[i], done + 2);
            }
        }
        EXPECT_EQ(done, count);
        EXPECT_EQ(reader.next_block(block_rows).rows(), 0);
        EXPECT_EQ(reader.bytes_consumed(), reader.bytes_total());
    }
}

TEST(CsvReader, RawRowsRebuildTheFile) {
    const Scratch scratch;
    const std::string content = numbered_rows(20000);
    CsvReader reader(scratch.file("long.csv", content), {.columns = {"id"}, .keep_raw_rows = true});
    std::string rebuilt = reader.raw_header() + "\n";
    for (Table block = reader.next_block(777); block.rows() > 0; block = reader.next_block(777))
        for (const std::string& row : block.raw_rows) rebuilt += row + "\n";
    EXPECT_EQ(rebuilt, content);
}

TEST(CsvReader, RawRowsSplitIntoFields) {
    const Table table = read_text("a;b;c\n 1 ;\"x \"\"y\"\"; z\";\n", {.columns = {"a"}, .keep_raw_rows = true});
    EXPECT_EQ(table.raw_rows[0], " 1 ;\"x \"\"y\"\"; z\";");
    EXPECT_THAT(raw_row_fields(table.raw_rows[0], ';'), ElementsAre("1", "x \"y\"; z", ""));
}

TEST(CsvReader, ColumnsCanBeChosenAfterTheHeaderIsKnown) {
    const Scratch scratch;
    const auto path = scratch.file("t.csv", "name,x,y\nab,1,2\n");
    EXPECT_THAT(read_csv_header(path), ElementsAre("name", "x", "y"));
    CsvReader reader(path);
    reader.select({reader.names()[2]});
    EXPECT_EQ(reader.separator(), ',');
    EXPECT_THAT(reader.next_block(10).columns, ElementsAre(ElementsAre(2)));
}

TEST(CsvReader, RecordsMayBeLongerThanTheBuffer) {
    std::string content = "text,y\n\"" + std::string(3 << 20, 'a') + "\n\",1\nb,2\n";
    const Table table = read_text(content, {.columns = {"y"}});
    EXPECT_THAT(table.columns[0], ElementsAre(1, 2));
    EXPECT_THAT(table.line_numbers, ElementsAre(2, 4));
    // A lost quote swallows the rest of the file; the reader gives up instead of filling the memory.
    content = "text,y\n\"" + std::string(65 << 20, 'a') + "\",1\n";
    EXPECT_THAT(complaint_about(content, {.columns = {"y"}}), AllOf(HasSubstr("line 2"), HasSubstr("quote")));
}

TEST(CsvReader, WideHeadersMayBeLongerThanTheBuffer) {
    std::string header, row;
    const int count = 60000;
    for (int i = 0; i < count; ++i) {
        header += fmt::format("{}c{}", i ? ";" : "", i);
        row += fmt::format("{}{}", i ? ";" : "", i);
    }
    const Table table = read_text(header + "\n" + row + "\n");
    ASSERT_EQ(table.columns.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(table.columns[count - 1][0], count - 1);
}

// Hostile or damaged files are refused in words; whatever is accepted is rectangular, finite or missing, and the same in blocks.
TEST(CsvReader, AnyBytesGiveATableOrAnInputError) {
    const Scratch scratch;
    static const std::vector<std::string> kPieces{",",      ",",    ";",     "\t",           "\"",
                                                  "\n",     "\n",   "\r",    "\r\n",         " ",
                                                  "1",      "2.5",  "-3e4",  "NA",           "x",
                                                  "y",      "inf",  "1e999", "abc",          "\x80",
                                                  "\"\"\"", "\x1f", "\x8b",  "\xEF\xBB\xBF", std::string(1, '\0')};
    RandomStream stream(30, StreamPurpose::test);
    int num_accepted = 0;
    for (int round = 0; round < 1000; ++round) {
        std::string content = stream.below(4) ? "x,y\n1,2\n" : "";
        const std::uint64_t variety = 1 + stream.below(kPieces.size());
        for (std::uint64_t n = stream.below(12); n > 0; --n) content += kPieces[stream.below(variety)];
        const auto path = scratch.file("t.csv", content);
        Table table;
        try {
            table = read_csv(path);
        } catch (const InputError&) {
            continue;
        }
        ++num_accepted;
        CsvReader reader(path);
        for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows()); ++row) {
            const Table single = reader.next_block(1);
            ASSERT_EQ(single.line_numbers.at(0), table.line_numbers[row]);
            for (std::size_t c = 0; c < table.columns.size(); ++c) {
                const double value = table.columns[c].at(row);
                ASSERT_TRUE(std::isfinite(value) ? single.columns[c].at(0) == value
                                                 : is_missing(value) && is_missing(single.columns[c].at(0)));
            }
        }
    }
    EXPECT_GT(num_accepted, 100);
    EXPECT_LT(num_accepted, 900);
}

// Rows of every kind, several buffers long, so that pieces of the buffer start inside quotes and behind rows that are not plain.
std::string mixed_rows(int count, std::string_view line_end) {
    RandomStream stream(32, StreamPurpose::test);
    static const std::vector<std::string> kTexts{"plain", "\"a, b\"", "\"two\nlines\"", "\"1,2\n3,4\n5,6\"", "", " \"\" ", "a\"b"};
    std::string content = fmt::format("t,x,y{}", line_end);
    for (int i = 0; i < count; ++i) {
        const std::string text = stream.below(50) ? "plain" : kTexts[stream.below(kTexts.size())];
        content +=
            fmt::format("{},{},{}{}", text, stream.normal(), stream.below(100) ? fmt::format("{:.3f}", stream.normal()) : " NA ", line_end);
        if (stream.below(500) == 0) content += line_end;
        if (stream.below(20000) == 0) content += fmt::format("\"{}\",1,2{}", std::string(300000, stream.below(2) ? '\n' : 'z'), line_end);
    }
    return content;
}

TEST(CsvReader, ThreadsAndBlocksGiveTheSameTable) {
    const Scratch scratch;
    for (const std::string line_end : {"\n", "\r\n", "\r"}) {
        const auto path = scratch.file("mixed.csv", mixed_rows(100000, line_end));
        const CsvReadOptions options{.columns = {"y", "x"}, .keep_raw_rows = true};
        CsvReader reader(path, options);
        const Table expected = reader.next_block(1000000);
        ASSERT_GE(expected.rows(), 100000);
        for (const int threads : {1, 2, 5}) {
            CsvReader partly(path, options);
            const Table first = threads == 2 ? partly.next_block(777) : Table{};
            const Table table = partly.rest({.threads = threads});
            const auto offset = static_cast<std::size_t>(first.rows());
            ASSERT_EQ(table.rows() + first.rows(), expected.rows());
            for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows()); ++row) {
                ASSERT_EQ(table.line_numbers[row], expected.line_numbers[row + offset]);
                ASSERT_EQ(table.raw_rows[row], expected.raw_rows[row + offset]);
                ASSERT_EQ(table.columns[1][row], expected.columns[1][row + offset]);
                const double y = table.columns[0][row], wanted = expected.columns[0][row + offset];
                ASSERT_TRUE(y == wanted || (is_missing(y) && is_missing(wanted)));
            }
        }
    }
}

TEST(CsvReader, ThreadsNameTheSameLineOfAMistake) {
    const Scratch scratch;
    const auto path = scratch.file("mixed.csv", mixed_rows(60000, "\n") + "a,1,oops\n" + mixed_rows(20000, "\n") + "b,1,2,3\n");
    const auto complaint = [&](int threads) {
        return message_of<InputError>([&] { read_csv(path, {.columns = {"x", "y"}}, {.threads = threads}); });
    };
    CsvReader reader(path, {.columns = {"x", "y"}});
    const std::string expected = message_of<InputError>([&] { reader.next_block(1000000); });
    EXPECT_THAT(expected, HasSubstr("'oops'"));
    EXPECT_EQ(complaint(1), expected);
    EXPECT_EQ(complaint(4), expected);
}

TEST(CsvReader, StopsWhenAsked) {
    const Scratch scratch;
    const auto path = scratch.file("long.csv", numbered_rows(40000));
    const std::atomic<bool> stop{true};
    EXPECT_THROW(read_csv(path, {.columns = {"id"}}, {.stop = &stop}), Interrupted);
}

}  // namespace
}  // namespace vnngp::data
