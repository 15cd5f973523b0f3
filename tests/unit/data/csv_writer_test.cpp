#include "vnngp/data/csv_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "unit/data/scratch.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/data/csv_reader.hpp"

namespace vnngp::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CsvWriter, WritesShortestNumbersAndQuotesOnlyWhereNeeded) {
    const Scratch scratch;
    CsvWriter writer(scratch.path("out.csv"));
    writer.header({"plain", "a,b", "say \"hi\"", " blank", ""});
    for (const double value : {0.1, -3.0, 1e300, std::numeric_limits<double>::quiet_NaN(), 5e-324}) writer.number(value);
    writer.end_row();
    writer.raw("1,\"as it came\"");
    writer.text("two\nlines");
    writer.end_row();
    EXPECT_FALSE(std::filesystem::exists(scratch.path("out.csv")));
    writer.commit();
    EXPECT_EQ(content_of(scratch.path("out.csv")),
              "plain,\"a,b\",\"say \"\"hi\"\"\",\" blank\",\"\"\n"
              "0.1,-3,1e+300,NaN,5e-324\n"
              "1,\"as it came\",\"two\nlines\"\n");
}

TEST(CsvWriter, WithoutCommitNothingIsLeft) {
    const Scratch scratch;
    for (const char* name : {"out.csv", "out.csv.gz"}) {
        CsvWriter writer(scratch.path(name));
        for (int i = 0; i < 100000; ++i) {
            writer.number(i);
            writer.end_row();
        }
    }
    EXPECT_EQ(scratch.num_files(), 0u);
}

TEST(CsvWriter, ReportsAFullDevice) {
    CsvWriter writer("/dev/full");
    writer.header({"x"});
    EXPECT_THAT(message_of<InputError>([&] { writer.commit(); }), AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device")));
}

TEST(CsvWriter, CompressesWhenThePathSaysSo) {
    const Scratch scratch;
    Table table{
        .source = "t", .names = {"x"}, .columns = {std::vector<double>(5000, 1.25)}, .line_numbers = std::vector<std::int64_t>(5000, 1)};
    write_csv(scratch.path("t.csv"), table);
    write_csv(scratch.path("t.csv.gz"), table);
    EXPECT_TRUE(content_of(scratch.path("t.csv.gz")).starts_with("\x1f\x8b"));
    EXPECT_LT(std::filesystem::file_size(scratch.path("t.csv.gz")) * 20, std::filesystem::file_size(scratch.path("t.csv")));
    EXPECT_EQ(read_csv(scratch.path("t.csv.gz")).columns, table.columns);
}

// Names made of everything that has a meaning in CSV; numbers of every bit pattern.
std::string nasty_text(RandomStream& stream) {
    static const std::vector<std::string> kPieces{",",  ";",   "\t",  "\"", "\"\"", "\n",   "\r",           "\r\n", " ",
                                                  "NA", "nan", "1.5", "-",  "é",    "温度", "\xEF\xBB\xBF", "x"};
    std::string text;
    for (std::uint64_t n = stream.below(6); n > 0; --n) text += kPieces[stream.below(kPieces.size())];
    return text;
}

double nasty_number(RandomStream& stream) {
    static const std::vector<double> kSpecial{
        0.0, -0.0, 5e-324, 1.7976931348623157e308, -2.2250738585072014e-308, 0.1, 1e22, 9007199254740993.0};
    if (stream.below(4) == 0) return kSpecial[stream.below(kSpecial.size())];
    if (stream.below(4) == 0) return stream.normal();
    const double value = std::bit_cast<double>(stream.bits64());
    return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

Table nasty_table(RandomStream& stream) {
    Table table;
    const std::size_t num_columns = 1 + stream.below(6), num_rows = stream.below(60);
    for (std::size_t c = 0; c < num_columns; ++c) {
        table.names.push_back(nasty_text(stream) + "_" + std::to_string(c) + "_" + nasty_text(stream));
        table.columns.emplace_back();
        for (std::size_t row = 0; row < num_rows; ++row)
            table.columns[c].push_back(stream.below(8) ? nasty_number(stream) : std::numeric_limits<double>::quiet_NaN());
    }
    table.line_numbers.resize(num_rows);
    return table;
}

bool same_bits(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(CsvWriter, TablesReadBackBitForBitAndWriteBackByteForByte) {
    const Scratch scratch;
    RandomStream stream(20, StreamPurpose::test);
    for (int round = 0; round < 120; ++round) {
        const Table table = nasty_table(stream);
        const CsvWriteOptions options{.separator = ",;\t"[stream.below(3)]};
        const std::string name = stream.below(2) ? "t.csv" : "t.csv.gz";
        write_csv(scratch.path(name), table, options);
        const std::string written = content_of(scratch.path(name));
        const Table back = read_csv(scratch.path(name));
        ASSERT_EQ(back.names, table.names) << "round " << round;
        ASSERT_EQ(back.rows(), table.rows()) << "round " << round;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            for (std::size_t row = 0; row < table.columns[c].size(); ++row)
                ASSERT_TRUE(same_bits(back.columns[c][row], table.columns[c][row])) << "round " << round << " " << table.columns[c][row];
        write_csv(scratch.path(name), back, options);
        ASSERT_EQ(content_of(scratch.path(name)), written) << "round " << round;
    }
}

// What predict does: echo the input as it came and append columns.
TEST(CsvWriter, EchoedRowsKeepEveryByte) {
    const Scratch scratch;
    const std::string header = "id;\"the; name\"", row = " 01 ;\"a \"\"b\"\"\"";
    CsvReader reader(scratch.file("in.csv", header + "\r\n" + row), {.columns = {"id"}, .keep_raw_rows = true});
    CsvWriter writer(scratch.path("out.csv"), {.separator = reader.separator()});
    writer.raw(reader.raw_header());
    writer.text("mean");
    writer.end_row();
    writer.raw(reader.next_block(10).raw_rows.at(0));
    writer.number(0.5);
    writer.end_row();
    writer.commit();
    EXPECT_EQ(content_of(scratch.path("out.csv")), header + ";mean\n" + row + ";0.5\n");
}

TEST(CsvWriter, RowsMadeElsewhereAreWrittenAsItsOwn) {
    const Scratch scratch;
    for (const std::string name : {"t.csv", "t.csv.gz"}) {
        CsvWriter own(scratch.path("own_" + name)), composed(scratch.path(name));
        CsvRows rows;
        own.header({"x", "a, b"});
        composed.header({"x", "a, b"});
        for (int i = 0; i < 50000; ++i) {
            own.number(std::sqrt(i));
            own.text("a \"b\"");
            own.end_row();
            rows.number(std::sqrt(i));
            rows.text("a \"b\"");
            rows.end_row();
            if (i % 7777 != 0) continue;
            composed.rows(rows);
            rows.clear();
        }
        composed.rows(rows);
        own.commit();
        composed.commit();
        const CsvReadOptions options{.columns = {"x"}, .keep_raw_rows = true};
        const Table a = read_csv(scratch.path("own_" + name), options), b = read_csv(scratch.path(name), options);
        EXPECT_EQ(a.columns, b.columns);
        EXPECT_EQ(a.raw_rows, b.raw_rows);
    }
}

}  // namespace
}  // namespace vnngp::data
