"""The same seed gives the same answer, whatever the number of threads."""
from support import STOCHASTIC, SystemTest, column, main


class Determinism(SystemTest):
    def setUp(self):
        super().setUp()
        self.simulate(points=300)

    def predictions(self, model):
        text = self.succeeds("predict", model, "field.csv", "--quantiles", "0.1").stdout
        return [column(text, name) for name in ("mean", "sd", "q0.1")]

    def learned(self, model):
        inspected = self.json_of("inspect", model)
        for key in ("seconds", "model", "bytes"):  # the file holds the seconds as text
            del inspected[key]
        for tried in inspected["tried"]:
            del tried["seconds"]
        return inspected

    def expect_same_fit(self, first, second, options=()):
        for name, more in (("a", first), ("b", second)):
            self.fit(model=f"{name}.vnngp", options=[*options, *more])
        self.assertEqual(self.learned("a.vnngp"), self.learned("b.vnngp"))
        self.assertEqual(self.predictions("a.vnngp"), self.predictions("b.vnngp"))

    def test_same_seed_same_model(self):
        self.expect_same_fit(["--seed", 3], ["--seed", 3])

    def test_other_seed_other_model(self):
        for name, seed in (("a", 3), ("b", 4)):
            self.fit(model=f"{name}.vnngp", options=["--seed", seed])
        self.assertNotEqual(self.predictions("a.vnngp"), self.predictions("b.vnngp"))

    def test_threads_do_not_show_in_a_fit(self):
        self.expect_same_fit(["--threads", 1], ["--threads", 2])

    def test_threads_do_not_show_in_stochastic_training(self):
        self.expect_same_fit(["--threads", 1], ["--threads", 2], STOCHASTIC)

    def test_threads_do_not_show_in_a_fit_with_learned_locations(self):
        self.expect_same_fit(["--threads", 1], ["--threads", 3], [*STOCHASTIC, "--inducing", 40])

    def test_threads_do_not_show_in_a_fit_with_fewer_inducing_points(self):
        self.expect_same_fit(["--threads", 1], ["--threads", 3], ["--inducing", 40])

    def test_threads_do_not_show_in_a_fit_of_classes(self):
        self.simulate(points=200, likelihood="bernoulli")
        self.expect_same_fit(["--threads", 1], ["--threads", 2], ["--likelihood", "bernoulli"])

    def test_threads_do_not_show_in_predictions(self):
        self.fit()
        outputs = [self.succeeds("predict", "field.vnngp", "field.csv", "--threads", threads).stdout for threads in (1, 2)]
        self.assertEqual(*outputs)

    def test_simulation_is_a_function_of_the_seed(self):
        self.simulate("again.csv", points=300)
        self.assertEqual(self.read("field.csv"), self.read("again.csv"))
        self.succeeds("simulate", "--points", 300, "--lengthscale", 0.3, "--seed", 1, "--threads", 1, "-o", "one.csv")
        self.assertEqual(self.read("field.csv"), self.read("one.csv"))
        self.succeeds("simulate", "--points", 300, "--lengthscale", 0.3, "--seed", 2, "-o", "other.csv")
        self.assertNotEqual(self.read("field.csv"), self.read("other.csv"))


if __name__ == "__main__":
    main()
