"""Kernels as expressions, means with slopes, and what `auto` finds."""
import random
import re

from support import SystemTest, column, main, numeric_table


def weekly_table(rows=150, seed=2):
    """A trend in the place and a weekly rhythm."""
    random.seed(seed)
    lines = ["place,day,y"]
    for _ in range(rows):
        place, day = random.random(), 28 * random.random()
        lines.append(f"{place},{day},{5 + 3 * place + (1 if day % 7 < 3.5 else -1) + 0.1 * random.gauss(0, 1)}")
    return lines


class KernelExpressions(SystemTest):
    EXPRESSION = "matern32(place) + periodic(day)"

    def setUp(self):
        super().setUp()
        self.write("weeks.csv", weekly_table())

    def test_end_to_end(self):
        report = self.fit("weeks.csv", "weeks.vnngp", options=["--kernel", self.EXPRESSION, "--validation", 0.2])
        self.assertEqual(report["kernel"], self.EXPRESSION)
        names = list(report["hyperparameters"]["kernel"])
        self.assertEqual(names, list(report["hyperparameters"]["standardized"]["kernel"]))
        for part in ("lengthscale", "period", "place", "day"):
            self.assertTrue(any(part in name for name in names), (part, names))
        self.assertEqual(len(report["hyperparameters"]["lengthscales"]), sum("lengthscale" in name for name in names))
        self.assertLess(report["validation"]["standardized"]["rmse"], 1.0)

        inspected = self.json_of("inspect", "weeks.vnngp")
        for key in ("kernel", "hyperparameters", "inputs"):
            self.assertEqual(inspected[key], report[key])
        text = self.succeeds("inspect", "weeks.vnngp").stdout
        self.assertIn(self.EXPRESSION, text)
        for name, value in report["hyperparameters"]["kernel"].items():
            shown = name.replace("lengthscale_", "length-scale ") if name.startswith("lengthscale_") else name
            self.assertRegex(text, rf"(?m)^  {re.escape(shown)} +{re.escape(format(value, '.4g'))}$")
        self.assertIn("crps", self.json_of("evaluate", "weeks.vnngp", "weeks.csv"))
        self.assertEqual(len(column(self.succeeds("predict", "weeks.vnngp", "weeks.csv").stdout, "sd")), 150)

    def test_white_space_does_not_matter(self):
        tight = self.fit("weeks.csv", "a.vnngp", options=["--kernel", self.EXPRESSION.replace(" ", "")])
        wide = self.fit("weeks.csv", "b.vnngp", options=["--kernel", f"  {self.EXPRESSION.replace('(', ' ( ')} "])
        self.assertEqual(tight["elbo"], wide["elbo"])

    def test_mistakes_are_pointed_at(self):
        for expression, says in (("matern32(place", ["character 15", "')'"]), ("matern23(place)", ["'matern23'", "did you mean 'matern32'"]),
                                 ("rbf(plaec)", ["'plaec'", "did you mean 'place'"]), ("rbf(y)", ["'y'", "place, day"]),
                                 ("rbf(place) +", ["character 13"]), ("rbf * * rbf", ["character 7"]), ("auto + rbf", ["'auto'"])):
            with self.subTest(expression=expression):
                self.fails("fit", "weeks.csv", "--target", "y", "--kernel", expression, says=["kernel", *says])
        self.fails("fit", "weeks.csv", "--kernel", "mattern32", says=["--kernel", "'mattern32'", "did you mean 'matern32'"])


