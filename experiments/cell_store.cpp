#include "experiments/cell_store.hpp"

#include <algorithm>
#include <fstream>

#include "vnngp/data/atomic_file.hpp"

namespace vnngp::experiments {

using Json = nlohmann::ordered_json;

namespace {

// All 0 where it is not one: no cell of that name is then found.
Setting setting_of(const Json& cell) {
    try {
        return {cell.at("neighbors"), cell.at("inducing"), cell.at("epochs"), cell.at("learning_rate")};
    } catch (const Json::exception&) {
        return {};
    }
}

}  // namespace

std::optional<Outcome> CellStore::find(const Cell& cell) const {
    std::ifstream stream(path_of(cell));
    if (!stream) return std::nullopt;
    try {
        const Json json = Json::parse(stream);
        // As text: numbers that were read are compared as they were written.
        if (json.at("cell").dump() != cell_json(cell).dump()) return std::nullopt;
        return outcome_of(json.at("outcome"));
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::vector<Setting> CellStore::settings_like(const Cell& cell) const {
    Cell bare = cell;
    bare.setting = {};
    const std::string prefix = cell_name(bare);
    std::vector<std::filesystem::path> files;
    std::error_code absent;  // no folder: no cells
    for (const auto& file : std::filesystem::directory_iterator(folder_, absent))
        if (file.path().filename().string().starts_with(prefix)) files.push_back(file.path());
    std::sort(files.begin(), files.end());

    std::vector<Setting> settings;
    for (const auto& file : files) {
        const Json json = Json::parse(std::ifstream(file), nullptr, false);
        if (!json.is_object() || !json.contains("cell")) continue;
        Cell found = bare;
        found.setting = setting_of(json["cell"]);
        if (const auto outcome = find(found); outcome && outcome->done()) settings.push_back(found.setting);
    }
    return settings;
}

void CellStore::save(const Cell& cell, const Outcome& outcome) const {
    std::filesystem::create_directories(folder_);
    const Json json{{"cell", cell_json(cell)}, {"outcome", outcome_json(outcome)}};
    const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    data::AtomicFile file(path_of(cell));
    file.write(text.data(), text.size());
    file.commit();
}

}  // namespace vnngp::experiments
