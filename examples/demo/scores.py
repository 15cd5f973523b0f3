"""Prints the demo's scores, from the files that run.sh left in the current directory."""
import json
from pathlib import Path

import numpy as np

MODELS = {"field": "fitted model", "truth": "true parameters"}
TESTS = {"random": "held-out random points", "block": "held-out block"}
SCORES = {"nll": "NLL", "rmse": "RMSE", "crps": "CRPS", "coverage95": "coverage95"}


def cells(values):
    return "".join(f"{value:>12}" for value in values)


def score_table():
    print(f"\n{'':15}" + "".join(f"{f' {title} ':-^{12 * len(SCORES) - 2}}".rjust(12 * len(SCORES)) for title in TESTS.values()))
    print(f"{'':15}" + cells(SCORES.values()) * len(TESTS))
    for model, title in MODELS.items():
        reports = [json.loads(Path(f"scores_{model}_{test}.json").read_text()) for test in TESTS]
        print(f"{title:15}" + "".join(cells(f"{report[score]:.4f}" for score in SCORES) for report in reports))


def map_scores():
    grid = np.genfromtxt("map.csv", delimiter=",", names=True)
    error = grid["mean"] - grid["f"]
    rmse, coverage = np.sqrt(np.mean(error**2)), np.mean(np.abs(error) < 1.96 * grid["sd"])
    print(f"\nThe map against the noise-free field: RMSE {rmse:.4f}, {100 * coverage:.1f} % of the cells within their 95 % interval")


score_table()
map_scores()
