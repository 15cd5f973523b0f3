#include "data/csv_scan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "vnngp/base/random.hpp"

namespace vnngp::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> fields_of(const std::string& record, char separator = ',') {
    std::vector<CsvField> fields;
    EXPECT_EQ(scan_record(record.data(), record.data() + record.size(), true, CsvDialect(separator), fields).status, ScanStatus::complete);
    std::vector<std::string> values;
    for (const auto& field : fields) values.push_back(field_value(field));
    return values;
}

NumberKind kind_of(std::string_view text) {
    double value = 0;
    return parse_number(text, value);
}

double number_of(std::string_view text) {
    double value = 0;
    EXPECT_EQ(parse_number(text, value), NumberKind::number) << text;
    return value;
}

TEST(CsvScan, SplitsPlainAndQuotedFields) {
    EXPECT_THAT(fields_of("1,2,3"), ElementsAre("1", "2", "3"));
    EXPECT_THAT(fields_of(",,"), ElementsAre("", "", ""));
    EXPECT_THAT(fields_of("\"a,b\",\"say \"\"hi\"\"\",\"\""), ElementsAre("a,b", "say \"hi\"", ""));
    EXPECT_THAT(fields_of("\"two\r\nlines\",x"), ElementsAre("two\r\nlines", "x"));
    EXPECT_THAT(fields_of(" \" a \" , b "), ElementsAre(" a ", "b"));
    EXPECT_THAT(fields_of("5\" pipe,6"), ElementsAre("5\" pipe", "6"));
    EXPECT_THAT(fields_of("\ta\t", '\t'), ElementsAre("", "a", ""));
}

TEST(CsvScan, CountsPhysicalLines) {
    const std::string record = "\"a\nb\rc\r\nd\",2\nrest";
    std::vector<CsvField> fields;
    const RecordScan scan = scan_record(record.data(), record.data() + record.size(), true, CsvDialect(','), fields);
    EXPECT_EQ(scan.lines, 4);
    EXPECT_EQ(std::string(scan.next), "rest");
}

// Whatever the position at which the buffer happens to end, the answer is either "incomplete" or the one for the whole text.
TEST(CsvScan, IsNotFooledByTheEndOfTheBuffer) {
    for (const std::string record : {"ab,\"c\"\"d\",e\r\n", "1,2\n", "x,\"y\"\r", "\"p\nq\" ,r\n"}) {
        const std::string text = record + "next,row\n";
        const auto scan_prefix = [&](std::size_t length, std::vector<CsvField>& fields) {
            return scan_record(text.data(), text.data() + length, false, CsvDialect(','), fields);
        };
        std::vector<CsvField> expected, fields;
        ASSERT_EQ(scan_prefix(text.size(), expected).next - text.data(), static_cast<std::ptrdiff_t>(record.size()));
        for (std::size_t length = 0; length < text.size(); ++length) {
            const RecordScan scan = scan_prefix(length, fields);
            EXPECT_TRUE(length >= record.size() || scan.status == ScanStatus::incomplete) << length << " bytes of " << record;
            if (scan.status == ScanStatus::incomplete) continue;
            EXPECT_EQ(scan.next - text.data(), static_cast<std::ptrdiff_t>(record.size()));
            ASSERT_EQ(fields.size(), expected.size());
            for (std::size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(fields[i].text, expected[i].text);
        }
    }
}

TEST(CsvScan, TellsHowQuotesAreBroken) {
    std::vector<CsvField> fields;
    const auto status = [&](const std::string& record) {
        return scan_record(record.data(), record.data() + record.size(), true, CsvDialect(','), fields).status;
    };
    EXPECT_EQ(status("a,\"b\n"), ScanStatus::open_quote);
    EXPECT_EQ(status("a,\"b\"\""), ScanStatus::open_quote);
    EXPECT_EQ(status("a,\"b\"c,d\n"), ScanStatus::text_after_quote);
}

TEST(CsvScan, DetectsTheSeparatorOutsideQuotes) {
    const auto detected = [](const std::string& header) { return detect_separator(header.data(), header.data() + header.size(), true); };
    EXPECT_EQ(detected("a,b,c\n1;2;3;4;5;6"), ',');
    EXPECT_EQ(detected("a;b;c"), ';');
    EXPECT_EQ(detected("a\tb"), '\t');
    EXPECT_EQ(detected("a;\"b,c,d,e\"\n"), ';');
    EXPECT_EQ(detected("\"x\"\"; ; ;\",y\n"), ',');
    EXPECT_EQ(detected("5\" pipe;y\n"), ';');
    EXPECT_EQ(detected("single"), ',');
    const std::string cut = "a;b";
    EXPECT_FALSE(detect_separator(cut.data(), cut.data() + cut.size(), false).has_value());
}

TEST(CsvScan, ReadsEveryNotationOfANumber) {
    EXPECT_EQ(number_of("1e-5"), 1e-5);
    EXPECT_EQ(number_of("+3"), 3.0);
    EXPECT_EQ(number_of("-.5"), -0.5);
    EXPECT_EQ(number_of("+.5E+2"), 50.0);
    EXPECT_EQ(number_of("7."), 7.0);
    EXPECT_EQ(number_of(" \t42  "), 42.0);
    EXPECT_EQ(number_of("1e300"), 1e300);
    EXPECT_EQ(number_of("1e-400"), 0.0);
    EXPECT_TRUE(std::signbit(number_of("-0")));
}

TEST(CsvScan, KnowsMissingValues) {
    for (const char* text : {"", "  ", "NA", "na", "Na", "NaN", "nan", "NAN", " NA ", "-nan"}) {
        double value = 0;
        EXPECT_EQ(parse_number(text, value), NumberKind::missing) << text;
        EXPECT_TRUE(std::isnan(value)) << text;
    }
}

TEST(CsvScan, RefusesWhatIsNotAFiniteNumber) {
    for (const char* text : {"inf", "-inf", "+Inf", "INFINITY", "1e400", "-1e309"})
        EXPECT_EQ(kind_of(text), NumberKind::not_finite) << text;
    for (const char* text :
         {"abc", "1.2.3", "1,5", "0x10", "1 2", "+-3", "-+3", "++3", "+", "-", ".", "e5", "1e", "N", "NAP", "n/a", "1d5", "12kg"})
        EXPECT_EQ(kind_of(text), NumberKind::text) << text;
}

TEST(CsvScan, AgreesWithStrtodOnRandomDecimals) {
    RandomStream stream(1, StreamPurpose::test);
    for (int i = 0; i < 20000; ++i) {
        std::string text = stream.below(2) ? "-" : "";
        for (std::uint64_t n = 1 + stream.below(20); n > 0; --n) text += static_cast<char>('0' + stream.below(10));
        text += '.';
        for (std::uint64_t n = stream.below(20); n > 0; --n) text += static_cast<char>('0' + stream.below(10));
        text += fmt::format("e{}", static_cast<int>(stream.below(560)) - 290);
        const double expected = std::strtod(text.c_str(), nullptr);
        if (!std::isfinite(expected)) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(number_of(text)), std::bit_cast<std::uint64_t>(expected)) << text;
    }
}

