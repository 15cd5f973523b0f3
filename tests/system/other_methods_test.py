"""exact, svgp, swsgp and sggp, from a table to its predictions."""
from support import SystemTest, column, main

EPOCHS = ("--epochs", 40, "--batch", 64, "--learning-rate", 0.05)


class OtherMethods(SystemTest):
    def setUp(self):
        super().setUp()
        self.simulate(points=250)

    def round_trip(self, method, *options):
        report = self.fit(model=f"{method}.vnngp", options=["--method", method, *EPOCHS, *options])
        self.assertEqual(report["method"], method)
        self.assertEqual(self.json_of("inspect", f"{method}.vnngp")["method"], method)
        scores = self.json_of("evaluate", f"{method}.vnngp", "field.csv")
        self.assertLess(scores["standardized"]["rmse"], 0.8)
        self.assertEqual(len(column(self.succeeds("predict", f"{method}.vnngp", "field.csv").stdout, "sd")), 250)
        return report

    def test_exact(self):
        report = self.round_trip("exact")
        self.assertEqual((report["k"], report["m"], report["converged"]), (0, 250, True))
        self.assertTrue(any("cholesky" in note for note in report["notes"]))
        published = self.fit(model="published.vnngp", options=["--method", "exact", "--inference", "stochastic", *EPOCHS])
        self.assertEqual((published["inference"], published["iterations"]), ("stochastic", 40))
        self.assertLess(published["elbo"], report["elbo"] + 1.0)

    def test_svgp(self):
        for posterior in ("full", "mean-field"):
            self.assertEqual(self.round_trip("svgp", "--inducing", 40, "--posterior", posterior)["m"], 40)
        self.assertEqual(self.round_trip("svgp")["m"], 250)
        drawn = self.succeeds("predict", "svgp.vnngp", "field.csv", "--samples", 2).stdout
        self.assertEqual(len(column(drawn, "sample2")), 250)

    def test_svgp_takes_other_likelihoods(self):
        self.simulate("counts.csv", points=150, likelihood="poisson")
        self.fit("counts.csv", "counts.vnngp", options=["--method", "svgp", "--inducing", 30, "--likelihood", "poisson", *EPOCHS])

    def test_swsgp(self):
        self.assertEqual(self.round_trip("swsgp")["m"], 250)
        self.assertEqual(self.round_trip("swsgp", "--inducing", 50)["m"], 50)

    def test_sggp(self):
        report = self.round_trip("sggp")
        self.assertEqual((report["k"], report["m"]), (15, 250))

    def test_swsgp_takes_other_likelihoods(self):
        self.simulate("counts.csv", points=150, likelihood="poisson")
        report = self.fit("counts.csv", "counts.vnngp", options=["--method", "swsgp", "--likelihood", "poisson", *EPOCHS])
        self.assertEqual(report["likelihood"], "poisson")

    def test_what_does_not_go_together(self):
        for options, says in ((["--method", "sggp", "--likelihood", "poisson"], ["--likelihood poisson", "sggp"]),
                              (["--method", "sggp", "--inducing", 20], ["--inducing 20", "sggp"]),
                              (["--method", "exact", "--likelihood", "student-t"], ["--likelihood student-t", "exact", "svgp"]),
                              (["--method", "exact", "--posterior", "full"], ["--posterior full", "exact"]),
                              (["--method", "svgp", "--metric", "kernel"], ["--metric kernel", "svgp"]),
                              (["--method", "swsgp", "--precision", "single"], ["--precision single", "swsgp"]),
                              (["--method", "svgp", "--resume"], ["--resume", "svgp"]),
                              (["--method", "swsgp", "--nugget", "learned"], ["--nugget learned", "swsgp"]),
                              (["--method", "swsgp", "--inference", "natural"], ["--inference natural", "swsgp"])):
            with self.subTest(options=options):
                self.fails("fit", "field.csv", "--target", "y", "--model", "no.vnngp", *options, says=says)

    def test_threads_do_not_matter(self):
        for method in ("swsgp", "sggp"):
            elbo = {self.fit(model=f"{t}.vnngp", options=["--method", method, *EPOCHS, "--threads", t])["elbo"] for t in (1, 2)}
            self.assertEqual(len(elbo), 1, method)


if __name__ == "__main__":
    main()
