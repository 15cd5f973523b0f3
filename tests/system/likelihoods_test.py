"""Every likelihood and every way of fitting, end to end."""
from support import STOCHASTIC, SystemTest, column, main


class Likelihoods(SystemTest):
    def fitted(self, likelihood, options=(), **simulation):
        self.simulate(likelihood=likelihood, **simulation)
        return self.fit(options=["--likelihood", likelihood, *options])

    def expect_classification(self, likelihood):
        report = self.fitted(likelihood, ["--validation", 0.2])
        self.assertIsNone(report["hyperparameters"]["noise"])
        self.assertIn("auc", report["validation"])
        probabilities = [float(p) for p in column(self.succeeds("predict", "field.vnngp", "field.csv").stdout, "mean")]
        self.assertTrue(all(0.0 < p < 1.0 for p in probabilities))
        scores = self.json_of("evaluate", "field.vnngp", "field.csv")
        self.assertLessEqual({"n", "nll", "error_rate", "brier", "auc", "seconds"}, set(scores))
        self.assertNotIn("rmse", scores)
        self.assertTrue(0.0 <= scores["error_rate"] <= 1.0)
        y = [float(value) for value in column(self.read("field.csv"), "y")]
        self.assertAlmostEqual(scores["brier"], sum((p - v)**2 for p, v in zip(probabilities, y)) / len(y))
        self.assertIn("auc", self.succeeds("evaluate", "field.vnngp", "field.csv").stdout)

    def test_bernoulli(self):
        self.expect_classification("bernoulli")

    def test_bernoulli_logit(self):
        self.expect_classification("bernoulli-logit")

    def test_auc_of_one_class_is_null(self):
        self.fitted("bernoulli")
        lines = self.read("field.csv").splitlines()
        self.write("ones.csv", [line for line in lines if not line.endswith(",0")])
        self.assertIsNone(self.json_of("evaluate", "field.vnngp", "ones.csv")["auc"])

    def test_poisson(self):
        report = self.fitted("poisson", mean=1)
        self.assertIsNone(report["hyperparameters"]["noise"])
        standardized = report["hyperparameters"].pop("standardized")
        self.assertEqual(standardized["outputscale"], report["hyperparameters"]["outputscale"])
        scores = self.json_of("evaluate", "field.vnngp", "field.csv")
        self.assertEqual(scores["standardized"], {"nll": scores["nll"], "rmse": scores["rmse"]})
        quantiles = column(self.succeeds("predict", "field.vnngp", "field.csv", "--quantiles", "0.9").stdout, "q0.9")
        self.assertTrue(all(float(q) == int(float(q)) for q in quantiles))

    def test_student_t(self):
        learned = self.fitted("student-t", degrees_of_freedom=3)["hyperparameters"]
        self.assertEqual(learned["noise"], learned["scale"])
        self.assertGreater(learned["degrees_of_freedom"], 0.0)
        self.assertEqual(learned["degrees_of_freedom"], learned["standardized"]["degrees_of_freedom"])
        self.assertIn("degrees of freedom", self.succeeds("inspect", "field.vnngp").stdout)
        self.json_of("evaluate", "field.vnngp", "field.csv")

    def test_fewer_inducing_points(self):
        for options in ([], STOCHASTIC):
            report = self.fitted("gaussian", ["--inducing", 30, *options])
            self.assertEqual(report["m"], 30)
            self.assertEqual(report["n"], 200)
            self.json_of("evaluate", "field.vnngp", "field.csv")

    def test_every_kernel_ordering_and_nugget(self):
        self.simulate(points=60)
        for options in (["--kernel", "matern12"], ["--kernel", "matern32"], ["--kernel", "rbf"], ["--ordering", "maximin"],
                        ["--ordering", "coordinate"], ["--prediction-neighbors", 20], ["--metric", "euclidean"], ["--metric", "kernel"]):
            with self.subTest(options=options):
                report = self.fit(options=options)
                self.assertEqual(report[options[0].lstrip("-").replace("-", "_")], options[1])

    # After one small step length-scales are still where they started, .6931 on either scale, in the units of the data.
    def test_length_scales_start_from_the_scale_of_the_inputs(self):
        self.simulate(points=60)
        found = {}
        for scale in ("deviation", "range"):
            report = self.fit(options=["--method", "exact", "--kernel", "matern52", "--inference", "stochastic", "--epochs", 1, "--learning-rate", 0.001,
                                       "--input-scale", scale])
            found[scale] = report["hyperparameters"]["lengthscales"][0]
        x = [float(value) for value in column(self.read("field.csv"), "x1")]
        center = sum(x) / len(x)
        self.assertAlmostEqual(found["range"], 0.6931 * (max(x) - min(x)) / 2, delta=0.01)
        self.assertAlmostEqual(found["deviation"], 0.6931 * (sum((v - center) ** 2 for v in x) / len(x)) ** 0.5, delta=0.01)

    def test_nuggets(self):
        self.simulate(points=60)
        for more in ([], STOCHASTIC):
            def learned(nugget):
                return self.fit(options=["--nugget", nugget, *more])["hyperparameters"]
            self.assertGreater(learned("learned")["nugget"], 0.0)
            self.assertAlmostEqual(learned("jitter")["standardized"]["nugget"], 0.001)
            self.assertEqual(learned("none")["nugget"], 0.0)
            self.assertAlmostEqual(learned(0.25)["nugget"], 0.25)

    def test_every_inference(self):
        self.simulate(points=100)
        for inference in ("collapsed", "natural", "response", "stochastic"):
            with self.subTest(inference=inference):
                report = self.fit(options=["--inference", inference, "--epochs", 5])
                self.assertEqual(report["inference"], inference)
                self.assertEqual(report["metric"], "euclidean" if inference == "stochastic" else "kernel")
                self.assertLess(self.json_of("evaluate", "field.vnngp", "field.csv")["standardized"]["rmse"], 1.0)
        self.assertEqual(self.fit()["inference"], "collapsed")

    def test_more_than_two_inputs_with_their_own_lengthscales(self):
        self.succeeds("simulate", "--points", 100, "--dims", 3, "--lengthscale", "0.2,0.5,9", "-o", "cube.csv")
        report = self.fit("cube.csv")
        self.assertEqual(report["inputs"], ["x1", "x2", "x3"])
        self.assertEqual(len(report["hyperparameters"]["lengthscales"]), 3)


if __name__ == "__main__":
    main()