// The quick way either declines or gives what the thorough way gives.
TEST(CsvScan, PlainRecordsAreReadAsAllRecordsAre) {
    static const std::vector<std::string> kPieces{"1",  "2.5", "-3e4", "7.25",  ",", ",",  ",",  "\n",   "\n", " ",   ";",     "\t",
                                                  "\r", "NA",  "inf",  "1e999", "x", "\"", "+4", "\r\n", "1e", "nan", "1e-999"};
    RandomStream stream(31, StreamPurpose::test);
    int num_read = 0;
    for (int round = 0; round < 100000; ++round) {
        std::string text;
        for (std::uint64_t n = stream.below(10); n > 0; --n) text += kPieces[stream.below(1 + stream.below(kPieces.size()))];
        const CsvDialect dialect(",;\t"[stream.below(3)]);
        std::vector<std::uint8_t> wanted(1 + stream.below(4));
        for (auto& flag : wanted) flag = stream.below(3) > 0;
        if (wanted.size() == 1) wanted[0] = 1;
        std::vector<double> values(wanted.size());
        const char* const end = text.data() + text.size();
        const RecordScan plain = scan_plain_record(text.data(), end, dialect, wanted, values.data());
        if (plain.status != ScanStatus::complete) continue;
        ++num_read;
        std::vector<CsvField> fields;
        const RecordScan thorough = scan_record(text.data(), end, false, dialect, fields);
        ASSERT_EQ(thorough.status, ScanStatus::complete) << text;
        ASSERT_EQ(thorough.text_end, plain.text_end) << text;
        ASSERT_EQ(thorough.next, plain.next) << text;
        ASSERT_EQ(thorough.lines, plain.lines) << text;
        ASSERT_EQ(fields.size(), wanted.size()) << text;
        ASSERT_TRUE(fields.size() > 1 || !trimmed(fields[0].text).empty()) << text;
        for (std::size_t c = 0; c < wanted.size(); ++c) {
            double value = 0.0;
            if (!wanted[c]) continue;
            const NumberKind kind = parse_number(fields[c].text, value);
            ASSERT_TRUE(kind == NumberKind::number ? value == values[c] : kind == NumberKind::missing && std::isnan(values[c])) << text;
        }
    }
    EXPECT_GT(num_read, 1000);
}

}  // namespace
}  // namespace vnngp::data
