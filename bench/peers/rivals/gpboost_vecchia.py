"""GPBoost's Vecchia approximation, its defaults but for kernel and number of neighbours, until its optimiser stops."""
import time

import gpboost
import numpy

from job import report, tables, the_job


def main():
    job = the_job()
    x, y, x_test, y_test = tables(job)
    start = time.perf_counter()
    model = gpboost.GPModel(gp_coords=x, cov_function="matern_ard", cov_fct_shape=2.5, gp_approx="vecchia", num_neighbors=job["neighbors"],
                            likelihood="gaussian", seed=job["seed"], num_parallel_threads=job["threads"])
    model.fit(y=y)
    seconds = time.perf_counter() - start
    prediction = model.predict(gp_coords_pred=x_test, predict_var=True, predict_response=True)
    report(numpy.asarray(prediction["mu"]), numpy.asarray(prediction["var"]), y_test, seconds=seconds, version=f"gpboost {gpboost.__version__}")


main()
