#include "vnngp/model/tensor_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "vnngp/base/error.hpp"

namespace vnngp::model {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The definition of CRC-32, one bit at a time.
std::uint32_t crc32_by_bits(const std::string& bytes) {
    std::uint32_t sum = 0xFFFFFFFFu;
    for (const char byte : bytes) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xEDB88320u : 0u);
    }
    return ~sum;
}

std::string little_endian(std::uint64_t value) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

const std::string kStart = R"({"__metadata__":{"checksum":"00000000")";
constexpr std::size_t kDigits = 8 + 29;  // position of the checksum in the file

// A file with this header and data, and a right checksum, so that a refusal is about the header.
std::string sealed(const std::string& header, const std::string& data = "") {
    std::string bytes = little_endian(header.size()) + header + data;
    return bytes.replace(kDigits, 8, fmt::format("{:08x}", crc32_by_bits(bytes)));
}

std::string sealed_tensors(const std::string& tensors, std::size_t data_bytes) {
    return sealed(kStart + "}," + tensors + "}", std::string(data_bytes, 'x'));
}

TensorFile small_file() {
    TensorFile file;
    file.metadata = {{"format", "test"}, {"columns", "[\"L\xC3\xA4nge\", \"y\\n\"]"}, {"empty", ""}};
    file.add("m", Vector(Vector::LinSpaced(3, -1.5, 2.0)));
    file.add("locations", Points{{0.25, -1.0}, {1e-300, 3.5}, {0.1, 7.0}});
    file.add("order", std::vector<Index>{2, 0, 1});
    file.add("nothing", std::vector<Index>{});
    file.tensors["flag"] = {ElementType::u8, {1, 3}, std::vector{std::byte{1}, std::byte{2}, std::byte{3}}};
    file.tensors["big"] = {ElementType::i64, {}, std::vector<std::byte>(8, std::byte{7})};
    return file;
}

class TensorFileTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ =
            std::filesystem::path(::testing::TempDir()) / fmt::format("tensor_file_{}", ::testing::UnitTest::GetInstance()->random_seed());
        folder_ += std::string("_") + ::testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::create_directories(folder_);
        path_ = (folder_ / "x.vnngp").string();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void store(const std::string& bytes) const {
        std::filesystem::remove(path_);  // some file systems flush a file that is truncated and rewritten: slow a thousand times over
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    std::string stored() const {
        std::ifstream stream(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    std::string small_bytes() const {
        write_tensor_file(path_, small_file());
        return stored();
    }
    // Why a file of these bytes is refused; empty when it is read.
    std::string refusal(const std::string& bytes) const {
        store(bytes);
        try {
            read_tensor_file(path_);
            return "";
        } catch (const InputError& error) {
            return error.what();
        }
    }
    void expect_refused(const std::string& bytes, const std::string& why) const {
        EXPECT_THAT(refusal(bytes), AllOf(HasSubstr(path_), HasSubstr(why))) << bytes.substr(0, 200);
    }

    std::filesystem::path folder_;
    std::string path_;
};

TEST_F(TensorFileTest, ReturnsWhatWasStored) {
    const TensorFile written = small_file();
    write_tensor_file(path_, written);
    const TensorFile read = read_tensor_file(path_);
    EXPECT_EQ(read.metadata, written.metadata);
    EXPECT_EQ(read.vector("m"), Vector(Vector::LinSpaced(3, -1.5, 2.0)));
    EXPECT_EQ(read.points("locations"), written.points("locations"));
    EXPECT_EQ(read.indices("order"), (std::vector<Index>{2, 0, 1}));
    EXPECT_THAT(read.indices("nothing"), IsEmpty());
    EXPECT_EQ(read.text("format"), "test");
    EXPECT_EQ(read.tensors.at("flag").elements, written.tensors.at("flag").elements);
    TensorFile taken = read;
    EXPECT_EQ(taken.take_vector("m"), read.vector("m"));
    EXPECT_EQ(taken.take_points("locations"), read.points("locations"));
    EXPECT_EQ(taken.tensors.size() + 2, read.tensors.size());
    EXPECT_THROW(taken.take_points("order"), InputError);
    EXPECT_THAT(read.tensors.at("big").shape, IsEmpty());
    EXPECT_EQ(read.tensors.size(), written.tensors.size());
}

TEST_F(TensorFileTest, KeepsEveryBitOfADouble) {
    Vector odd(6);
    odd << -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), 0.1, 1e300;
    TensorFile file;
    file.add("odd", odd);
    write_tensor_file(path_, file);
    const Vector read = read_tensor_file(path_).vector("odd");
    ASSERT_EQ(read.size(), odd.size());
    for (Eigen::Index i = 0; i < odd.size(); ++i) EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(odd[i]));
}

