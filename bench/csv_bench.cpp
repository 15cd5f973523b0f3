// How fast tables are read and written, beside what the machine does with the same bytes at best: handing them over from the page cache
// and looking for their newlines. bench_csv [megabytes] [folder]
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "vnngp/base/random.hpp"
#include "vnngp/data/csv_reader.hpp"
#include "vnngp/data/csv_writer.hpp"

namespace {

using namespace vnngp;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int kRepetitions = 3;

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Of all threads together: unlike those on the clock, they do not count what else the machine is doing.
double best_processor_seconds(const auto& body) {
    double best = 1e300;
    for (int i = 0; i < kRepetitions; ++i) {
        const double start = processor_seconds();
        body();
        best = std::min(best, processor_seconds() - start);
    }
    return best;
}

/// Columns of normal numbers with `digits` significant ones, about `bytes` of text.
void write_numbers(const fs::path& path, int columns, int digits, std::size_t bytes) {
    RandomStream stream(1, StreamPurpose::test);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::string text;
    for (int c = 0; c < columns; ++c) text += fmt::format("{}x{}", c ? "," : "", c);
    text += '\n';
    for (std::size_t written = 0; written < bytes; written += text.size(), text.clear()) {
        if (written > 0)
            for (int c = 0; c < columns; ++c) fmt::format_to(std::back_inserter(text), "{}{:.{}g}", c ? "," : "", stream.normal(), digits);
        if (written > 0) text += '\n';
        std::fwrite(text.data(), 1, text.size(), file);
    }
    std::fclose(file);
}

/// Bytes of the file through read(), and newlines in them when asked to count.
std::int64_t pass_over(const fs::path& path, bool count_newlines) {
    std::vector<char> buffer(std::size_t{1} << 18);
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    std::int64_t found = 0;
    for (ssize_t size; (size = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
        if (!count_newlines) {
            found += size;
            continue;
        }
        const char* const end = buffer.data() + size;
        for (const char* p = buffer.data(); (p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))); ++p)
            ++found;
    }
    ::close(descriptor);
    return found;
}

void measure(const fs::path& folder, int columns, int digits, std::size_t bytes) {
    const fs::path path = folder / "vnngp_csv_bench.csv";
    write_numbers(path, columns, digits, bytes);
    const double megabytes = static_cast<double>(fs::file_size(path)) * 1e-6;
    const std::vector<std::string> half = [&] {
        std::vector<std::string> names = data::read_csv_header(path);
        names.resize((names.size() + 1) / 2);
        return names;
    }();
    std::int64_t sink = 0;
    const double plain = best_processor_seconds([&] { sink += pass_over(path, false); });
    const double newlines = best_processor_seconds([&] { sink += pass_over(path, true); });
    data::Table table;
    const double read = best_processor_seconds([&] {
        table = {};
        table = data::read_csv(path, {}, {.threads = 1});
    });
    const auto start = Clock::now();
    sink += data::read_csv(path).rows();
    const double on_clock = std::chrono::duration<double>(Clock::now() - start).count();
    const double some = best_processor_seconds([&] { sink += data::read_csv(path, {.columns = half}, {.threads = 1}).rows(); });
    const double echoed = best_processor_seconds([&] {
        data::CsvReader reader(path, {.keep_raw_rows = true});
        while (const std::int64_t rows = reader.next_block(1 << 14).rows()) sink += rows;
    });
    const fs::path copy = folder / "vnngp_csv_bench_copy.csv";
    const double written = best_processor_seconds([&] { data::write_csv(copy, table); });
    fmt::print("{:7} {:6} {:8.0f} | {:8.0f} {:8.0f} | {:8.0f} {:8.0f} {:8.0f} {:8.0f} | {:8.0f}\n", columns, digits, megabytes,
               megabytes / plain, megabytes / newlines, megabytes / read, megabytes / on_clock, megabytes / some, megabytes / echoed,
               static_cast<double>(fs::file_size(copy)) * 1e-6 / written);
    fs::remove(path);
    fs::remove(copy);
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t bytes = (argc > 1 ? std::stoul(argv[1]) : 100) * 1'000'000;
    const fs::path folder = argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path();
    fmt::print("MB per second of processor time, best of {}; \"threads\" per second on the clock, with a thread for each core\n",
               kRepetitions);
    fmt::print("{:>7} {:>6} {:>8} | {:>8} {:>8} | {:>8} {:>8} {:>8} {:>8} | {:>8}\n", "columns", "digits", "MB", "read()", "memchr",
               "table", "threads", "half", "raw rows", "write");
    for (const int columns : {2, 8})
        for (const int digits : {6, 12, 17}) measure(folder, columns, digits, bytes);
}
