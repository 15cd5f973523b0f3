#include "experiments/cell_store.hpp"

#include <fstream>

#include "vnngp/data/atomic_file.hpp"

namespace vnngp::experiments {

using Json = nlohmann::ordered_json;

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

void CellStore::save(const Cell& cell, const Outcome& outcome) const {
    std::filesystem::create_directories(folder_);
    const Json json{{"cell", cell_json(cell)}, {"outcome", outcome_json(outcome)}};
    const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    data::AtomicFile file(path_of(cell));
    file.write(text.data(), text.size());
    file.commit();
}

}  // namespace vnngp::experiments
