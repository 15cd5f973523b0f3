#!/usr/bin/env python3
"""Fits the program to real data sets under the paper's protocol and prints a table: 64 / 16 / 20 % splits, the test part scored, several seeds.

    bench/datasets.py --data DIR elevators protein            # DIR holds elevators.csv.gz ...
    bench/datasets.py --data DIR elevators --seeds 3 -- --neighbors 32

Options after -- are passed to `vnngp fit`; without them it is `--neighbors auto`. The training part alone is fitted, as in the paper; the
validation part is left unused. With --keep, finished fits are kept as JSON and not run again.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from protocol import source_of, split_file

# target, extra options of fit, and from the paper's tables: the best NLL of any method, then its own method's NLL and RMSE
SETS = {
    "pol": ("y", [], (-1.160, -1.160, .091)),
    "elevators": ("y", [], (.417, .463, .373)),
    "bike": ("y", [], (-1.849, -1.690, .043)),
    "kin40k": ("y", [], (-1.016, -1.016, .096)),
    "protein": ("y", [], (.671, .671, .565)),
    "keggdirected": ("y", [], (-1.039, -1.039, .085)),
    "keggundirected": ("y", [], (-.719, -.715, .118)),
    "precipitation": ("prcp", ["--likelihood", "student-t"], (.145, .145, .432)),
    "covtype": ("pine", ["--likelihood", "bernoulli", "--drop", "Cover_Type"], (.069, .132, None)),
    "london_housing": ("log_price", ["--inputs", "lon,lat"], None),
    "etopo5_1m": ("elev_m", [], None),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def measured(program, source, target, options, seed):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        split_file(source, seed, folder)
        fit = run(program, "fit", folder / "train.csv", "--target", target, "--model", folder / "m.vnngp", "--seed", seed, "--json", "--quiet", *options)
        scores = run(program, "evaluate", folder / "m.vnngp", folder / "test.csv", "--json", "--quiet")
    return {"fit": fit, "scores": scores}


def row_of(result):
    fit, scores = result["fit"], result["scores"]
    standardized = scores.get("standardized", {})
    hyper = fit["hyperparameters"]["standardized"]
    return {
        "nll": standardized.get("nll", scores["nll"]), "rmse": standardized.get("rmse", scores.get("error_rate")),
        "coverage": scores.get("coverage95"), "noise": hyper.get("noise"), "nugget": hyper["nugget"], "n": fit["n"], "k": fit["k"],
        "further": fit["prediction_neighbors"], "kernel": fit["kernel"], "seconds": fit["seconds"]["total"], "passes": fit["passes"],
        "linear": fit["linear_iterations"], "changed": fit["neighbors_changed"], "memory": fit["peak_rss_mib"],
    }


def mean_and_error(values):
    values = [value for value in values if value is not None]
    if not values:
        return None, None
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def text(values, digits=3):
    mean, error = mean_and_error(values)
    if mean is None:
        return "-"
    return f"{mean:.{digits}f}" if error is None else f"{mean:.{digits}f} ± {error:.{digits}f}"


def each(values):
    """What the seeds chose: one word when they agree."""
    values = [str(value) for value in values]
    return values[0] if len(set(values)) == 1 else " / ".join(values)


COLUMNS = ["data", "N", "test NLL", "paper: best", "VNNGP", "RMSE (error rate)", "paper", "coverage", "kernel", "K", "predicting from", "noise", "nugget",
           "seconds", "passes", "CG iterations", "neighbours changed", "MiB"]


def main():
    own, fit_options = (sys.argv[1:], ["--neighbors", "auto"])
    if "--" in own:
        own, fit_options = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", choices=SETS, metavar="set", help=", ".join(SETS))
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with <set>.csv.gz or <set>.csv")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the results of single fits")
    parser.add_argument("--program", default=pathlib.Path(__file__).parent.parent / "build/release/vnngp")
    arguments = parser.parse_args(own)

    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|", flush=True)
    for name in arguments.sets:
        target, options, paper = SETS[name]
        source = source_of(arguments.data, name)
        if source is None:
            sys.exit(f"no {name}.csv.gz in {arguments.data}")
        rows = []
        for seed in range(arguments.seeds):
            kept = arguments.keep / f"{name}-{seed}.json" if arguments.keep else None
            if kept and kept.exists():
                result = json.loads(kept.read_text())
            else:
                result = measured(arguments.program, source, target, [*options, *fit_options], seed)
                if kept:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(json.dumps(result))
            rows.append(row_of(result))
        column = {key: [row[key] for row in rows] for key in rows[0]}
        best, vnngp, rmse = [("-" if value is None else f"{value:g}") for value in (paper or (None, None, None))]
        changed = each([", ".join(f"{share:.2f}" for share in shares) for shares in column["changed"]])
        cells = [name, column["n"][0], text(column["nll"]), best, vnngp, text(column["rmse"]), rmse, text(column["coverage"]), each(column["kernel"]),
                 each(column["k"]), each(column["further"]), text(column["noise"], 4), text(column["nugget"], 4), text(column["seconds"], 1),
                 each(column["passes"]), each(column["linear"]), changed, text(column["memory"], 0)]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
