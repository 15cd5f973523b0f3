"""Draws time against test NLL, a panel for each data set: picture.py results.csv picture.png"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import matplotlib.ticker  # noqa: E402

STYLES = {"vnngp": ("o", "#c0392b"), "vnngp, response": ("P", "#e67e22"), "GPyTorch": ("s", "#2c3e50"), "GPBoost": ("^", "#2980b9"), "scikit-learn": ("D", "#7f8c8d")}


def draw(axes, rows):
    for method, (marker, color) in STYLES.items():
        own = [row for row in rows if row["method"] == method]
        done = [row for row in own if not row["failure"]]
        if done:
            axes.scatter([float(row["seconds"]) for row in done], [float(row["nll"]) for row in done], s=55, marker=marker, color=color, label=method, zorder=3)
        elif any(row["failure"].startswith("not done in") for row in own):
            axes.axvline(float(own[0]["limit"]), color=color, linestyle="--", label=f"{method}: not done")
        elif own:
            axes.plot([], [], marker, color=color, alpha=.4, label=f"{method}: failed")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    axes.set_xlabel("seconds of training")
    axes.grid(alpha=.3, which="both")
    axes.margins(.15, .25)
    axes.legend(fontsize=8)


def main():
    source, picture = sys.argv[1:]
    with open(source, newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["job"] == "to convergence"]
    sets = list(dict.fromkeys(row["data"] for row in rows))
    if not sets:
        sys.exit("nothing was run to convergence")
    figure, panels = plt.subplots(1, len(sets), figsize=(4.4 * len(sets), 4), squeeze=False, sharex=True, layout="constrained")
    for axes, name in zip(panels[0], sets):
        draw(axes, [row for row in rows if row["data"] == name])
        axes.set_title(name)
    panels[0][0].set_ylabel("test NLL, standardised target (lower is better)")
    figure.savefig(picture, dpi=130)


main()
