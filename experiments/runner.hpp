// Runs cells, skipping those that are finished.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/cell_store.hpp"

namespace vnngp::experiments {

/// What the user asked for.
struct RunOptions {
    DataSource source = {};
    std::filesystem::path out = "paper";
    bool quick = false;
    std::vector<std::string> sets = {};         ///< of the tables; empty: all
    std::vector<std::string> figure_sets = {};  ///< of a figure that was asked for alone; empty: the paper's
    std::vector<std::string> methods = {};      ///< empty: all that the experiment has
    int first_seed = 0;                         ///< of the tables
    int seeds = 3;
    Grid grid = Grid::single;
    data::Scale input_scale = data::Scale::deviation;
    std::vector<Index> neighbors = {};  ///< of the tables' settings, in place of the grid's; empty: the grid's
    std::vector<Index> inducing = {};   ///< likewise
    int epochs = 0;                     ///< in place of the grid's; 0: the grid's
    bool kept_only = false;             ///< run nothing: pages of what is there
    std::uint64_t seed = 0;             ///< of what is drawn at random; data sets are split by the numbers 0, 1, ...
};

/// Told of every cell that was run now: its name, what came of it, and cells done and in all.
using CellListener = std::function<void(const Cell&, const Outcome&, std::size_t done, std::size_t total)>;

class Runner {
public:
    Runner(RunOptions options, Context context, CellListener listener)
        : options_(std::move(options)), context_(std::move(context)), listener_(std::move(listener)), store_(options_.out / "cells") {}

    const RunOptions& options() const { return options_; }
    const Context& context() const { return context_; }

    bool wants_set(std::string_view key) const;
    bool wants_method(std::string_view key) const;

    /// The outcomes in the order of the cells. What fails is an outcome too; Interrupted is thrown on.
    std::vector<Outcome> run(const std::vector<Cell>& cells);

    /// Of `set`: the cell has its row limit and knows whether it is simulated. A limit that the set does not reach is none.
    Cell cell(const SetInfo& set, const MethodInfo& method, std::uint64_t seed, const Setting& setting);
    /// Rows in the training part of the set, with its row limit.
    Index training_rows(const SetInfo& set) { return training_rows(set, row_limit(options_.source, set)); }
    /// The settings to choose from, as the user asked for them; the first alone with Grid::single.
    std::vector<Setting> settings(const MethodInfo& method, Index training_rows, Grid grid) const;
    /// What an earlier run left of a cell, if it succeeded.
    std::optional<Outcome> known(const Cell& cell) const;
    /// The settings with which earlier runs finished cells like this one.
    std::vector<Setting> known_settings(const Cell& cell) const { return store_.settings_like(cell); }

    const DataSet& data(const SetInfo& set);
    std::size_t failed() const { return failed_; }
    std::size_t finished() const { return finished_; }

private:
    Index num_rows(const SetInfo& set);
    Index training_rows(const SetInfo& set, Index limit);
    Outcome attempt(const Cell& cell, const std::string& progress_name, std::size_t done, std::size_t total);

    RunOptions options_;
    Context context_;
    CellListener listener_;
    CellStore store_;
    std::string loaded_key_ = {};
    DataSet loaded_ = {};
    std::vector<std::pair<std::string, Index>> known_rows_ = {};
    std::size_t failed_ = 0, finished_ = 0;
};

}  // namespace vnngp::experiments
