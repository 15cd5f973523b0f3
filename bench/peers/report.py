"""From single results to a table, ratios and the comparison with the goals."""
import csv
import statistics

from plan import OURS, OURS_IN_A_HURRY, OURS_STOCHASTIC, PER_EPOCH, TO_CONVERGENCE

FIGURES = ["seconds", "seconds_per_epoch", "nll", "rmse", "peak_mib", "cpu_seconds"]
FIELDS = ["data", "job", "method", *FIGURES, "limit", "failure", "version", "options"]

# data, rival, how many times less our time is to be
PER_EPOCH_GOALS = {"kin40k": 30, "pol": 25}
FINAL_NLL_GOALS = {"elevators": 200, "pol": 200}
GPBOOST_GOAL = 50


def write_csv(path, results):
    with open(path, "w", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(results)


def summary(results):
    """One entry for every data set, job and method: medians over the rounds that have figures, or the reason why none has."""
    groups = {}
    for result in results:
        groups.setdefault((result["data"], result["job"], result["method"]), []).append(result)
    return {key: summary_of_rounds(rounds) for key, rounds in groups.items()}


def summary_of_rounds(rounds):
    good = [result for result in rounds if not result.get("failure")]
    entry = {"limit": rounds[0]["limit"], "version": rounds[-1].get("version", "")}
    for name in FIGURES:
        values = [result[name] for result in (good or rounds) if result.get(name) is not None]
        entry[name] = statistics.median(values) if values else None
    failures = [result["failure"] for result in rounds if result.get("failure")]
    if failures:
        entry["failure"] = failures[0] if not good else f"{len(failures)} of {len(rounds)}: {failures[0]}"
    entry["done"] = bool(good)
    entry["out_of_time"] = not good and failures[0].startswith("not done in")
    return entry


def ours_beside(entries, key):
    data, job, _ = key
    return entries.get((data, job, OURS_STOCHASTIC if job.startswith(PER_EPOCH) else OURS))


def ratio_to_ours(entry, ours, name="seconds"):
    """A number and whether it is only a lower bound, or None."""
    if not ours or not ours["done"] or not ours.get(name):
        return None
    if entry["done"] and entry.get(name):
        return entry[name] / ours[name], False
    if name == "seconds" and entry["out_of_time"]:
        return entry["limit"] / ours[name], True
    return None


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def ratio_text(ratio):
    return "-" if ratio is None else f"{'> ' if ratio[1] else ''}{ratio[0]:.1f}"


COLUMNS = ["data", "job", "method", "seconds", "s / epoch", "test NLL", "RMSE", "peak MiB", "CPU s", "seconds / ours", "s / epoch / ours", "remark"]


def table(results):
    entries = summary(results)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for key, entry in entries.items():
        ours = ours_beside(entries, key)
        cells = [*key, number(entry["seconds"], 2), number(entry["seconds_per_epoch"], 3), number(entry["nll"], 3), number(entry["rmse"], 3),
                 number(entry["peak_mib"], 0), number(entry["cpu_seconds"], 1), ratio_text(ratio_to_ours(entry, ours)),
                 ratio_text(ratio_to_ours(entry, ours, "seconds_per_epoch")), entry.get("failure", entry["version"]).replace("|", "/")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def verdict(ratio, goal):
    if goal is None:
        return ""
    if ratio[1]:
        return f" (goal {goal}: {'met in time, its NLL unknown' if ratio[0] >= goal else 'open, it was stopped too early'})"
    return f" (goal {goal}: {'met' if ratio[0] >= goal else 'missed'})"


def comparisons(results, judge=True):
    """One sentence for each rival and job; with `judge`, whether the goal is met."""
    entries, lines = summary(results), []
    for key, entry in entries.items():
        data, job, method = key
        ours = ours_beside(entries, key)
        if method in (OURS, OURS_STOCHASTIC, OURS_IN_A_HURRY):
            continue
        where = f"{data}, {job}, {method}"
        if not entry["done"] and not entry["out_of_time"]:
            lines.append(f"{where}: no figures ({entry['failure']})")
        elif not ours or not ours["done"]:
            lines.append(f"{where}: nothing of ours to compare with")
        elif job.startswith(PER_EPOCH):
            ratio = ratio_to_ours(entry, ours, "seconds_per_epoch")
            lines.append(f"{where}: no epoch measured" if ratio is None else
                         f"{where}: {ratio_text(ratio)} times our time per epoch{verdict(ratio, PER_EPOCH_GOALS.get(data) if judge else None)}")
        elif job == TO_CONVERGENCE:
            lines.append(f"{where}: {convergence_sentence(data, method, entry, ours, judge)}")
            hurried = entries.get((data, job, OURS_IN_A_HURRY))
            if method == "GPyTorch" and entry["done"] and hurried and hurried["done"]:
                lines.append(f"{where}: {score_sentence(data, entry, {OURS: ours, OURS_IN_A_HURRY: hurried}, judge)}")
    return lines


def convergence_sentence(data, method, entry, ours, judge):
    ratio = ratio_to_ours(entry, ours)
    goal = GPBOOST_GOAL if method == "GPBoost" and judge else None
    if entry["out_of_time"]:
        return f"{entry['failure']}; ours took {ours['seconds']:.2f} s: {ratio_text(ratio)} times our time{verdict(ratio, goal)}"
    if ours["nll"] > entry["nll"]:
        return f"its final test NLL of {entry['nll']:.3f} is better than ours, {ours['nll']:.3f}; it took {ratio_text(ratio)} times our time"
    return (f"its final test NLL of {entry['nll']:.3f} took it {entry['seconds']:.2f} s; ours reached {ours['nll']:.3f} in {ours['seconds']:.2f} s: "
            f"{ratio_text(ratio)} times our time{verdict(ratio, goal)}")


def score_sentence(data, entry, own, judge):
    """How long its final score takes us, by the fastest of our ways that gets there."""
    there = {name: ours for name, ours in own.items() if ours["nll"] <= entry["nll"]}
    if not there:
        return f"none of ours reached its final test NLL of {entry['nll']:.3f}"
    name = min(there, key=lambda candidate: there[candidate]["seconds"])
    ratio = ratio_to_ours(entry, there[name])
    return (f"the fastest of ours to reach its final test NLL is {name}, with {there[name]['nll']:.3f} in {there[name]['seconds']:.2f} s: "
            f"{ratio_text(ratio)} times our time{verdict(ratio, FINAL_NLL_GOALS.get(data) if judge else None)}")