class Means(SystemTest):
    def setUp(self):
        super().setUp()
        random.seed(3)
        rows = [(random.random(), 100 + 10 * random.random()) for _ in range(200)]
        self.write("trend.csv", ["x1,x2,y"] + [f"{a},{b},{7 + 4 * a - 0.5 * b + 0.1 * random.gauss(0, 1)}" for a, b in rows])

    def slopes(self, mean):
        learned = self.fit("trend.csv", "trend.vnngp", options=["--mean", mean, "--kernel", "matern32"])["hyperparameters"]
        self.assertEqual(self.json_of("inspect", "trend.vnngp")["hyperparameters"], learned)
        return learned["mean_slopes"], learned["mean"]

    def test_linear_in_all_inputs(self):
        (first, second), at_zero = self.slopes("linear")
        self.assertAlmostEqual(first, 4.0, delta=0.2)
        self.assertAlmostEqual(second, -0.5, delta=0.02)
        self.assertAlmostEqual(at_zero, 7.0, delta=2.0)
        text = self.succeeds("inspect", "trend.vnngp").stdout
        for name in ("slope of x1", "slope of x2", "mean at zero"):
            self.assertIn(name, text)

    def test_linear_in_some_inputs(self):
        slopes, _ = self.slopes("linear:x1")
        self.assertEqual(len(slopes), 1)
        self.assertAlmostEqual(slopes[0], 4.0, delta=0.5)
        self.assertNotIn("slope of x2", self.succeeds("inspect", "trend.vnngp").stdout)
        self.assertEqual(len(self.slopes("linear:x2,x1")[0]), 2)

    def test_zero_and_constant(self):
        self.assertEqual(self.slopes("zero"), ([], 0.0))
        self.write("far.csv", ["x1,x2", "1e9,1e9"])
        self.assertAlmostEqual(float(column(self.succeeds("predict", "trend.vnngp", "far.csv").stdout, "mean")[0]), 0.0)
        slopes, mean = self.slopes("constant")
        self.assertEqual(slopes, [])
        self.assertAlmostEqual(float(column(self.succeeds("predict", "trend.vnngp", "far.csv").stdout, "mean")[0]), mean)

    def test_mistakes(self):
        self.fails("fit", "trend.csv", "--target", "y", "--mean", "linear:x3", says=["--mean linear:x3", "'x3'", "did you mean"])
        self.fails("fit", "trend.csv", "--target", "y", "--mean", "linear:x1,y", says=["--mean", "'y'"])
        self.fails("fit", "trend.csv", "--mean", "quadratic", says=["--mean", "'quadratic'", "linear"])


class Groups(SystemTest):
    def test_on_is_a_fit_with_more_neighbours(self):
        self.simulate(points=600)
        given = ["--kernel", "matern32", "--prediction-neighbors", 16]
        alone = self.fit("field.csv", "a.vnngp", options=given)
        grouped = self.fit("field.csv", "b.vnngp", options=[*given, "--groups", "on"])
        self.assertEqual((alone["groups"], grouped["groups"], grouped["k"]), (False, True, 8))
        self.assertGreater(grouped["elbo"], alone["elbo"])
        self.assertIn("crps", self.json_of("evaluate", "b.vnngp", "field.csv"))

    def test_mistakes(self):
        self.simulate(points=100)
        self.fails("fit", "field.csv", "--target", "y", "--groups", "on", "--inference", "stochastic", says=["--groups on", "off with --inference stochastic"])
        self.fails("fit", "field.csv", "--target", "y", "--groups", "on", "--method", "svgp", says=["--groups on", "off with --method svgp"])
        self.fails("fit", "field.csv", "--target", "y", "--groups", "some", says=["--groups", "'some'", "off"])


class Automatic(SystemTest):
    def test_neighbors(self):
        self.simulate(points=300)
        report = self.json_of("fit", "field.csv", "--target", "y", "--kernel", "matern32", "--neighbors", "auto")
        tried = [each["k"] for each in report["tried"]]
        self.assertEqual(tried, [16 * 2**i for i in range(len(tried))])
        self.assertIn(report["k"], tried)
        self.assertIn(report["prediction_neighbors"], {factor * report["k"] for factor in (1, 2, 4)})

    def test_nothing_is_tried_on_a_few_rows(self):
        self.write("table.csv", numeric_table(rows=40))
        report = self.json_of("fit", "table.csv", "--neighbors", "auto")
        self.assertEqual((report["tried"], report["kernel"], report["k"]), ([], "matern52", 32))


if __name__ == "__main__":
    main()
