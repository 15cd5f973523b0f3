"""vnngp predict --samples: joint draws at the rows of a table."""
import math

from support import SystemTest, column, main, rows_of

SAMPLES = 400


class Samples(SystemTest):
    def setUp(self):
        super().setUp()
        self.simulate(points=150)
        self.fit()
        self.write("line.csv", ["x1,x2"] + [f"{0.01 * i},0.5" for i in range(60)])

    def predict(self, *options, table="line.csv"):
        return self.succeeds("predict", "field.vnngp", table, *options).stdout

    def draws(self, text, count=SAMPLES):
        """One list per row of the table."""
        return list(zip(*([float(value) for value in column(text, f"sample{i}")] for i in range(1, count + 1))))

    def expect_moments_of_the_diagonal(self, *options):
        # Every inducing point is a neighbour: with fewer, those of a joint row are mostly other rows of the table.
        text = self.predict("--samples", SAMPLES, "--neighbors", 150, *options)
        for mean, sd, draws in zip(map(float, column(text, "mean")), map(float, column(text, "sd")), self.draws(text)):
            average = sum(draws) / SAMPLES
            spread = math.sqrt(sum((draw - average) ** 2 for draw in draws) / (SAMPLES - 1))
            # Five standard errors.
            self.assertAlmostEqual(average, mean, delta=5 / math.sqrt(SAMPLES) * sd)
            self.assertAlmostEqual(spread / sd, 1.0, delta=5 / math.sqrt(2 * SAMPLES))

    def test_samples_have_the_mean_and_sd_of_the_prediction(self):
        self.expect_moments_of_the_diagonal()

    def test_latent_samples_have_the_latent_mean_and_sd(self):
        self.expect_moments_of_the_diagonal("--latent")

    def test_columns_are_named_and_come_last(self):
        header, rows = rows_of(self.predict("--samples", 3, "--quantiles", 0.5))
        self.assertEqual(header, ["x1", "x2", "mean", "sd", "q0.5", "sample1", "sample2", "sample3"])
        self.assertEqual({len(row) for row in rows}, {8})
        self.assertEqual(rows_of(self.predict("--samples", 1, "--prefix", "p_"))[0][-1], "p_sample1")

    def test_mean_and_sd_do_not_depend_on_samples(self):
        plain, sampled = self.predict(), self.predict("--samples", 2)
        for name in ("mean", "sd"):
            self.assertEqual(column(plain, name), column(sampled, name))

    def test_latent_samples_are_smooth_and_observations_are_not(self):
        def roughness(*options):
            draws = self.draws(self.predict("--samples", 20, *options), 20)
            steps = [(b - a) ** 2 for row, following in zip(draws, draws[1:]) for a, b in zip(row, following)]
            return sum(steps) / len(steps)
        self.assertLess(roughness("--latent"), 0.1 * roughness())

    def test_same_seed_same_samples(self):
        first = self.predict("--samples", 5, "--seed", 3)
        self.assertEqual(first, self.predict("--samples", 5, "--seed", 3))
        self.assertNotEqual(first, self.predict("--samples", 5, "--seed", 4))
        self.assertEqual(self.predict("--samples", 5, "--seed", 0), self.predict("--samples", 5))
        self.assertEqual(self.draws(first, 2), self.draws(self.predict("--samples", 2, "--seed", 3), 2))

    def test_threads_do_not_show(self):
        self.assertEqual(*(self.predict("--samples", 5, "--threads", threads, table="field.csv") for threads in (1, 3)))

    def test_counts_are_drawn_as_counts(self):
        self.simulate("counts.csv", likelihood="poisson", points=100)
        self.fit("counts.csv", "field.vnngp", options=["--likelihood", "poisson"])
        for row in self.draws(self.predict("--samples", 5), 5):
            for draw in row:
                self.assertEqual(draw, max(0, int(draw)))

    def test_mistakes(self):
        self.fails("predict", "field.vnngp", "line.csv", "--samples", 0, says="--samples")
        self.fails("predict", "field.vnngp", "line.csv", "--seed", 1, says="--samples")
        self.write("taken.csv", ["x1,x2,sample2", "0.1,0.2,0.3"])
        self.fails("predict", "field.vnngp", "taken.csv", "--samples", 2, says=["sample2", "--prefix"])
        self.assertNotIn("error", self.predict("--samples", 1, table="taken.csv"))


if __name__ == "__main__":
    main()
