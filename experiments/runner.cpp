#include "experiments/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "vnngp/base/error.hpp"

namespace vnngp::experiments {
namespace {

bool listed(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Runner::wants_set(std::string_view key) const { return listed(options_.sets, key); }
bool Runner::wants_method(std::string_view key) const { return listed(options_.methods, key); }

Cell Runner::cell(const SetInfo& set, const MethodInfo& method, std::uint64_t seed, const Setting& setting) {
    const Index limit = row_limit(options_.source, set);
    return {.set = std::string(set.key),
            .simulated = options_.source.simulate,
            .rows = limit > 0 && limit < num_rows(set) ? limit : 0,
            .method = std::string(method.key),
            .seed = seed,
            .setting = setting,
            .input_scale = options_.input_scale};
}

const DataSet& Runner::data(const SetInfo& set) {
    if (loaded_key_ != set.key) {
        loaded_key_.clear();
        loaded_ = load(options_.source, set, context_);
        loaded_key_ = set.key;
    }
    return loaded_;
}

std::vector<Setting> Runner::settings(const MethodInfo& method, Index training_rows, Grid grid) const {
    const auto instead = [](const std::vector<Index>& asked, bool taken, Index of_grid) {
        return taken && !asked.empty() ? asked : std::vector<Index>{of_grid};
    };
    std::vector<Setting> found;
    for (Setting setting : settings_of(method, training_rows, grid, options_.quick)) {
        if (options_.epochs > 0 && method.takes_epochs) setting.epochs = options_.epochs;
        for (const Index k : instead(options_.neighbors, method.takes_neighbors, setting.neighbors))
            for (const Index m : instead(options_.inducing, method.takes_inducing, setting.inducing)) {
                setting.neighbors = k;
                setting.inducing = m;
                if (m < training_rows && std::find(found.begin(), found.end(), setting) == found.end()) found.push_back(setting);
            }
    }
    return found;
}

std::optional<Outcome> Runner::known(const Cell& cell) const {
    auto found = store_.find(cell);
    return found && found->done() ? found : std::nullopt;
}

Index Runner::num_rows(const SetInfo& set) {
    auto known = std::find_if(known_rows_.begin(), known_rows_.end(), [&](const auto& entry) { return entry.first == set.key; });
    if (known == known_rows_.end()) {
        known_rows_.emplace_back(set.key, static_cast<Index>(data(set).targets.size()));
        known = known_rows_.end() - 1;
    }
    return known->second;
}

// Of at most `limit` rows; 0: all.
Index Runner::training_rows(const SetInfo& set, Index limit) {
    return experiments::training_rows(limit > 0 ? std::min(limit, num_rows(set)) : num_rows(set));
}

std::vector<Outcome> Runner::run(const std::vector<Cell>& cells) {
    std::vector<Outcome> outcomes(cells.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto known = store_.find(cells[i]);
        if (known && known->status != Outcome::Status::failed)
            outcomes[i] = *known;
        else
            open.push_back(i);
    }
    // Together what reads the same file.
    std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) { return cells[a].set < cells[b].set; });
    std::size_t done = cells.size() - open.size();
    for (const std::size_t i : open) {
        if (options_.kept_only) {
            const SetInfo& set = set_info(cells[i].set);
            const std::string reason = refusal(method_info(cells[i].method), set, training_rows(set, cells[i].rows));
            outcomes[i] = {.status = reason.empty() ? Outcome::Status::not_run : Outcome::Status::refused, .message = reason};
            continue;
        }
        if (const auto twin = known(cells[i])) {  // the same cell, earlier in the list
            outcomes[i] = *twin;
            ++done;
            continue;
        }
        outcomes[i] = attempt(cells[i], cell_name(cells[i]), done, cells.size());
        store_.save(cells[i], outcomes[i]);
        ++done;
        if (listener_) listener_(cells[i], outcomes[i], done, cells.size());
    }
    for (const Outcome& outcome : outcomes) (outcome.status == Outcome::Status::failed ? failed_ : finished_) += 1;
    return outcomes;
}

Outcome Runner::attempt(const Cell& cell, const std::string& progress_name, std::size_t done, std::size_t total) {
    // One line for all cells: which, and how far the fit within it is.
    Context context = context_;
    context.progress = [&](const Progress& inner) {
        const std::string detail = inner.total > 0 ? fmt::format("{}: {} {}/{}", progress_name, inner.stage, inner.done, inner.total)
                                                   : fmt::format("{}: {}", progress_name, inner.stage);
        context_.report({"cells", static_cast<std::int64_t>(done), static_cast<std::int64_t>(total), detail});
    };
    context.check_stop();
    try {
        const SetInfo& set = set_info(cell.set);
        const std::string reason = refusal(method_info(cell.method), set, training_rows(set, cell.rows));
        if (!reason.empty()) return {.status = Outcome::Status::refused, .message = reason};
        return run_cell(cell, split(data(set), cell.seed, cell.rows), context);
    } catch (const Interrupted&) {
        throw;
    } catch (const std::bad_alloc&) {
        return {.status = Outcome::Status::failed, .message = "there is not enough memory"};
    } catch (const std::exception& error) {
        return {.status = Outcome::Status::failed, .message = error.what()};
    }
}

}  // namespace vnngp::experiments