TEST_F(TensorFileTest, WriteReadWriteGivesTheSameBytes) {
    const std::string first = small_bytes();
    write_tensor_file(path_, read_tensor_file(path_));
    EXPECT_EQ(stored(), first);
}

TEST_F(TensorFileTest, AnEmptyFileOfTensorsIsAFile) {
    write_tensor_file(path_, {});
    const TensorFile read = read_tensor_file(path_);
    EXPECT_TRUE(read.metadata.empty());
    EXPECT_TRUE(read.tensors.empty());
}

// The layout, read back by the letter of the safetensors description.
TEST_F(TensorFileTest, HasTheSafetensorsLayout) {
    const TensorFile file = small_file();
    const std::string bytes = small_bytes();
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
    const std::size_t data = 8 + length;
    ASSERT_LE(data, bytes.size());
    EXPECT_EQ(data % 64, 0u);
    EXPECT_EQ(bytes[8], '{');
    const auto header = nlohmann::json::parse(bytes.substr(8, length));

    std::string blank = bytes;
    blank.replace(kDigits, 8, "00000000");
    EXPECT_EQ(header["__metadata__"]["checksum"], fmt::format("{:08x}", crc32_by_bits(blank)));
    for (const auto& [key, value] : file.metadata) EXPECT_EQ(header["__metadata__"][key], value);
    EXPECT_EQ(header["__metadata__"].size(), file.metadata.size() + 1);
    ASSERT_EQ(header.size(), file.tensors.size() + 1);

    const std::map<std::string, std::string> types = {{"m", "F64"},       {"locations", "F64"}, {"order", "I32"},
                                                      {"nothing", "I32"}, {"flag", "U8"},       {"big", "I64"}};
    std::vector<int> owners(bytes.size() - data, 0);
    for (const auto& [name, tensor] : file.tensors) {
        EXPECT_EQ(header[name]["dtype"], types.at(name));
        EXPECT_EQ(header[name]["shape"], tensor.shape);
        const std::size_t begin = header[name]["data_offsets"][0], end = header[name]["data_offsets"][1];
        EXPECT_EQ(begin % element_size(tensor.type), 0u) << name;
        ASSERT_EQ(end - begin, tensor.bytes().size());
        EXPECT_TRUE(
            std::equal(tensor.bytes().begin(), tensor.bytes().end(), reinterpret_cast<const std::byte*>(bytes.data()) + data + begin))
            << name;
        for (std::size_t i = begin; i < end; ++i) ++owners[i];
    }
    EXPECT_THAT(owners, ::testing::Each(1));
}

TEST_F(TensorFileTest, EveryChangedByteIsNoticed) {
    const std::string good = small_bytes();
    ASSERT_EQ(refusal(good), "");
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const unsigned change : {0x01u, 0x10u, 0x20u, 0x80u, 0xFFu}) {
            std::string bad = good;
            bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ change);
            expect_refused(bad, "");
        }
    }
}

TEST_F(TensorFileTest, EveryTruncationAndExtensionIsNoticed) {
    const std::string good = small_bytes();
    for (std::size_t size = 0; size < good.size(); ++size) expect_refused(good.substr(0, size), "");
    expect_refused(good + " ", "bytes of data");
    expect_refused(good + good, "bytes of data");
}

