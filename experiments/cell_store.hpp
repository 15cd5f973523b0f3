// Finished cells on the disk, one JSON file each, written whole or not at all: what a later run does not have to do again.
#pragma once

#include <filesystem>
#include <optional>

#include "experiments/cells.hpp"

namespace vnngp::experiments {

class CellStore {
public:
    /// Makes the folder when the first cell is saved.
    explicit CellStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// What is known of exactly this cell. Empty when there is no file, when it cannot be read as one, or when it is about another cell.
    std::optional<Outcome> find(const Cell& cell) const;
    void save(const Cell& cell, const Outcome& outcome) const;
    /// The settings of all finished cells that differ from this one in their setting alone, sorted by the names of their files.
    std::vector<Setting> settings_like(const Cell& cell) const;

    std::filesystem::path path_of(const Cell& cell) const { return folder_ / (cell_name(cell) + ".json"); }

private:
    std::filesystem::path folder_;
};

}  // namespace vnngp::experiments
