#!/usr/bin/env python3
"""Fits the program to real data sets under the paper's protocol and prints a table: 64 / 16 / 20 % splits, the test part scored, several seeds.

    bench/datasets.py --data DIR elevators protein            # DIR holds elevators.csv.gz ...
    bench/datasets.py --data DIR elevators --seeds 3 -- --neighbors 32 --epochs 300

Options after -- are passed to `vnngp fit`. The training part alone is fitted, as in the paper; the validation part is left unused.
"""
import argparse
import gzip
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

# target, extra options of fit, and the paper's VNNGP (test NLL, RMSE, learned noise) for reference
SETS = {
    "pol": ("y", [], (-1.160, .091, .002)),
    "elevators": ("y", [], (.463, .373, .067)),
    "bike": ("y", [], (-1.690, .043, .001)),
    "kin40k": ("y", [], (-1.016, .096, .001)),
    "protein": ("y", [], (.671, .565, .018)),
    "keggdirected": ("y", [], (-1.039, .085, .005)),
    "keggundirected": ("y", [], (-.715, .118, .013)),
    "precipitation": ("prcp", ["--likelihood", "student-t"], (.145, .432, .005)),
    "covtype": ("pine", ["--likelihood", "bernoulli", "--drop", "Cover_Type"], (.132, None, None)),
    "london_housing": ("log_price", ["--inputs", "lon,lat"], None),
    "etopo5_1m": ("elev_m", [], None),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def split_file(source, seed, folder):
    opener = gzip.open if source.suffix == ".gz" else open
    with opener(source, "rt") as stream:
        header, *rows = stream.read().splitlines()
    random.Random(seed).shuffle(rows)
    train, validation = round(.64 * len(rows)), round(.16 * len(rows))
    parts = {"train": rows[:train], "test": rows[train + validation:]}
    for name, lines in parts.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")


def measured(program, source, target, options, seed):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        split_file(source, seed, folder)
        fit = run(program, "fit", folder / "train.csv", "--target", target, "--model", folder / "m.vnngp", "--seed", seed, "--json", "--quiet", *options)
        scores = run(program, "evaluate", folder / "m.vnngp", folder / "test.csv", "--json", "--quiet")
        narrow = run(program, "evaluate", folder / "m.vnngp", folder / "test.csv", "--json", "--quiet", "--neighbors", fit["k"])
    standardized = scores.get("standardized", {})
    return {
        "nll": standardized.get("nll", scores["nll"]), "rmse": standardized.get("rmse", scores.get("error_rate")),
        "narrow_nll": narrow.get("standardized", {}).get("nll", narrow["nll"]),
        "narrow_rmse": narrow.get("standardized", {}).get("rmse", narrow.get("error_rate")),
        "coverage": scores.get("coverage95"), "noise": fit["hyperparameters"]["standardized"].get("noise"),
        "n": fit["n"], "k": fit["k"], "seconds": fit["seconds"]["total"], "train": fit["seconds"]["train"], "memory": fit["peak_rss_mib"],
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


def main():
    own, fit_options = (sys.argv[1:], [])
    if "--" in own:
        own, fit_options = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", choices=SETS, metavar="set", help=", ".join(SETS))
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with <set>.csv.gz or <set>.csv")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--program", default=pathlib.Path(__file__).parent.parent / "build/release/vnngp")
    arguments = parser.parse_args(own)

    print("| data | N | K | test NLL | RMSE (error rate) | predicting from K: NLL | RMSE | paper: NLL | RMSE | coverage | noise | paper | seconds | training | MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in arguments.sets:
        target, options, paper = SETS[name]
        source = next((path for path in (arguments.data / f"{name}.csv.gz", arguments.data / f"{name}.csv") if path.exists()), None)
        if source is None:
            sys.exit(f"no {name}.csv.gz in {arguments.data}")
        runs = [measured(arguments.program, source, target, [*options, *fit_options], seed) for seed in range(arguments.seeds)]
        column = {key: [each[key] for each in runs] for key in runs[0]}
        reference = [("-" if value is None else f"{value:g}") for value in (paper or (None, None, None))]
        print(f"| {name} | {column['n'][0]} | {column['k'][0]} | {text(column['nll'])} | {text(column['rmse'])} | {text(column['narrow_nll'])} | "
              f"{text(column['narrow_rmse'])} | {reference[0]} | {reference[1]} | {text(column['coverage'])} | {text(column['noise'], 4)} | "
              f"{reference[2]} | {text(column['seconds'], 1)} | {text(column['train'], 1)} | {text(column['memory'], 0)} |", flush=True)


if __name__ == "__main__":
    main()