TEST_F(TensorFileTest, ForeignFilesAreRefused) {
    expect_refused("", "empty");
    expect_refused("x,y\n1,2\n", "not a vnngp file");
    expect_refused("x1,x2,y\n0.123456,0.234567,0.345678\n0.456789,0.567890,0.678901\n", "not a vnngp file");
    expect_refused("\x89PNG\r\n\x1a\n" + std::string(200, '\0'), "not a vnngp file");
    expect_refused(R"({"__metadata__":{"checksum":"00000000"},"m":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}})", "not a vnngp file");
    expect_refused(std::string(1000, '\0'), "not a vnngp file");
    const std::string plain = R"({"m":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
    expect_refused(little_endian(plain.size()) + plain + "12345678", "checksum");
    const std::string unsealed = R"({"__metadata__":{"format":"pt"},"m":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
    expect_refused(little_endian(unsealed.size()) + unsealed + "12345678", "checksum");
}

TEST_F(TensorFileTest, AnAbsurdHeaderLengthIsRefusedBeforeItIsAllocated) {
    const std::string header = kStart + "}}";
    ASSERT_EQ(refusal(sealed(header)), "");
    for (const std::uint64_t length :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{header.size() + 1}, std::uint64_t{1} << 60, ~std::uint64_t{0}})
        expect_refused(little_endian(length) + header, fmt::format("a header of {} bytes", length));
}

TEST_F(TensorFileTest, BrokenHeadersAreRefused) {
    ASSERT_EQ(refusal(sealed_tensors(R"("a":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]})", 16)), "");
    const auto refuse = [&](const std::string& tensors, std::size_t data_bytes, const std::string& why) {
        SCOPED_TRACE(tensors);
        expect_refused(sealed_tensors(tensors, data_bytes), why);
    };
    // not JSON, not UTF-8, repeated names
    refuse(R"("a":)", 0, "not valid JSON");
    refuse("\"\xFF\":1", 0, "not valid JSON");
    expect_refused(sealed(kStart + ",\"k\":\"\xC3\"}}"), "not valid JSON");
    expect_refused(sealed(kStart + "}} {}"), "not valid JSON");
    expect_refused(sealed(kStart + "}" + std::string(100'000, '[')), "not valid JSON");
    expect_refused(sealed(kStart + "},\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"), "needs exactly");
    refuse(R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})", 1, "twice");
    refuse(R"("a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]})", 1, "twice");
    refuse(R"("__metadata__":{})", 0, "twice");
    expect_refused(sealed(kStart + R"(,"checksum":"00000000"}})"), "twice");
    expect_refused(sealed(kStart + R"(,"k":1}})"), "not text");
    // fields
    refuse(R"("a":1)", 0, "needs exactly");
    refuse(R"("a":{"dtype":"U8","shape":[0]})", 0, "needs exactly");
    refuse(R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":1})", 0, "needs exactly");
    for (const char* type : {"\"F32\"", "\"f64\"", "\"\"", "64", "null", "[]"})
        refuse(fmt::format(R"("a":{{"dtype":{},"shape":[1],"data_offsets":[0,8]}})", type), 8, "unknown dtype");
    for (const char* shape : {"1", "[-1]", "[1.0]", "[\"1\"]", "[[1]]", "[18446744073709551615]", "[1e0]", "{}", "null"})
        refuse(fmt::format(R"("a":{{"dtype":"U8","shape":{},"data_offsets":[0,1]}})", shape), 1, "not sizes");
    for (const char* offsets : {"1", "[1]", "[0,1,1]", "[-1,0]", "[0,1.0]", "[0,99999999999999999999]", "null"})
        refuse(fmt::format(R"("a":{{"dtype":"U8","shape":[1],"data_offsets":{}}})", offsets), 1, "not sizes");
    // shapes against offsets, with products that wrap around to the right number
    refuse(R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]})", 1, "do not fit");
    refuse(R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]})", 1, "do not fit");
    refuse(R"("a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]})", 0, "do not fit");
    refuse(R"("a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]})", 0, "do not fit");
    refuse(R"("a":{"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]})", 8, "do not fit");
    // the data: gaps, overlaps, too little, too much
    const auto two = [](int begin_a, int end_a, int begin_b, int end_b) {
        return fmt::format(
            R"("a":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}},"b":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}})",
            end_a - begin_a, begin_a, end_a, end_b - begin_b, begin_b, end_b);
    };
    ASSERT_EQ(refusal(sealed_tensors(two(4, 8, 0, 4), 8)), "");
    refuse(two(0, 4, 3, 8), 8, "overlaps");
    refuse(two(0, 4, 0, 4), 4, "overlaps");
    refuse(two(0, 4, 5, 8), 8, "gap");
    refuse(two(1, 4, 4, 8), 8, "gap");
    refuse(two(0, 4, 4, 8), 7, "7 bytes of data where its header describes 8");
    refuse(two(0, 4, 4, 8), 9, "9 bytes of data");
    refuse(R"("a":{"dtype":"U8","shape":[1152921504606846976],"data_offsets":[0,1152921504606846976]})", 8, "bytes of data");
}

