"""Draws demo.png from train.csv, test_block.csv and map.csv in the current directory: observations, prediction, truth, standard deviation."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

INK = "#222222"
WIDTH, HEIGHT = 16.0, 3.92  # of the figure, in inches
PANEL = 3.5

plt.rcParams.update({"text.color": INK, "axes.edgecolor": INK, "axes.linewidth": 0.6, "xtick.color": INK, "ytick.color": INK,
                     "xtick.labelsize": 11, "ytick.labelsize": 11, "axes.titlesize": 14})


def read(path):
    return np.genfromtxt(path, delimiter=",", names=True)


def held_out_block():
    block = read("test_block.csv")
    corner, opposite = [(extreme(block["x1"]), extreme(block["x2"])) for extreme in (np.min, np.max)]
    return dict(xy=corner, width=opposite[0] - corner[0], height=opposite[1] - corner[1])


def panel(figure, left, title, outline):
    axis = figure.add_axes((left / WIDTH, 0.06 / HEIGHT, PANEL / WIDTH, PANEL / HEIGHT), xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    axis.set_title(title, pad=8)
    axis.add_patch(Rectangle(**held_out_block(), fill=False, linewidth=1.4, linestyle=(0, (3, 2)), edgecolor=outline, zorder=3))
    return axis


def image(axis, values, **style):
    side = int(np.sqrt(values.size))
    return axis.imshow(values.reshape(side, side), origin="lower", extent=(0, 1, 0, 1), interpolation="bilinear", **style)


def colour_bar(figure, mappable, axis, ticks=None):
    bar = figure.colorbar(mappable, cax=axis.inset_axes((1.03, 0, 0.045, 1)), ticks=ticks, format="%g")
    bar.minorticks_off()
    bar.outline.set_linewidth(0.6)
    bar.ax.tick_params(width=0.6, length=3)


def main():
    train, grid = read("train.csv"), read("map.csv")
    low, high = np.quantile(grid["f"], (0.005, 0.995))
    field = dict(cmap="viridis", vmin=low, vmax=high)

    figure = plt.figure(figsize=(WIDTH, HEIGHT))
    axis = panel(figure, 0.06, f"{train.size:,} noisy observations", INK)
    axis.scatter(train["x1"], train["x2"], c=train["y"], s=4, linewidths=0, antialiased=False, **field)
    axis = panel(figure, 3.66, "Prediction", "white")
    image(axis, grid["mean"], **field)
    axis = panel(figure, 7.26, "Truth", "white")
    colour_bar(figure, image(axis, grid["f"], **field), axis)
    axis = panel(figure, 11.72, "Standard deviation of the prediction", "white")
    colour_bar(figure, image(axis, grid["sd"], cmap="magma", norm=LogNorm(0.055, 0.7)), axis, ticks=(0.06, 0.1, 0.2, 0.3, 0.5))
    figure.savefig("demo.png", dpi=100, facecolor="white", pil_kwargs=dict(optimize=True))


main()
