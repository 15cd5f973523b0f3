#!/usr/bin/env python3
"""Runs other programs and this one on the same job, one after the other, and prints who took how long and how well they predict.

    make bench-peers                                         # a simulated table
    make bench-peers PEERS="--data DIR"                      # DIR holds kin40k.csv.gz, pol.csv.gz, elevators.csv.gz, protein.csv.gz, target y
    bench/peers/run.py --data DIR --sets elevators --quick   # a few minutes: 4,000 rows, few epochs; tests the benchmark, judges nobody

The rivals are installed from PyPI into a virtual environment (GPyTorch's torch is a download of about 3 GB). One that cannot be installed, fails,
or runs out of time is in the table with the reason. Two threads for everyone.
"""
import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build"
sys.path.insert(0, str(HERE.parent))

from child import result_of  # noqa: E402
from packages import installed  # noqa: E402
from plan import SCRIPTS, Size, plan, quick  # noqa: E402
from protocol import source_of, split_file  # noqa: E402
from report import comparisons, table, write_csv  # noqa: E402

REAL_SETS = ["kin40k", "elevators", "pol", "protein"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="folder with <set>.csv.gz or <set>.csv; without it the table is simulated")
    parser.add_argument("--sets", nargs="+", choices=REAL_SETS, default=REAL_SETS, metavar="SET", help=f"with --data: {', '.join(REAL_SETS)}")
    parser.add_argument("--quick", action="store_true", help="few rows, few epochs, short limits")
    parser.add_argument("--gpytorch-epochs", type=int, metavar="N", help="of its run to convergence [default: 300]")
    parser.add_argument("--gpytorch-on-pol", action="store_true", help="run GPyTorch to convergence on pol too, not on elevators alone")
    parser.add_argument("--gpboost-limit", type=float, metavar="S", help="seconds for each run of GPBoost [default: 400]")
    parser.add_argument("--exact-limit", type=float, metavar="S", help="seconds for each run of scikit-learn [default: 200]")
    parser.add_argument("--rows", type=int, metavar="N", help="use at most this many rows of a set")
    parser.add_argument("--seed", type=int, default=0, help="of the split and of every program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, default=BUILD / "peers", help="folder for results.csv, table.md and picture.png")
    parser.add_argument("--program", type=pathlib.Path, default=BUILD / "release/vnngp")
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter that has the rivals' packages, instead of build/peers-venv")
    parser.add_argument("--rivals", type=pathlib.Path, default=HERE / "rivals", help="folder with the rivals' scripts")
    parser.add_argument("--install-limit", type=float, default=900, metavar="S", help="seconds for installing one rival")
    return parser.parse_args()


def size_of(given):
    size = quick() if given.quick else Size()
    for name in ("gpytorch_epochs", "gpboost_limit", "exact_limit", "rows"):
        if getattr(given, name) is not None:
            setattr(size, name, getattr(given, name))
    return size


def simulated_table(program, folder):
    path = folder / "simulated.csv"
    subprocess.run([program, "simulate", "--points", "15000", "--dims", "4", "--kernel", "matern52", "--lengthscale", "0.3,0.4,0.6,2", "--noise", "0.05",
                    "--seed", "1", "--quiet", "-o", path], check=True)
    return path


def split_sets(given, size, folder):
    """For each set a folder with train.csv and test.csv."""
    parts = {}
    for name in given.sets if given.data else ["simulated"]:
        source = source_of(given.data, name) if given.data else simulated_table(given.program, folder)
        if source is None:
            sys.exit(f"no {name}.csv.gz in {given.data}")
        parts[name] = folder / name
        parts[name].mkdir()
        split_file(source, given.seed, parts[name], size.rows)
    return parts


def measured(run, given, folder, python, reasons):
    if run.method in reasons:
        return {"failure": reasons[run.method]}
    job = {"train": str(folder / "train.csv"), "test": str(folder / "test.csv"), "target": "y", "seed": given.seed, "threads": given.threads,
           "program": str(given.program), **run.options}
    script = [python, given.rivals / SCRIPTS[run.method]] if run.method in SCRIPTS else [sys.executable, HERE / "ours.py"]
    return result_of([*script, json.dumps(job)], run.limit, given.threads)


def draw(python, out):
    done = subprocess.run([python, HERE / "picture.py", out / "results.csv", out / "picture.png"], capture_output=True, text=True)
    say(f"picture: {out / 'picture.png'}" if done.returncode == 0 else f"no picture: {(done.stderr.strip().splitlines() or ['?'])[-1]}")


def main():
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given.program = given.program.resolve()
    size = size_of(given)
    given.out.mkdir(parents=True, exist_ok=True)
    python, reasons = (given.python, {}) if given.python else installed(BUILD / "peers-venv", given.install_limit, say)
    results = []
    write_csv(given.out / "results.csv", results)
    with tempfile.TemporaryDirectory() as name:
        parts = split_sets(given, size, pathlib.Path(name))
        runs = plan(parts, size, given.gpytorch_on_pol)
        for count, run in enumerate(runs, 1):
            say(f"{count}/{len(runs)} {run.data}, {run.job}: {run.method}")
            result = measured(run, given, parts[run.data], python, reasons)
            results.append({"data": run.data, "job": run.job, "method": run.method, "limit": run.limit, "options": json.dumps(run.options), **result})
            write_csv(given.out / "results.csv", results)
    text = table(results) + "\n\n" + "\n".join(f"- {line}" for line in comparisons(results, judge=not given.quick)) + "\n"
    (given.out / "table.md").write_text(text)
    print(text, end="")
    draw(python, given.out)


if __name__ == "__main__":
    main()