TEST_F(TensorFileTest, AWrongChecksumIsRefused) {
    std::string bytes = sealed(kStart + "}}");
    bytes.replace(kDigits, 8, "deadbeef");
    expect_refused(bytes, "checksum");
    bytes.replace(kDigits, 8, "00000000");
    expect_refused(bytes, "checksum");
}

TEST_F(TensorFileTest, AccessNamesTheFileAndWhatIsMissing) {
    write_tensor_file(path_, small_file());
    const TensorFile file = read_tensor_file(path_);
    const auto expect_error = [&](auto access, const std::string& what) {
        try {
            access();
            ADD_FAILURE() << "no error about " << what;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(path_), HasSubstr(what)));
        }
    };
    expect_error([&] { file.vector("absent"); }, "'absent' is missing");
    expect_error([&] { file.text("absent"); }, "'absent' is missing");
    expect_error([&] { file.vector("locations"); }, "'locations' is not an array of F64 of rank 1");
    expect_error([&] { file.points("m"); }, "'m' is not an array of F64 of rank 2");
    expect_error([&] { file.vector("order"); }, "'order' is not an array of F64 of rank 1");
    expect_error([&] { file.indices("m"); }, "'m' is not an array of I32 of rank 1");
}

TEST_F(TensorFileTest, UnreadablePathsAreRefused) {
    for (const std::string& path : {path_ + ".absent", folder_.string(), path_ + "/below", std::string()}) {
        try {
            read_tensor_file(path);
            ADD_FAILURE() << path;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(path), HasSubstr("cannot read"))) << path;
        }
    }
    EXPECT_THROW(read_tensor_file("/dev/null"), InputError);
}

TEST_F(TensorFileTest, WhatCannotBeStoredLeavesTheOldFileInPlace) {
    const std::string old = small_bytes();
    const auto expect_unchanged = [&](const TensorFile& file) {
        EXPECT_THROW(write_tensor_file(path_, file), InputError);
        EXPECT_EQ(stored(), old);
    };
    TensorFile file;
    file.metadata = {{"checksum", "x"}};
    expect_unchanged(file);
    file.metadata = {{"text", "\xFF"}};
    expect_unchanged(file);
    file.metadata = {};
    file.add("__metadata__", Vector(Vector::Zero(1)));
    expect_unchanged(file);
    file.tensors = {{"short", Tensor{ElementType::f64, {2}, std::vector<std::byte>(8)}}};
    expect_unchanged(file);
    EXPECT_THROW(write_tensor_file((folder_ / "absent" / "x").string(), small_file()), InputError);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "a temporary file was left behind";
}

TEST_F(TensorFileTest, AFullDiskIsReportedByItsReason) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
    try {
        write_tensor_file("/dev/full", small_file());
        ADD_FAILURE() << "writing to a full device succeeded";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
    }
}

}  // namespace
}  // namespace vnngp::model
