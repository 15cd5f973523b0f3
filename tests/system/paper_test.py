"""`vnngp paper`: pages, files, what is kept, and messages."""
import json
import os

from support import SystemTest, main, numeric_table, rows_of

PUBLISHED = ("--methods", "vnngp", "--sets", "pol,precipitation,covtype")


class Paper(SystemTest):
    def pages(self, name):
        self.assertEqual((self.folder / f"paper/{name}.png").read_bytes()[1:4], b"PNG")
        header, rows = rows_of(self.read(f"paper/{name}.csv"))
        self.assertEqual((header[:3], header[4]), (["panel", "series", "quantity"], "value"))
        return self.read(f"paper/{name}.md"), rows

    def cells(self):
        return sorted((self.folder / "paper/cells").glob("*.json"))

    def test_list_names_everything(self):
        text = self.succeeds("paper", "list").stdout
        for name in ("figure-1", "figure-6", "table-1", "table-3", "all", "elevators", "london_housing", "vnngp-closed",
                     "Exact GP, quick variances"):
            self.assertIn(name, text)
        self.assertEqual(self.listing(), {})

    def test_figure_1(self):
        self.succeeds("paper", "figure-1")
        text, rows = self.pages("figure-1")
        self.assertIn("F1-a", text)
        self.assertNotIn("does not hold", text)
        self.assertGreater(len(rows), 1000)

    def test_figure_3_is_the_same_at_any_number_of_threads(self):
        self.succeeds("paper", "figure-3", "--quick", "--threads", 1)
        text, _ = self.pages("figure-3")
        self.assertRegex(text, r"F3-a .*\*\*holds\*\*")
        self.assertRegex(text, r"F3-b .*\*\*holds\*\*")
        self.assertIn("quick run", text)
        once = [self.read("paper/figure-3.csv"), (self.folder / "paper/figure-3.png").read_bytes()]
        self.succeeds("paper", "figure-3", "--quick", "--threads", 2)
        self.assertEqual(once, [self.read("paper/figure-3.csv"), (self.folder / "paper/figure-3.png").read_bytes()])

    def test_everything_runs_with_every_method(self):
        # Instrumented, each fit takes twenty times as long.
        fewer = ["--sets", "pol,covtype"] if os.environ.get("VNNGP_SANITIZED") else []
        self.succeeds("paper", "all", "--quick", *fewer)
        text = self.read("paper/index.md")
        for name in [f"figure-{i}" for i in range(1, 7)] + [f"table-{i}" for i in range(1, 4)]:
            self.pages(name)
            self.assertIn(f"({name}.md)", text)
        self.assertGreaterEqual(text.count("**holds**") + text.count("**does not hold**"), 35)
        outcomes = [json.loads(path.read_text())["outcome"] for path in self.cells()]
        self.assertEqual([outcome["message"] for outcome in outcomes if outcome["status"] == "failed"], [])
        # Laws that do not depend on size.
        for claim in ("F3-a", "F3-b", "F3-d", "F5-c", "T1-a"):
            self.assertRegex(text, rf"{claim} .*\*\*holds\*\*")

    def test_tables_share_cells_that_are_kept(self):
        self.succeeds("paper", "table-1", "--quick", *PUBLISHED)
        text, rows = self.pages("table-1")
        self.assertIn("UKHousing", text)
        self.assertIn("-1.160 ± .014", text)
        self.assertIn(["pol", "vnngp", "nll"], [row[:3] for row in rows])
        self.assertEqual(len(self.cells()), 3)
        written = {path: path.stat().st_mtime_ns for path in self.cells()}
        first = self.read("paper/table-1.csv")
        self.succeeds("paper", "table-1", "--quick", *PUBLISHED)
        self.succeeds("paper", "table-3", "--quick", *PUBLISHED)
        self.assertEqual(written, {path: path.stat().st_mtime_ns for path in self.cells()})
        self.assertEqual(self.read("paper/table-1.csv"), first)

    def test_pages_of_what_is_kept(self):
        self.succeeds("paper", "table-1", "--quick", "--methods", "vnngp", "--sets", "pol,bike")
        self.succeeds("paper", "table-1", "--quick", "--kept")
        text, rows = self.pages("table-1")
        self.assertEqual(len(self.cells()), 2)
        self.assertEqual({(row[0], row[1]) for row in rows if row[2] == "nll"}, {("pol", "vnngp"), ("bike", "vnngp")})
        self.assertIn("T1-a", text)

    def test_splits_can_be_shared_out_and_put_together(self):
        only_pol = ("--quick", "--methods", "vnngp", "--sets", "pol")
        self.succeeds("paper", "table-1", *only_pol, "--first-seed", 1, "--seeds", 1)
        self.assertEqual([path.name.split("-seed")[1][0] for path in self.cells()], ["1"])
        self.succeeds("paper", "table-1", *only_pol, "--seeds", 2)
        self.assertEqual(len(self.cells()), 2)
        shared = self.read("paper/table-1.csv")
        for path in self.cells():
            path.unlink()
        self.succeeds("paper", "table-1", *only_pol, "--seeds", 2)
        nll = lambda text: [row for row in rows_of(text)[1] if row[2] == "nll"]
        self.assertEqual(nll(shared), nll(self.read("paper/table-1.csv")))

    def test_neighbors_and_inducing_points_that_compete_can_be_named(self):
        self.succeeds("paper", "table-1", "--quick", "--methods", "vnngp,swsgp-m,svgp", "--sets", "pol", "--neighbors", "4,6",
                      "--inducing", "20,30,100000")
        settings = [json.loads(path.read_text())["cell"] for path in self.cells()]
        self.assertEqual(sorted((s["method"], s["neighbors"], s["inducing"]) for s in settings),
                         [("svgp", 0, 64), ("swsgp-m", 4, 20), ("swsgp-m", 4, 30), ("swsgp-m", 6, 20), ("swsgp-m", 6, 30),
                          ("vnngp", 4, 0), ("vnngp", 6, 0)])
        self.assertIn("--neighbors 4,6 --inducing 20,30,100000", self.pages("table-1")[0])

    def test_a_damaged_cell_is_run_again(self):
        self.succeeds("paper", "table-2", "--quick", "--methods", "vnngp", "--sets", "pol")
        first = self.read("paper/table-2.csv")
        cell, = self.cells()
        nll = json.loads(cell.read_text())["outcome"]["nll"]
        cell.write_text(cell.read_text()[:100])
        self.succeeds("paper", "table-2", "--quick", "--methods", "vnngp", "--sets", "pol")
        self.assertEqual(json.loads(cell.read_text())["outcome"]["nll"], nll)
        self.assertEqual([row[:3] for row in rows_of(first)[1]], [row[:3] for row in self.pages("table-2")[1]])

    def test_what_a_method_cannot_do_is_a_dash_with_a_reason(self):
        self.succeeds("paper", "table-1", "--quick", "--methods", "exact,vnngp", "--sets", "covtype")
        text, _ = self.pages("table-1")
        self.assertIn("— (1)", text)
        self.assertIn("1. refused: Exact GP has Gaussian noise only", text)
        self.assertRegex(text, r"T1-a .*\*\*holds\*\*")

    def test_the_users_own_data(self):
        (self.folder / "data").mkdir()
        self.write("data/ukhousing.csv.gz", numeric_table(rows=400, columns=("lon", "lat", "price")))
        self.succeeds("paper", "table-1", "--quick", "--data", "data", "--methods", "vnngp")
        text, rows = self.pages("table-1")
        self.assertIn(["ukhousing", "vnngp", "nll"], [row[:3] for row in rows])
        self.assertIn("no file: PoleTele", text)

    def test_mistakes_are_named(self):
        self.fails("paper", "figure-7", says=["'figure-7'", "did you mean"])
        self.fails("paper", "figure-2", says=["--data DIR", "elevators.csv.gz", "--quick"])
        self.fails("paper", "table-1", says=["--data DIR", "--quick"])
        self.fails("paper", "table-1", "--data", "nowhere", says=["--data nowhere", "no such directory"])
        self.fails("paper", "table-1", "--quick", "--sets", "elevator", says=["--sets", "'elevators'"])
        self.fails("paper", "figure-6", "--quick", "--sets", "pol", says=["--sets", "figure-6", "bike"])
        self.fails("paper", "table-1", "--quick", "--methods", "vngp", says=["--methods", "'vnngp'"])
        self.fails("paper", "table-1", "--quick", "--neighbors", "8,x", says=["--neighbors", "'x' is not a whole number"])
        self.fails("paper", "table-1", "--quick", "--inducing", "0", says=["--inducing", "'0' is not a whole number"])
        self.fails("paper", "table-1", "--quick", "--grid", "huge", says=["'huge'", "single, wide, published"])
        self.fails("paper", says="NAME")


if __name__ == "__main__":
    main()
