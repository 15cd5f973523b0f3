// The paper's data sets: where they are read from, what stands in for those that cannot be had, and how they are split.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/base/context.hpp"
#include "vnngp/base/types.hpp"

namespace vnngp::experiments {

struct SetInfo {
    std::string_view key;          ///< the file is KEY.csv or KEY.csv.gz
    std::string_view label;        ///< as the paper writes it
    std::string_view target = "";  ///< empty: the last column
    std::string_view inputs = "";  ///< separated by commas; empty: all columns but the target and `dropped`
    std::string_view dropped = "";
    std::string_view likelihood = "gaussian";
    int dims = 2;                         ///< of its simulated replacement
    bool spatial = false;                 ///< one of the lower four of the paper's tables, or stands in for one
    std::string_view stands_in_for = "";  ///< key of the set that could not be had
    Index rows_at_most = 0;               ///< of a stand-in, so that it is as large as what it stands for; 0: all
};

/// In the order of the paper's tables, stand-ins below what they stand for.
const std::vector<SetInfo>& all_sets();
/// Throws InputError with a suggestion for a name that is not there.
const SetInfo& set_info(std::string_view key);

/// Where data come from.
struct DataSource {
    std::filesystem::path folder = {};  ///< empty: none
    bool simulate = false;              ///< small simulated sets instead of files
    Index rows_at_most = 0;             ///< of any set, drawn at random; 0: all
};

/// Throws InputError unless the folder, if there is one, is a directory.
void check_source(const DataSource& source);
/// KEY.csv.gz or KEY.csv.
std::optional<std::filesystem::path> file_of(const DataSource& source, std::string_view key);
bool available(const DataSource& source, const SetInfo& set);
/// Rows of the set that are used at most, by the source and by the set itself; 0: all.
Index row_limit(const DataSource& source, const SetInfo& set);

struct DataSet {
    Points inputs;
    Vector targets;
};

/// All of it. Throws InputError when the set is not available or its file cannot be used.
DataSet load(const DataSource& source, const SetInfo& set, const Context& context);

struct Parts {
    DataSet train, validation, test;
};

/// 64 / 16 / 20 % at random, of at most `rows` rows (0: all): the parts that bench/datasets.py makes.
Parts split(const DataSet& data, std::uint64_t seed, Index rows = 0);

/// Rows of the training part of a set of so many rows.
Index training_rows(Index rows);

}  // namespace vnngp::experiments
