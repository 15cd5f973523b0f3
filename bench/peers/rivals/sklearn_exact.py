"""scikit-learn's exact Gaussian process on the first rows of the training part, with its own L-BFGS."""
import time
import warnings

import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from job import report, tables, the_job


def main():
    warnings.filterwarnings("ignore")  # length-scales at their bounds
    job = the_job()
    x, y, x_test, y_test = tables(job)
    x, y = x[:job["rows"]], y[:job["rows"]]
    start = time.perf_counter()
    kernel = ConstantKernel() * Matern(length_scale=[1.0] * x.shape[1], nu=2.5) + WhiteKernel()
    model = GaussianProcessRegressor(kernel).fit(x, y)
    seconds = time.perf_counter() - start
    # The variance includes that of the WhiteKernel.
    mean, deviation = model.predict(x_test, return_std=True)
    report(mean, deviation ** 2, y_test, seconds=seconds, version=f"scikit-learn {sklearn.__version__}")


main()
