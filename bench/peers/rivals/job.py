"""What every rival shares: the job as a JSON object on the command line, tables standardised by the training rows, scores on one JSON line."""
import json
import sys

import numpy


def the_job():
    return json.loads(sys.argv[1])


def tables(job):
    """x, y, x_test, y_test; every column has mean 0 and variance 1 on the training rows. Constant inputs are left out."""
    with open(job["train"]) as stream:
        names = stream.readline().strip().split(",")
    train, test = (numpy.loadtxt(job[part], delimiter=",", skiprows=1) for part in ("train", "test"))
    mean, scale = train.mean(axis=0), train.std(axis=0)
    target = names.index(job["target"])
    inputs = [column for column in range(len(names)) if column != target and scale[column] > 0]
    parts = []
    for table in (train, test):
        x = (table[:, inputs] - mean[inputs]) / scale[inputs]
        parts += [numpy.ascontiguousarray(x), (table[:, target] - mean[target]) / scale[target]]  # FAISS insists on row order
    return parts


def report(mean, variance, y_test, **measured):
    """`variance` is that of a new observation, noise included."""
    squared = (y_test - mean) ** 2
    nll = .5 * numpy.mean(numpy.log(2 * numpy.pi * variance) + squared / variance)
    print(json.dumps({"nll": float(nll), "rmse": float(numpy.sqrt(squared.mean())), **measured}))
