"""The program itself, run like a rival. Seconds are those of the whole process `vnngp fit`: reading the table and writing the model included."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time


def output_of(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


class Fit:
    def __init__(self, job, model, *options):
        start = time.perf_counter()
        report = output_of(job["program"], "fit", job["train"], "--target", job["target"], "--model", model, "--kernel", "matern52", "--neighbors",
                           job["neighbors"], "--seed", job["seed"], "--threads", job["threads"], "--json", "--quiet", *options)
        self.seconds = time.perf_counter() - start
        self.training = report["seconds"]["train"]
        self.peak_mib = report["peak_rss_mib"]
        self.version = report["version"]


MORE_EPOCHS = 10  # as many as a fraction of one of GPyTorch's takes; fewer would drown in what two fits differ by anyway


def stochastic(job, model):
    """The job's epochs, and some more in another fit: their difference is without what is done once, the start and the last check."""
    options = ["--inference", "stochastic", "--nugget", "jitter", "--prediction-neighbors", job["neighbors"], "--batch", job["batch"]]
    longer = Fit(job, model, *options, "--epochs", job["epochs"] + MORE_EPOCHS)
    fit = Fit(job, model, *options, "--epochs", job["epochs"])
    return fit, {"seconds_per_epoch": (longer.training - fit.training) / MORE_EPOCHS}


def options_of(job):
    names = ("inference", "prediction_neighbors")
    return [text for name in names if name in job for text in ("--" + name.replace("_", "-"), job[name])]


def main():
    job = json.loads(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.vnngp"
        fit, more = stochastic(job, model) if "epochs" in job else (Fit(job, model, *options_of(job)), {})
        scores = output_of(job["program"], "evaluate", model, job["test"], "--threads", job["threads"], "--json", "--quiet")["standardized"]
    print(json.dumps({"seconds": fit.seconds, **more, "nll": scores["nll"], "rmse": scores["rmse"], "peak_mib": fit.peak_mib,
                      "version": f"vnngp {fit.version}"}))


main()
