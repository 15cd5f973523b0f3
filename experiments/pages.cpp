#include "experiments/pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "experiments/markdown.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/data/atomic_file.hpp"

namespace vnngp::experiments {
namespace {

void write_text(const std::filesystem::path& path, const std::string& text) {
    data::AtomicFile file(path);
    file.write(text.data(), text.size());
    file.commit();
}

std::string claims_table(const std::vector<Judged>& claims) {
    MarkdownTable table({"", "the paper's claim", "verdict", "measured"});
    for (const auto& [claim, finding] : claims)
        table.row(
            {std::string(claim->id), std::string(claim->text), fmt::format("**{}**", verdict_name(finding.verdict)), finding.measured});
    return table.text();
}

std::string quick_warning(const RunOptions& options) {
    if (!options.quick) return "";
    return fmt::format(
        "> **A quick run**: {} rows, few epochs and neighbours, one way to see that everything works. Verdicts mean little here.\n\n",
        options.source.simulate ? "simulated data of a few hundred" : "data sets cut to a few");
}

std::string page_text(const PageInfo& info, const Page& page, const std::vector<Judged>& claims, const RunOptions& options,
                      double seconds) {
    std::string text = fmt::format("# {}: {}\n\n{}![{}]({}.png)\n\n", info.name, info.title, quick_warning(options), info.title, info.name);
    text += fmt::format("All values: [{}.csv]({}.csv). Made by\n\n    {}\n\n", info.name, info.name, command_text(info.name, options));
    text += fmt::format("## Claims\n\n{}\n## What was run\n\n{}\n", claims_table(claims), page.text);
    text += page.cell_seconds > 0.0 ? fmt::format("\nThe fits behind this page took {} in all; this run of the command took {}.\n",
                                                  duration(page.cell_seconds), duration(seconds))
                                    : fmt::format("\nThis took {}.\n", duration(seconds));
    return text;
}

}  // namespace

const std::vector<PageInfo>& all_pages() {
    static const std::vector<PageInfo> pages{
        {"figure-1", "Cholesky factors of the prior precision", "none", "a second", figure_1},
        {"figure-2", "Sensitivity to the number of neighbours", "elevators; ukhousing or london_housing", "6 hours", figure_2},
        {"figure-3", "KL divergence against the number of neighbours", "none; 3droad or etopo5_1m for one row", "10 seconds", figure_3},
        {"figure-4", "Posteriors under high noise", "none", "10 seconds", figure_4},
        {"figure-5", "Bound and test NLL against the noise", "ukhousing or etopo5_1m", "4 hours", figure_5},
        {"figure-6", "Training loss against iterations", "bike; ukhousing or london_housing", "an hour", figure_6},
        {"table-1", "Test NLL", "as many of the data sets as there are", "days for all; see --sets, --methods", table_1},
        {"table-2", "Test RMSE", "as table-1, from the same fits", "-", table_2},
        {"table-3", "Learned noise", "as table-1, from the same fits", "-", table_3},
    };
    return pages;
}

PageOutcome write_page(const PageInfo& info, Runner& runner) {
    const auto start = std::chrono::steady_clock::now();
    const Page page = info.make(runner);
    PageOutcome outcome{&info, judged(info.name, page.results)};
    const std::filesystem::path& out = runner.options().out;
    std::filesystem::create_directories(out);
    const std::string name(info.name);
    write_results(out / (name + ".csv"), page.results, page.x_name);
    chart::write_png(out / (name + ".png"), page.figure);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    write_text(out / (name + ".md"), page_text(info, page, outcome.claims, runner.options(), seconds));
    return outcome;
}

void write_index(const std::vector<PageOutcome>& pages, const RunOptions& options) {
    std::string text = fmt::format("# The paper's figures and tables\n\n{}", quick_warning(options));
    MarkdownTable contents({"", "", "holds", "does not hold", "not tested here"});
    std::vector<Judged> all;
    for (const auto& [page, claims] : pages) {
        const auto count = [&claims = claims](Verdict verdict) {
            return std::to_string(
                std::count_if(claims.begin(), claims.end(), [&](const Judged& judged) { return judged.finding.verdict == verdict; }));
        };
        contents.row({fmt::format("[{}]({}.md)", page->name, page->name), std::string(page->title), count(Verdict::holds),
                      count(Verdict::does_not_hold), count(Verdict::not_tested)});
        all.insert(all.end(), claims.begin(), claims.end());
    }
    text += fmt::format("{}\n## All claims\n\n{}\nMade by `{}`.\n", contents.text(), claims_table(all), command_text("all", options));
    write_text(options.out / "index.md", text);
}

std::string command_text(std::string_view page, const RunOptions& options) {
    std::string text = fmt::format("vnngp paper {}", page);
    if (!options.source.folder.empty()) text += fmt::format(" --data {}", options.source.folder.string());
    text += fmt::format(" --out {}", options.out.string());
    if (options.quick) text += " --quick";
    if (!options.sets.empty()) text += fmt::format(" --sets {}", fmt::join(options.sets, ","));
    if (!options.methods.empty()) text += fmt::format(" --methods {}", fmt::join(options.methods, ","));
    if (options.first_seed > 0) text += fmt::format(" --first-seed {}", options.first_seed);
    text += fmt::format(" --seeds {}", options.seeds);
    if (options.grid != Grid::single) text += fmt::format(" --grid {}", options.grid == Grid::wide ? "wide" : "published");
    if (!options.neighbors.empty()) text += fmt::format(" --neighbors {}", fmt::join(options.neighbors, ","));
    if (!options.inducing.empty()) text += fmt::format(" --inducing {}", fmt::join(options.inducing, ","));
    if (options.input_scale == data::Scale::range) text += " --input-scale range";
    if (options.epochs > 0) text += fmt::format(" --epochs {}", options.epochs);
    if (options.source.rows_at_most > 0 && !options.quick) text += fmt::format(" --rows {}", options.source.rows_at_most);
    if (options.seed != 0) text += fmt::format(" --seed {}", options.seed);
    return text;
}

const SetInfo& set_or_stand_in(const DataSource& source, std::string_view key) {
    const SetInfo& set = set_info(key);
    if (available(source, set)) return set;
    for (const SetInfo& other : all_sets())
        if (other.stands_in_for == key) return other;
    return set;
}

std::vector<const SetInfo*> wanted_sets(const Runner& runner, std::initializer_list<const SetInfo*> sets, std::string_view page) {
    std::vector<const SetInfo*> wanted;
    std::vector<std::string_view> keys;
    for (const SetInfo* set : sets) {
        keys.push_back(set->key);
        const auto& named = runner.options().figure_sets;
        if (named.empty() || std::find(named.begin(), named.end(), set->key) != named.end()) wanted.push_back(set);
    }
    if (wanted.empty()) throw InputError(fmt::format("--sets: {} is made of {}", page, fmt::join(keys, " and ")));
    for (const SetInfo* set : wanted) require_available(runner.options().source, *set, page);
    return wanted;
}

std::string set_text(const SetInfo& set, bool simulated) {
    if (simulated) return fmt::format("{} (simulated)", set.label);
    if (!set.stands_in_for.empty()) return fmt::format("{} (stands in for {})", set.label, set_info(set.stands_in_for).label);
    return std::string(set.label);
}

void require_available(const DataSource& source, const SetInfo& set, std::string_view page) {
    if (available(source, set)) return;
    if (source.folder.empty())
        throw InputError(fmt::format("{} needs data: --data DIR, with {}.csv.gz in it; or --quick, with simulated data", page, set.key));
    throw InputError(fmt::format("--data {}: {} needs {}.csv.gz, which is not there", source.folder.string(), page, set.key));
}

}  // namespace vnngp::experiments
