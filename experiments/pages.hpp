// The paper's figures and tables by name: what each needs, how it is made, and the files it becomes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/chart.hpp"
#include "experiments/claims.hpp"
#include "experiments/results.hpp"
#include "experiments/runner.hpp"

namespace vnngp::experiments {

struct Page {
    Results results = {};
    std::string x_name = "x";  ///< what Value::x is
    chart::Figure figure = {};
    std::string text = {};      ///< Markdown: what was run, and the numbers
    double cell_seconds = 0.0;  ///< that its cells took, now or in earlier runs
};

struct PageInfo {
    std::string_view name;   ///< figure-1 ... table-3
    std::string_view title;  ///< what it shows
    std::string_view needs;  ///< data
    std::string_view takes;  ///< time of a full run, roughly
    Page (*make)(Runner& runner);
};

const std::vector<PageInfo>& all_pages();

struct PageOutcome {
    const PageInfo* page;
    std::vector<Judged> claims;
};

/// Makes the page and writes NAME.csv, NAME.png and NAME.md into the folder of the run.
PageOutcome write_page(const PageInfo& page, Runner& runner);
/// index.md: all claims with their verdicts.
void write_index(const std::vector<PageOutcome>& pages, const RunOptions& options);

/// How the same run is asked for, as a shell command.
std::string command_text(std::string_view page, const RunOptions& options);

Page figure_1(Runner& runner);
Page figure_2(Runner& runner);
Page figure_3(Runner& runner);
Page figure_4(Runner& runner);
Page figure_5(Runner& runner);
Page figure_6(Runner& runner);
Page table_1(Runner& runner);
Page table_2(Runner& runner);
Page table_3(Runner& runner);

/// The user's own file of a set where there is one, otherwise what stands in for it.
const SetInfo& set_or_stand_in(const DataSource& source, std::string_view key);
/// These, as far as the user wants them. Throws InputError when that leaves none, or one that has no file.
std::vector<const SetInfo*> wanted_sets(const Runner& runner, std::initializer_list<const SetInfo*> sets, std::string_view page);
/// "Elevators", "London housing (stands in for UKHousing)", "Elevators (simulated)"
std::string set_text(const SetInfo& set, bool simulated);
/// Throws InputError, saying what is missing, unless the set can be had.
void require_available(const DataSource& source, const SetInfo& set, std::string_view page);

}  // namespace vnngp::experiments
