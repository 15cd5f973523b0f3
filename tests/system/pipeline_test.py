"""simulate -> fit -> predict -> evaluate -> inspect, and what each of them promises to print."""
import math

from support import STOCHASTIC, SystemTest, column, main, rows_of


class Pipeline(SystemTest):
    def setUp(self):
        super().setUp()
        self.simulate()
        self.report = self.fit(options=["--validation", 0.1])

    def test_simulated_table_has_the_asked_for_shape(self):
        header, rows = rows_of(self.read("field.csv"))
        self.assertEqual(header, ["x1", "x2", "y"])
        self.assertEqual(len(rows), 200)
        self.assertTrue(all(0.0 <= float(row[0]) < 1.0 for row in rows))

    def test_truth_adds_the_field_without_noise(self):
        self.succeeds("simulate", "--points", 50, "--noise", 0, "--truth", "-o", "exact.csv")
        text = self.read("exact.csv")
        self.assertEqual(column(text, "y"), column(text, "f"))

    def test_simulate_writes_to_standard_output(self):
        self.assertEqual(self.succeeds("simulate", "--points", 200, "--lengthscale", 0.3, "--seed", 1).stdout, self.read("field.csv"))

    def test_fit_reports_every_promised_field(self):
        report = self.report
        for key, kind in {"method": str, "likelihood": str, "kernel": str, "n": int, "d": int, "m": int, "k": int, "elbo": float,
                          "elbo_per_point": float, "converged": bool, "iterations": int, "seconds": dict, "peak_rss_mib": float,
                          "hyperparameters": dict, "duplicates_merged": int, "jitter": dict, "warnings": list, "notes": list,
                          "inputs": list, "target": str, "inference": str, "ordering": str, "metric": str, "seed": int, "threads": int,
                          "skipped_rows": int, "model": str, "stopped_because": str, "prediction_neighbors": int, "intervals": str,
                          "instruction_set": str, "version": str, "validation": dict, "trace": list, "passes": int,
                          "linear_iterations": int, "neighbors_changed": list, "tried": list, "optimality_gap": float}.items():
            self.assertIsInstance(report[key], kind, key)
        self.assertEqual((report["method"], report["likelihood"], report["inference"], report["metric"]),
                         ("vnngp", "gaussian", "collapsed", "kernel"))
        self.assertEqual((report["n"], report["d"], report["m"], report["k"]), (180, 2, 180, 8))
        self.assertEqual((report["target"], report["inputs"], report["model"]), ("y", ["x1", "x2"], "field.vnngp"))
        self.assertTrue(report["converged"])
        self.assertEqual(report["iterations"], len(report["trace"]))
        self.assertGreater(report["passes"], report["iterations"])
        self.assertGreater(report["linear_iterations"], 0)
        self.assertTrue(report["neighbors_changed"])
        self.assertTrue(all(0.0 <= share <= 1.0 for share in report["neighbors_changed"]))
        self.assertAlmostEqual(report["elbo_per_point"], report["elbo"] / 180)
        self.assertEqual(set(report["seconds"]), {"read", "choose", "neighbors", "train", "total"})
        self.assertGreaterEqual(report["seconds"]["total"], report["seconds"]["train"])
        self.assertEqual(set(report["jitter"]), {"raised", "max"})

    def test_kernels_that_were_compared_are_reported_and_the_best_is_taken(self):
        tried = self.report["tried"]
        self.assertEqual({each["kernel"] for each in tried}, {"matern12", "matern32", "matern52", "rbf"})
        for each in tried:
            self.assertEqual(set(each), {"kernel", "k", "prediction_neighbors", "log_density", "error", "seconds"})
        best = tried[0]
        for each in tried:
            if each["log_density"] - best["log_density"] > 0.5 * each["error"]:
                best = each
        self.assertEqual((self.report["kernel"], self.report["prediction_neighbors"]), (best["kernel"], best["prediction_neighbors"]))
        self.assertEqual(self.fit(options=["--kernel", "matern32", "--prediction-neighbors", 8])["tried"], [])

    def test_stochastic_training_reports_its_epochs(self):
        report = self.fit(options=[*STOCHASTIC, "--validation", 0.1])
        self.assertEqual((report["inference"], report["metric"], report["kernel"]), ("stochastic", "euclidean", "matern52"))
        self.assertEqual(report["iterations"], 5 * 3)
        self.assertEqual((report["passes"], len(report["trace"])), (5, 5))
        self.assertIn("5 epochs", report["stopped_because"])
        self.assertEqual((report["tried"], report["neighbors_changed"]), ([], []))

    def test_hyperparameters_are_in_data_units_and_standardized(self):
        learned = self.report["hyperparameters"]
        standardized = learned["standardized"]
        keys = {"lengthscales", "kernel", "outputscale", "noise", "nugget", "total_noise", "mean", "mean_slopes"}
        self.assertEqual(set(standardized), keys)
        self.assertEqual(set(learned), keys | {"standardized"})
        self.assertEqual(len(learned["lengthscales"]), 2)
        scale = learned["outputscale"] / standardized["outputscale"]
        self.assertAlmostEqual(learned["noise"], scale * standardized["noise"])
        self.assertAlmostEqual(learned["total_noise"], learned["noise"] + learned["nugget"])
        self.assertEqual(list(learned["kernel"].values()), learned["lengthscales"])
        self.assertEqual(learned["mean_slopes"], [])
        # Inputs are uniform on the unit interval, whose standard deviation is 1 / sqrt(12).
        self.assertAlmostEqual(learned["lengthscales"][0] / standardized["lengthscales"][0], 12**-0.5, delta=0.05)

    def test_validation_scores_the_rows_held_out(self):
        self.assertEqual(self.report["validation"]["n"], 20)
        self.assertEqual(set(self.report["validation"]),
                         {"n", "nll", "rmse", "mae", "crps", "coverage95", "interval95_width", "standardized"})

    def test_predict_adds_columns_and_keeps_the_others_as_they_came(self):
        table = ["note,x2,x1,more", '"a, ""b""",0.50,5e-1,', "NA,0.25,0.75 ,x"]
        self.write("new.csv", table)
        self.succeeds("predict", "field.vnngp", "new.csv", "--quantiles", "0.05,.5,0.95", "-o", "out.csv")
        lines = self.read("out.csv").splitlines()
        self.assertEqual(lines[0], table[0] + ",mean,sd,q0.05,q0.5,q0.95")
        for line, original in zip(lines[1:], table[1:]):
            self.assertTrue(line.startswith(original + ","), line)
            mean, sd, low, middle, high = map(float, line[len(original) + 1:].split(","))
            self.assertGreater(sd, 0.0)
            self.assertAlmostEqual(middle, mean)
            self.assertAlmostEqual((high - low) / 2, 1.6448536 * sd, places=5)

    def test_latent_sd_lacks_noise_and_nugget(self):
        observed = self.succeeds("predict", "field.vnngp", "field.csv").stdout
        latent = self.succeeds("predict", "field.vnngp", "field.csv", "--latent").stdout
        white = self.report["hyperparameters"]["noise"] + self.report["hyperparameters"]["nugget"]
        for of_y, of_f in zip(column(observed, "sd"), column(latent, "sd")):
            self.assertAlmostEqual(float(of_y)**2, float(of_f)**2 + white, places=9)

    def test_columns_are_matched_by_name(self):
        header, rows = rows_of(self.read("field.csv"))
        self.write("permuted.csv", ["y,x2,extra,x1"] + [f"{y},{x2},7,{x1}" for x1, x2, y in rows])
        original = self.succeeds("predict", "field.vnngp", "field.csv").stdout
        permuted = self.succeeds("predict", "field.vnngp", "permuted.csv").stdout
        for name in ("mean", "sd"):
            self.assertEqual(column(original, name), column(permuted, name))

    def test_blocks_do_not_show(self):
        """More rows than are read at a time."""
        header, rows = rows_of(self.read("field.csv"))
        long = [",".join(header)] + [",".join(row) for row in rows] * 300
        self.write("long.csv", long)
        expected = column(self.succeeds("predict", "field.vnngp", "field.csv").stdout, "mean") * 300
        for threads in (1, 2):
            self.assertEqual(column(self.succeeds("predict", "field.vnngp", "long.csv", "--threads", threads).stdout, "mean"), expected)
        once, often = self.json_of("evaluate", "field.vnngp", "field.csv"), self.json_of("evaluate", "field.vnngp", "long.csv")
        self.assertEqual(often["n"], 60000)
        self.assertAlmostEqual(once["nll"], often["nll"])
        self.write("missing.csv", long[:50000] + [","] * 3 + long[50000:])
        self.fails("predict", "field.vnngp", "missing.csv", "-o", "out.csv", says="line 50001")

    def test_evaluate_agrees_with_predict(self):
        scores = self.json_of("evaluate", "field.vnngp", "field.csv")
        text = self.succeeds("predict", "field.vnngp", "field.csv", "--quantiles", "0.025,0.975").stdout
        y, mean, sd, low, high = ([float(value) for value in column(text, name)] for name in ("y", "mean", "sd", "q0.025", "q0.975"))
        n = len(y)
        self.assertEqual(scores["n"], n)
        self.assertAlmostEqual(scores["rmse"], math.sqrt(sum((a - b)**2 for a, b in zip(y, mean)) / n))
        self.assertAlmostEqual(scores["mae"], sum(abs(a - b) for a, b in zip(y, mean)) / n)
        self.assertAlmostEqual(scores["nll"], sum(0.5 * math.log(2 * math.pi * s * s) + 0.5 * ((a - b) / s)**2
                                                  for a, b, s in zip(y, mean, sd)) / n)
        self.assertAlmostEqual(scores["coverage95"], sum(l <= a <= h for a, l, h in zip(y, low, high)) / n)
        self.assertAlmostEqual(scores["interval95_width"], sum(h - l for l, h in zip(low, high)) / n)
        scale = scores["rmse"] / scores["standardized"]["rmse"]
        self.assertAlmostEqual(scores["standardized"]["nll"], scores["nll"] - math.log(scale))
        learned = self.report["hyperparameters"]
        self.assertAlmostEqual(scale**2, learned["outputscale"] / learned["standardized"]["outputscale"])
        self.assertGreater(scores["crps"], 0.0)
        self.assertEqual(set(scores["seconds"]), {"predict", "total"})

    def test_evaluate_takes_another_target_column(self):
        self.write("other.csv", self.read("field.csv").replace("x1,x2,y", "x1,x2,seen", 1))
        self.fails("evaluate", "field.vnngp", "other.csv", says=["other.csv", "'y'"])
        scores = self.json_of("evaluate", "field.vnngp", "other.csv", "--target", "seen")
        self.assertEqual(scores["rmse"], self.json_of("evaluate", "field.vnngp", "field.csv")["rmse"])

    def test_more_neighbors_change_the_prediction(self):
        few = self.json_of("evaluate", "field.vnngp", "field.csv", "--neighbors", 1)
        self.assertNotEqual(few["rmse"], self.json_of("evaluate", "field.vnngp", "field.csv")["rmse"])

    def test_inspect_says_what_fit_said(self):
        inspected = self.json_of("inspect", "field.vnngp")
        for key in ("method", "likelihood", "kernel", "n", "d", "m", "k", "elbo", "converged", "iterations", "hyperparameters", "inputs",
                    "target", "prediction_neighbors", "warnings", "notes", "jitter", "duplicates_merged", "stopped_because", "tried", "trace",
                    "passes", "linear_iterations", "neighbors_changed", "metric", "inference"):
            self.assertEqual(inspected[key], self.report[key], key)

    def test_people_get_text(self):
        fitted = self.succeeds("fit", "field.csv", "--target", "y")
        for text in ("200 observations", "x1", "gaussian", "matern52", "Tried", "collapsed", "converged", "field.vnngp", "vnngp predict field.vnngp"):
            self.assertIn(text, fitted.stdout)
        self.assertIn("rmse", self.succeeds("evaluate", "field.vnngp", "field.csv").stdout)
        self.assertIn("length-scale", self.succeeds("inspect", "field.vnngp").stdout)

    def test_quiet_says_nothing(self):
        done = self.succeeds("fit", "field.csv", "--quiet")
        self.assertEqual(done.stdout, "")
        self.assertNotIn("note", done.stderr)


if __name__ == "__main__":
    main()
